// Copies and fills between emulated device memory and the host.
//
//   cudaError_t error =
//       Copy(memory, to, from, bytes, cudaMemcpyHostToDevice);
//   bool device = IsDevicePointer(memory, pointer);
//   error = Fill(memory, pointer, 0, 1, bytes);
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_TRANSFER_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_TRANSFER_H_

#include <driver_types.h>

#include <cstddef>
#include <cstdint>

#include "testing/emulator/machine/global_memory.h"

namespace tiletune::emulator::runtime {

// Whether the byte at `pointer` lies in an allocation of the device. Pinned
// and managed memory lies there too, at the address that the host uses.
bool IsDevicePointer(GlobalMemory& memory, const void* pointer);

// Copies `bytes` between any two places. A device side that is not inside one
// allocation, or a side that is not where `kind` says, is
// cudaErrorInvalidValue. Between two places on the device, bytes that are
// uninitialised stay so.
cudaError_t Copy(GlobalMemory& memory, void* to, const void* from, size_t bytes,
                 cudaMemcpyKind kind);

// Sets `count` elements of `element_bytes` (1, 2, 4) from the low bytes of
// `value`. cudaErrorInvalidValue when they are not inside one allocation.
cudaError_t Fill(GlobalMemory& memory, void* to, uint32_t value,
                 int element_bytes, size_t count);

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_TRANSFER_H_
