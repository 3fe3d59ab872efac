#include "testing/emulator/runtime/spare_ptx.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune::emulator::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEntry = ".entry";
constexpr std::string_view kSpace = " \t\r\n";

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The names behind every `.entry` of the text. Whether it is PTX at all is for
// the parser to say, when a kernel is needed.
std::vector<std::string> EntriesOf(std::string_view text) {
  std::vector<std::string> names;
  size_t at = 0;
  while ((at = text.find(kEntry, at)) != std::string_view::npos) {
    at += kEntry.size();
    const size_t begin = text.find_first_not_of(kSpace, at);
    if (begin == at || begin == std::string_view::npos) continue;
    const size_t end = text.find_first_of(" \t\r\n({;", begin);
    names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
}

}  // namespace

absl::Status SparePtx::Add(const std::string& paths) {
  for (const std::string& path :
       std::vector<std::string>(absl::StrSplit(paths, ':'))) {
    std::error_code error;
    if (path.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a path is empty in '", paths, "'"));
    }
    if (!fs::is_directory(path, error)) {
      absl::Status status = AddFile(path);
      if (!status.ok()) return status;
      continue;
    }
    std::vector<std::string> files;
    for (const fs::directory_entry& file :
         fs::directory_iterator(path, error)) {
      if (file.path().extension() == ".ptx") files.push_back(file.path());
    }
    if (files.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no .ptx file is in the folder ", path));
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      absl::Status status = AddFile(file);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status SparePtx::AddFile(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || !std::ifstream(path)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
  }
  for (const std::string& name : EntriesOf(ReadFile(path))) {
    path_of_entry_.emplace(name, path);
  }
  return absl::OkStatus();
}

const std::string* SparePtx::Find(const std::string& entry) {
  const auto found = path_of_entry_.find(entry);
  if (found == path_of_entry_.end()) return nullptr;
  const auto [text, is_new] = text_of_path_.try_emplace(found->second);
  if (is_new) text->second = ReadFile(found->second);
  return &text->second;
}

}  // namespace tiletune::emulator::runtime
