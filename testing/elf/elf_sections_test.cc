#include "testing/elf/elf_sections.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {

extern const char elf_sections_test_mark[];
__attribute__((section("tiletune_mark"))) const char elf_sections_test_mark[] =
    "in a section of its own";

namespace {

std::string ThisProgram() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ElfSections, HaveTheirNamesAndBytes) {
  const std::string program = ThisProgram();
  int found = 0;
  for (const ElfSection& section : ElfSections(program)) {
    if (section.name != "tiletune_mark") continue;
    ++found;
    EXPECT_EQ(section.type, static_cast<uint32_t>(SHT_PROGBITS));
    EXPECT_EQ(section.bytes,
              std::string_view(elf_sections_test_mark,
                               sizeof("in a section of its own")));
  }
  EXPECT_EQ(found, 1);
}

TEST(ElfSections, AreLinkedByIndex) {
  const std::string program = ThisProgram();
  const std::vector<ElfSection> sections = ElfSections(program);
  int tables = 0;
  for (const ElfSection& section : sections) {
    if (section.type != SHT_DYNSYM) continue;
    ++tables;
    EXPECT_EQ(sections.at(section.link).name, ".dynstr");
  }
  EXPECT_EQ(tables, 1);
}

TEST(ElfSections, OfABrokenFileAreNone) {
  const std::string program = ThisProgram();
  EXPECT_TRUE(ElfSections("").empty());
  EXPECT_TRUE(ElfSections("not an ELF file, but long enough to be one, at "
                          "sixty-four bytes of header and more")
                  .empty());
  EXPECT_TRUE(ElfSections(program.substr(0, program.size() / 2)).empty());
}

TEST(ElfSections, ThatReachPastTheEndAreNone) {
  std::string program = ThisProgram();
  ElfW(Ehdr) header;
  std::memcpy(&header, program.data(), sizeof(header));
  ElfW(Shdr) section;
  char* const second = &program[header.e_shoff + sizeof(section)];
  std::memcpy(&section, second, sizeof(section));
  section.sh_size = UINT64_MAX;
  std::memcpy(second, &section, sizeof(section));
  EXPECT_TRUE(ElfSections(program).empty());

  program = ThisProgram();
  ASSERT_FALSE(ElfSections(program).empty());
  header.e_shnum = UINT16_MAX;
  std::memcpy(program.data(), &header, sizeof(header));
  EXPECT_TRUE(ElfSections(program).empty());
}

}  // namespace
}  // namespace tiletune
