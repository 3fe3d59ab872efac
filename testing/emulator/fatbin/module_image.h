// The PTX of what programs hand to the runtime as device code.
//
// Use it on a pointer of unknown extent: __cudaRegisterFatBinary's wrapper, the
// image of cuModuleLoadData.
//
//   absl::StatusOr<std::string> ptx = PtxOfImage(wrapper, 100);  // a B200
//   if (!ptx.ok()) std::cerr << ptx.status().message();
//   auto module = device.Load(*ptx);
#ifndef TILETUNE_TESTING_EMULATOR_FATBIN_MODULE_IMAGE_H_
#define TILETUNE_TESTING_EMULATOR_FATBIN_MODULE_IMAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tiletune::emulator {

// `image` is a fat binary, the wrapper of one (fatbinary_section.h of the CUDA
// Toolkit), or PTX text that ends with a zero byte or after `limit` bytes.
// Reads no more than those of it, and never past the memory that ReadableFrom
// finds, whatever its headers say. NotFound when there is no PTX for compute
// capability `capability` (100 for 10.0), InvalidArgument when the image is
// damaged.
absl::StatusOr<std::string> PtxOfImage(const void* image, int capability,
                                       uint64_t limit = UINT64_MAX);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FATBIN_MODULE_IMAGE_H_
