#include "testing/emulator/machine/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace tiletune::emulator {
namespace {

constexpr size_t kMaxLength = 72;  // what more is folded for
constexpr char kAnonymous[] = "(anonymous namespace)";

// The name between the result, which demangled templates begin with, and the
// parameters.
std::string WithoutTypes(const std::string& whole) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') begin = i + 1;
    if (c != '(') continue;
    const size_t length = sizeof(kAnonymous) - 1;
    if (whole.compare(i, length, kAnonymous) != 0) {
      return whole.substr(begin, i - begin);
    }
    i += length - 1;
  }
  return whole.substr(begin);
}

// Template arguments that are more than `levels` deep become "...".
std::string Folded(const std::string& name, int levels) {
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '>') --depth;
    if (depth <= levels) out += c;
    if (c == '<' && depth++ == levels) out += "...";
  }
  return out;
}

int Levels(const std::string& name) {
  int depth = 0;
  int deepest = 0;
  for (const char c : name) {
    if (c == '<') deepest = std::max(deepest, ++depth);
    if (c == '>') --depth;
  }
  return deepest;
}

// For names that the library does not demangle, as long ones of CUTLASS: the
// plain names up to the first template arguments (Itanium C++ ABI 5.1.2).
// Empty if it begins otherwise.
std::string PlainPart(const std::string& symbol) {
  std::string out;
  size_t i = 2;
  const bool is_nested = symbol[i] == 'N';
  if (is_nested) ++i;
  while (i < symbol.size() && std::isdigit(symbol[i]) != 0) {
    size_t length = 0;
    for (; i < symbol.size() && std::isdigit(symbol[i]) != 0; ++i) {
      length = 10 * length + static_cast<size_t>(symbol[i] - '0');
      if (length > symbol.size()) return "";
    }
    const std::string part = symbol.substr(i, length);
    if (!out.empty()) out += "::";
    out += part.compare(0, 8, "_GLOBAL_") == 0 ? kAnonymous : part;
    i += length;
    if (!is_nested) break;
  }
  if (!out.empty() && i < symbol.size() && symbol[i] == 'I') out += "<...>";
  return out;
}

}  // namespace

std::string KernelName(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
      &std::free);
  if (status != 0) {
    const std::string plain = PlainPart(symbol);
    return plain.empty() ? symbol : plain;
  }
  const std::string name = WithoutTypes(demangled.get());
  for (int levels = Levels(name); levels > 0; --levels) {
    const std::string folded = Folded(name, levels);
    if (folded.size() <= kMaxLength) return folded;
  }
  return Folded(name, 0);
}

}  // namespace tiletune::emulator
