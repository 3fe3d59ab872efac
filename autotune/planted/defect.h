// The defects that can be planted in a kernel. Shared with device code.
//
//   parameters.defect = Defect::kSkipsLastRows;
//   Launch(parameters);   // right, but for the last rows
#ifndef TILETUNE_AUTOTUNE_PLANTED_DEFECT_H_
#define TILETUNE_AUTOTUNE_PLANTED_DEFECT_H_

namespace tiletune {

enum class Defect : int {
  kNone,

  // Wrong results. The kernel ends well.
  kSkipsLastRows,      // the tail along M is not written
  kSkipsLastColumns,   // nor the one along N
  kSkipsLastKBlock,    // of 32
  kOneKTooMany,        // reads one element past each row's end
  kIgnoresBeta,        // C is left out
  kBetaIsOne,          // C counts twice
  kIgnoresBias,        // or
  kBiasOfWrongSide,    // the bias of the row, not of the column
  kForgetsActivation,  // a ReLU
  kWritesNothing,      // a stale output
  kWritesBefore,       // one element in front of D
  kWritesBehind,       // one element after its end
  kWritesBetween,      // into the gap between two rows
  kOneNan,             // one element
  kOffByOneColumn,     // every element one to the right
  kTransposedTile,     // rows and columns of one tile exchanged
  kSkipsOneTile,       // the third
  kOneTileTwice,       // the third tile holds the second's values
  kSkipsATileAtTimes,  // in one launch of ten
  kTearsAtTimes,     // in one launch of ten a row is half of what it should be
  kAddsToOldOutput,  // reads D before it writes it
  kSumsInBf16,       // loses the low bits of each partial sum
  kTruncates,        // instead of rounding to bf16
  kSwapsScales,      // those of rows for those of columns
  kBatchZeroOnly,    // reads the operands of batch 0 always
  kWrongAmax,        // half of it

  // Faults of the device.
  kHangs,           // until its time limit of 20 s
  kTakesSeconds,    // 6 of them
  kTraps,           // the trap instruction
  kIllegalAddress,  // a store to nowhere
  kMisaligned,      // a store of 8 bytes to an odd address
  kOverflowsStack,  // recursion without end
  // Faults of the process that launches.
  kOutOfMemory,
  kAborts,
  kExits,
  kSegfaults,
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_PLANTED_DEFECT_H_
