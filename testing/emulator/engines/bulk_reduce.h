// What: the element-wise reductions of bulk copies into global memory.
// When: you execute cp.reduce.async.bulk or cp.reduce.async.bulk.tensor.
//
// Example:
//   ReduceType type;
//   std::string why;
//   if (!ReduceTypeOf(map.type, ReduceOp::kAdd, &type, &why)) return
//   Error(why); Reduce(ReduceOp::kAdd, type, shared, global, bytes);

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_BULK_REDUCE_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_BULK_REDUCE_H_

#include <cstdint>
#include <string>

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {

// The `.redOp` qualifiers.
enum class ReduceOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

// Element types of cp.reduce.async.bulk; tensor reductions map to these.
enum class ReduceType : uint8_t {
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kBf16,
  kF32,  // keeps subnormals
  kF64,
  kB32,
  kB64,
  kF32Ftz,  // of tensor maps alone: flushes them
};

// Bytes of one element.
int ReduceElementBytes(ReduceType type);

// The element type that a tensor map's type reduces as with `op`; false with
// a sentence in *why for combinations outside the table of PTX ISA
// 9.7.9.25.5.3.
bool ReduceTypeOf(TensorMapType type, ReduceOp op, ReduceType* reduce_type,
                  std::string* why);

// destination[i] = destination[i] op source[i]. `bytes` is a multiple of the
// element size. add of floating point rounds to nearest even. It keeps
// subnormals, as an H200 does, though PTX ISA 9.7.9.25.4.2 says that .f32
// flushes them; only kF32Ftz does. f16 and bf16 min and max return the other
// operand for NaN. inc and dec are those of `atom` with the source as limit
// (PTX ISA 9.7.13.5).
void Reduce(ReduceOp op, ReduceType type, const uint8_t* source,
            uint8_t* destination, uint32_t bytes);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_BULK_REDUCE_H_
