#include "testing/elf/elf_sections.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace tiletune {
namespace {

using FileHeader = ElfW(Ehdr);
using SectionHeader = ElfW(Shdr);

constexpr int kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

// False when they are not all there.
bool Take(std::string_view file, uint64_t offset, uint64_t size,
          std::string_view* bytes) {
  if (offset > file.size() || size > file.size() - offset) return false;
  *bytes = file.substr(offset, size);
  return true;
}

}  // namespace

std::vector<ElfSection> ElfSections(std::string_view file) {
  FileHeader header;
  if (file.size() < sizeof(header)) return {};
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != kClass ||
      header.e_shentsize != sizeof(SectionHeader)) {
    return {};
  }
  std::string_view table;
  if (!Take(file, header.e_shoff, header.e_shnum * sizeof(SectionHeader),
            &table)) {
    return {};
  }
  std::vector<SectionHeader> headers(header.e_shnum);
  std::memcpy(headers.data(), table.data(), table.size());
  std::vector<ElfSection> sections;
  for (const SectionHeader& h : headers) {
    ElfSection section;
    section.type = h.sh_type;
    section.link = h.sh_link;
    const uint64_t size = h.sh_type == SHT_NOBITS ? 0 : h.sh_size;
    if (!Take(file, h.sh_offset, size, &section.bytes)) return {};
    sections.push_back(section);
  }
  if (header.e_shstrndx >= sections.size()) return {};
  const std::string_view names = sections[header.e_shstrndx].bytes;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (headers[i].sh_name >= names.size()) return {};
    const std::string_view rest = names.substr(headers[i].sh_name);
    sections[i].name = rest.substr(0, rest.find('\0'));
  }
  return sections;
}

}  // namespace tiletune
