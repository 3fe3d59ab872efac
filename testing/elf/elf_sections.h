// The sections of an ELF file: what a library exports, what an object embeds.
//
//   const std::string file = ...;    // the bytes of a .o or .so
//   for (const ElfSection& section : ElfSections(file)) {
//     if (section.name == ".nv_fatbin") Read(section.bytes);
//   }
#ifndef TILETUNE_TESTING_ELF_ELF_SECTIONS_H_
#define TILETUNE_TESTING_ELF_ELF_SECTIONS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace tiletune {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;       // SHT_... of <elf.h>
  uint32_t link = 0;       // of a symbol table: the section of its names
  std::string_view bytes;  // empty where the file holds none (SHT_NOBITS)
};

// In their order, so that `link` is an index (System V gABI, chapter 4,
// "Sections"). Empty for anything that is no whole ELF file of this machine's
// word size and byte order. The views live as long as `file`.
std::vector<ElfSection> ElfSections(std::string_view file);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_ELF_ELF_SECTIONS_H_
