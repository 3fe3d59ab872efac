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
#include <vector>

namespace tiletune {
namespace {

std::string Contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Record>
std::vector<Record> Records(const std::string& file, uint64_t offset,
                            uint64_t count) {
  std::vector<Record> records(count);
  if (offset + count * sizeof(Record) > file.size()) return {};
  std::memcpy(records.data(), file.data() + offset, count * sizeof(Record));
  return records;
}

// The names that an ELF file defines for others: symbols of its .dynsym that
// are neither local nor undefined (System V gABI, chapter 4, "Symbol Table").
std::set<std::string> ExportedNames(const std::string& file) {
  const auto headers = Records<ElfW(Ehdr)>(file, 0, 1);
  if (headers.empty()) return {};
  const auto sections =
      Records<ElfW(Shdr)>(file, headers[0].e_shoff, headers[0].e_shnum);
  std::set<std::string> names;
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const uint64_t strings = sections.at(section.sh_link).sh_offset;
    for (const ElfW(Sym) & symbol : Records<ElfW(Sym)>(
             file, section.sh_offset, section.sh_size / sizeof(ElfW(Sym)))) {
      const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
      if (local || symbol.st_shndx == SHN_UNDEF) continue;
      names.insert(file.c_str() + strings + symbol.st_name);
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
