// How much of this process's memory can be read from an address on.
//
// Use it before following a pointer whose extent is only claimed by the bytes
// it points to, as a fat binary's is.
//
//   std::string_view bytes = ReadableFrom(pointer);
//   if (bytes.size() < 16) return NotAnImage();
//   // bytes.data() == pointer; every byte can be read.
#ifndef TILETUNE_TESTING_EMULATOR_FATBIN_READABLE_MEMORY_H_
#define TILETUNE_TESTING_EMULATOR_FATBIN_READABLE_MEMORY_H_

#include <string_view>

namespace tiletune::emulator {

// From `begin` to the end of the loaded segment that holds it (of a program or
// library, dl_iterate_phdr(3)) or, for memory that no file brought, of the
// readable mappings around it (/proc/self/maps, proc(5)). Empty when `begin`
// is null, or nothing readable is known to be there.
std::string_view ReadableFrom(const void* begin);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FATBIN_READABLE_MEMORY_H_
