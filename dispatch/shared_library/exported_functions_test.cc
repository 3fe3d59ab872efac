// What can be seen of libtiletune.so from outside is what its header declares.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testing/elf/elf_sections.h"

namespace tiletune {
namespace {

std::string Contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The names that a library defines for others: symbols of its .dynsym that are
// neither local nor undefined (System V gABI, chapter 4, "Symbol Table").
std::set<std::string> ExportedNames(const std::string& file) {
  std::set<std::string> names;
  const std::vector<ElfSection> sections = ElfSections(file);
  for (const ElfSection& section : sections) {
    if (section.type != SHT_DYNSYM) continue;
    const std::string_view strings = sections.at(section.link).bytes;
    std::vector<ElfW(Sym)> symbols(section.bytes.size() / sizeof(ElfW(Sym)));
    std::memcpy(symbols.data(), section.bytes.data(), section.bytes.size());
    for (const ElfW(Sym) & symbol : symbols) {
      const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
      if (local || symbol.st_shndx == SHN_UNDEF) continue;
      names.insert(strings.data() + symbol.st_name);
    }
  }
  return names;
}

// Every name that stands before a parenthesis in the header.
std::set<std::string> DeclaredNames(const std::string& header) {
  const std::string code =
      std::regex_replace(header, std::regex(R"(/\*[^]*?\*/)"), "");
  const std::regex function(R"((tiletune_\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(code.begin(), code.end(), function), end;
       it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

TEST(SharedLibrary, ExportsTheFunctionsOfItsHeaderAndNothingElse) {
  const std::set<std::string> declared =
      DeclaredNames(Contents(std::getenv("HEADER")));
  EXPECT_EQ(declared.count("tiletune_open"), 1u);
  EXPECT_EQ(ExportedNames(Contents(std::getenv("LIBRARY"))), declared);
}

TEST(SharedLibrary, LoadsWithoutADriverAndAnswers) {
  void* library = dlopen(std::getenv("LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto why_name = reinterpret_cast<const char* (*)(int32_t)>(
      dlsym(library, "tiletune_why_name"));
  ASSERT_NE(why_name, nullptr) << dlerror();
  EXPECT_STREQ(why_name(0), "pinned");
}

}  // namespace
}  // namespace tiletune
