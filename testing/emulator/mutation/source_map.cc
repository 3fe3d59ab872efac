#include "testing/emulator/mutation/source_map.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "testing/emulator/mutation/ptx_lines.h"

namespace tiletune::emulator {
namespace {

std::string_view StripLeft(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : text.substr(begin);
}

std::string WithoutTemplateArguments(const std::string& name) {
  std::string result;
  int depth = 0;
  for (char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) result += c;
    if (c == '>') --depth;
  }
  return result;
}

}  // namespace

std::string ShortFunctionName(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
      std::free);
  if (status != 0) return mangled;
  std::string name = WithoutTemplateArguments(demangled.get());
  name = name.substr(0, name.find('('));
  // Templates are mangled with their return type.
  name = name.substr(name.rfind(' ') + 1);
  for (const char* space : {"tiletune::", "blackwell::", "ptx::"}) {
    if (StartsWith(name, space)) name = name.substr(std::string(space).size());
  }
  if (StartsWith(name, "_INTERNAL_")) name = name.substr(name.find("::") + 2);
  return name;
}

SourceMap::SourceMap(const std::string& ptx) {
  const std::vector<std::string> lines = SplitLines(ptx);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = StripLeft(lines[i]);
    if (StartsWith(line, ".loc")) ReadLocation(line);
    if (StartsWith(line, ".file")) ReadFile(line);
    if (StartsWith(line, "$L__info_string")) ReadString(lines, i);
    at_line_.push_back(static_cast<int>(locations_.size()) - 1);
  }
}

// .loc FILE LINE COLUMN[, function_name LABEL, inlined_at FILE LINE COLUMN]
void SourceMap::ReadLocation(std::string_view directive) {
  int file = 0, line = 0, column = 0;
  int from_file = 0, from_line = 0, from_column = 0;
  char label[64] = "";
  const int read = std::sscanf(
      std::string(directive).c_str(),
      ".loc %d %d %d, function_name %63[^,], inlined_at %d %d %d", &file, &line,
      &column, label, &from_file, &from_line, &from_column);
  if (read < 3) return;
  Location location;
  location.place = Place(file, line, column);
  if (read == 7) {
    location.function = label;
    // The caller's own .loc comes before.
    const auto caller = latest_.find(Place(from_file, from_line, from_column));
    if (caller != latest_.end()) location.caller = caller->second;
  }
  latest_[location.place] = static_cast<int>(locations_.size());
  locations_.push_back(std::move(location));
}

// .file INDEX "PATH"
void SourceMap::ReadFile(std::string_view directive) {
  int index = 0;
  char path[1024] = "";
  if (std::sscanf(std::string(directive).c_str(), ".file %d \"%1023[^\"]",
                  &index, path) != 2) {
    return;
  }
  std::string name = path;
  // Bazel compiles in the root of the project and names headers "./...".
  const size_t root = name.find("/./");
  files_[index] = root != std::string::npos ? name.substr(root + 3)
                                            : name.substr(name.rfind('/') + 1);
}

// LABEL: followed by lines of .b8 that hold a terminated string.
void SourceMap::ReadString(const std::vector<std::string>& lines,
                           size_t label) {
  std::string text;
  for (size_t i = label + 1; i < lines.size(); ++i) {
    if (!StartsWith(lines[i], ".b8 ")) break;
    const int byte = std::atoi(lines[i].c_str() + 4);
    if (byte == 0) break;
    text += static_cast<char>(byte);
  }
  const std::string& line = lines[label];
  functions_[line.substr(0, line.find(':'))] = ShortFunctionName(text);
}

std::vector<SourceFrame> SourceMap::At(int line) const {
  std::vector<SourceFrame> frames;
  if (line < 1 || line > static_cast<int>(at_line_.size())) return frames;
  for (int i = at_line_[line - 1]; i >= 0; i = locations_[i].caller) {
    const Location& location = locations_[i];
    SourceFrame frame;
    const auto function = functions_.find(location.function);
    if (function != functions_.end()) frame.function = function->second;
    const auto file = files_.find(std::get<0>(location.place));
    if (file != files_.end()) frame.file = file->second;
    frame.line = std::get<1>(location.place);
    frames.insert(frames.begin(), std::move(frame));
  }
  return frames;
}

std::string SourceMap::Path(int line) const {
  std::string path;
  for (const SourceFrame& frame : At(line)) {
    if (frame.function.empty()) continue;
    if (!path.empty()) path += " > ";
    path += frame.function;
  }
  return path;
}

}  // namespace tiletune::emulator
