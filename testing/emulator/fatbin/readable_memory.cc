#include "testing/emulator/fatbin/readable_memory.h"

#include <link.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace tiletune::emulator {
namespace {

// Looks for the segment that holds `begin`; `end` stays 0 if there is none.
struct SegmentSearch {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

int VisitObject(dl_phdr_info* object, size_t, void* data) {
  auto* const search = static_cast<SegmentSearch*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
    const uintptr_t first = object->dlpi_addr + segment.p_vaddr;
    if (search->begin - first < segment.p_memsz) {
      search->end = first + segment.p_memsz;
      return 1;
    }
  }
  return 0;
}

// The end of the mappings around `begin` that follow each other without a gap
// and can be read; 0 if there is none.
uintptr_t EndOfMappings(uintptr_t begin) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return 0;
  uintptr_t end = 0;
  char line[512];
  bool continues_line = false;  // of a path that is longer than `line`
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    const bool is_start = !continues_line;
    continues_line =
        std::string_view(line).find('\n') == std::string_view::npos;
    uintptr_t first = 0;
    uintptr_t last = 0;
    char readable = '-';
    if (!is_start || std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c", &first,
                                 &last, &readable) != 3) {
      continue;
    }
    const uintptr_t wanted = end == 0 ? begin : end;
    if (wanted >= last) continue;
    if (wanted < first || readable != 'r') break;
    end = last;
  }
  std::fclose(maps);
  return end;
}

}  // namespace

std::string_view ReadableFrom(const void* begin) {
  if (begin == nullptr) return {};
  SegmentSearch search;
  search.begin = reinterpret_cast<uintptr_t>(begin);
  dl_iterate_phdr(&VisitObject, &search);
  const uintptr_t end =
      search.end != 0 ? search.end : EndOfMappings(search.begin);
  if (end <= search.begin) return {};
  return {static_cast<const char*>(begin), end - search.begin};
}

}  // namespace tiletune::emulator
