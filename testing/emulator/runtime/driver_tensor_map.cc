// Tensor maps of the CUDA driver API, in the emulator's own encoding.
#include <string>

#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/runtime/driver_call.h"

using tiletune::emulator::CheckTensorMap;
using tiletune::emulator::EncodeTensorMap;
using tiletune::emulator::Im2colNotModelled;
using tiletune::emulator::kTensorMapBytes;
using tiletune::emulator::kTensorMapMaxRank;
using tiletune::emulator::ReplaceTensorMapField;
using tiletune::emulator::SwizzleFromDriver;
using tiletune::emulator::TensorMap;
using tiletune::emulator::TensorMapField;
using tiletune::emulator::TensorMapFill;
using tiletune::emulator::TensorMapInterleave;
using tiletune::emulator::TensorMapL2Promotion;
using tiletune::emulator::TensorMapType;
using namespace tiletune::emulator::runtime;  // NOLINT: the entry points

static_assert(sizeof(CUtensorMap) == kTensorMapBytes);

namespace {

// The first thing that is wrong, if any, is said.
cudaError_t Refuse(Session& session, const std::string& call,
                   const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) {
    session.Say(call + ": " + finding);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(
    CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
    const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
    const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return DriverCall([&](Session& session) -> cudaError_t {
    if (to == nullptr || rank < 1 || rank > kTensorMapMaxRank ||
        dims == nullptr || (rank > 1 && strides == nullptr) || box == nullptr ||
        element_strides == nullptr) {
      return cudaErrorInvalidValue;
    }
    TensorMap map;
    map.type = static_cast<TensorMapType>(type);
    map.rank = static_cast<int>(rank);
    map.address = reinterpret_cast<uint64_t>(address);
    for (size_t i = 0; i < rank; ++i) {
      map.dims[i] = dims[i];
      map.box[i] = box[i];
      map.element_strides[i] = element_strides[i];
      if (i + 1 < rank) map.strides[i] = strides[i];
    }
    map.interleave = static_cast<TensorMapInterleave>(interleave);
    map.l2_promotion = static_cast<TensorMapL2Promotion>(promotion);
    map.fill = static_cast<TensorMapFill>(fill);
    if (!SwizzleFromDriver(static_cast<uint32_t>(swizzle), &map.swizzle)) {
      return cudaErrorInvalidValue;
    }
    const auto findings = CheckTensorMap(map);
    if (!findings.empty()) {
      return Refuse(session, "cuTensorMapEncodeTiled", findings);
    }
    EncodeTensorMap(map, reinterpret_cast<uint8_t*>(to));
    return cudaSuccess;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return DriverCall([&](Session& session) -> cudaError_t {
    const auto findings = ReplaceTensorMapField(
        TensorMapField::kGlobalAddress, 0, reinterpret_cast<uint64_t>(address),
        reinterpret_cast<uint8_t*>(map));
    if (findings.empty()) return cudaSuccess;
    return Refuse(session, "cuTensorMapReplaceAddress", findings);
  });
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, cuuint32_t,
                                 void*, const cuuint64_t*, const cuuint64_t*,
                                 const int*, const int*, cuuint32_t, cuuint32_t,
                                 const cuuint32_t*, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
  return DriverCall([](Session& session) {
    Refuse(session, "cuTensorMapEncodeIm2col", Im2colNotModelled());
    return cudaErrorNotSupported;
  });
}

}  // extern "C"
