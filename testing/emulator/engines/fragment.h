// What: a cell of a matrix, as the register-fragment maps return it.
// When: you move elements between registers and matrices.
//
// Example:
//   const MatrixCell cell = MmaAccumulatorCell(lane, 3);
//   d[cell.row * n + cell.column] = value;

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_FRAGMENT_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_FRAGMENT_H_

namespace tiletune::emulator {

struct MatrixCell {
  int row;
  int column;
};

constexpr bool operator==(MatrixCell a, MatrixCell b) {
  return a.row == b.row && a.column == b.column;
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_FRAGMENT_H_
