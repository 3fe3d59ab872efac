#include "testing/emulator/engines/matrix_load_store.h"

#include <string>

namespace tiletune::emulator {

Findings CheckMatrixAccess(const MatrixAccess& access, bool is_store) {
  Findings findings;
  const std::string name = is_store ? "stmatrix" : "ldmatrix";
  const MatrixShape shape = access.shape;
  const bool exists = shape == MatrixShape::kM8N8B16 ||
                      (shape == MatrixShape::kM16N8B8) == is_store;
  if (!exists) {
    findings.push_back(name + " does not have this shape.");
    return findings;
  }
  const int most = shape == MatrixShape::kM16N16B8 ? 2 : 4;
  if ((access.num != 1 && access.num != 2 && access.num != 4) ||
      access.num > most) {
    findings.push_back(name + " does not have .x" + std::to_string(access.num) +
                       " for this shape.");
  }
  const bool must =
      shape == MatrixShape::kM16N16B8 || shape == MatrixShape::kM16N8B8;
  if (must && !access.transposed) {
    findings.push_back(name + " of this shape must be .trans.");
  }
  if (shape == MatrixShape::kM8N16 && access.transposed) {
    findings.push_back("ldmatrix .m8n16 cannot be .trans.");
  }
  return findings;
}

int MatrixRegisters(const MatrixAccess& access) {
  return access.num * (access.shape == MatrixShape::kM16N16B8 ? 2 : 1);
}

int MatrixElementsPerRegister(const MatrixAccess& access) {
  return access.shape == MatrixShape::kM8N8B16 ? 2 : 4;
}

int MatrixAddressLanes(const MatrixAccess& access) {
  return access.num * (access.shape == MatrixShape::kM16N16B8 ? 16 : 8);
}

MatrixSource MatrixElement(const MatrixAccess& access, int lane, int reg,
                           int element) {
  const int group = lane / 4;
  const int member = lane % 4;
  switch (access.shape) {
    case MatrixShape::kM8N8B16:
      if (access.transposed) return {8 * reg + 2 * member + element, 2 * group};
      return {8 * reg + group, 2 * (2 * member + element)};
    case MatrixShape::kM8N16:
      return {8 * reg + group, 4 * member + element};
    case MatrixShape::kM16N16B8: {
      // Elements 0, 1 are column `group` of two rows, elements 2, 3 column
      // group + 8 of the same rows; the second register has the next two rows.
      const int row = 4 * member + 2 * (reg % 2) + element % 2;
      return {16 * (reg / 2) + row, group + 8 * (element / 2)};
    }
    case MatrixShape::kM16N8B8:
      return {8 * reg + 2 * member + element % 2, group + 8 * (element / 2)};
  }
  return {0, 0};
}

}  // namespace tiletune::emulator
