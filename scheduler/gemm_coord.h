// GemmCoord and MatrixCoord: 32-bit coordinates, in elements or in tiles.
//
// Use them with block_swizzle.h, whose interface they belong to; the rest of
// the library uses TileCoord (order.h). The names are those of CATLASS.
//
//   GemmCoord problem(1000, 512, 4096);           // m, n, k
//   MatrixCoord tile(128, 256);                   // row, column
//   MatrixCoord loops = CeilDiv(problem.GetCoordMN(), tile);
//   uint32_t rows_of_tiles = loops.row();
#ifndef TILETUNE_SCHEDULER_GEMM_COORD_H_
#define TILETUNE_SCHEDULER_GEMM_COORD_H_

#include <cstdint>

#include "scheduler/order.h"

namespace tiletune {

// A (row, column) pair; (0, 0) by default.
class MatrixCoord {
 public:
  constexpr MatrixCoord() = default;
  TILETUNE_HD constexpr MatrixCoord(uint32_t row, uint32_t column)
      : row_(row), column_(column) {}

  TILETUNE_HD constexpr uint32_t row() const { return row_; }
  TILETUNE_HD constexpr uint32_t& row() { return row_; }
  TILETUNE_HD constexpr uint32_t column() const { return column_; }
  TILETUNE_HD constexpr uint32_t& column() { return column_; }

 private:
  uint32_t row_ = 0;
  uint32_t column_ = 0;
};

TILETUNE_HD constexpr bool operator==(const MatrixCoord& a,
                                      const MatrixCoord& b) {
  return a.row() == b.row() && a.column() == b.column();
}

// An (m, n, k) triple; (0, 0, 0) by default.
class GemmCoord {
 public:
  constexpr GemmCoord() = default;
  TILETUNE_HD constexpr GemmCoord(uint32_t m, uint32_t n, uint32_t k)
      : m_(m), n_(n), k_(k) {}

  TILETUNE_HD constexpr uint32_t m() const { return m_; }
  TILETUNE_HD constexpr uint32_t& m() { return m_; }
  TILETUNE_HD constexpr uint32_t n() const { return n_; }
  TILETUNE_HD constexpr uint32_t& n() { return n_; }
  TILETUNE_HD constexpr uint32_t k() const { return k_; }
  TILETUNE_HD constexpr uint32_t& k() { return k_; }

  // (m, n) as (row, column).
  TILETUNE_HD constexpr MatrixCoord GetCoordMN() const {
    return MatrixCoord(m_, n_);
  }

 private:
  uint32_t m_ = 0;
  uint32_t n_ = 0;
  uint32_t k_ = 0;
};

TILETUNE_HD constexpr bool operator==(const GemmCoord& a, const GemmCoord& b) {
  return a.m() == b.m() && a.n() == b.n() && a.k() == b.k();
}

// Rounded-up quotients by component; a quotient by 0 is 0, so that a tile of
// no extent gives no tiles rather than a trap.
TILETUNE_HD constexpr MatrixCoord CeilDiv(const MatrixCoord& dividend,
                                          const MatrixCoord& divisor) {
  return MatrixCoord(
      divisor.row() == 0 ? 0 : CeilDiv(dividend.row(), divisor.row()),
      divisor.column() == 0 ? 0 : CeilDiv(dividend.column(), divisor.column()));
}

TILETUNE_HD constexpr GemmCoord CeilDiv(const GemmCoord& dividend,
                                        const GemmCoord& divisor) {
  const MatrixCoord mn = CeilDiv(dividend.GetCoordMN(), divisor.GetCoordMN());
  return GemmCoord(mn.row(), mn.column(),
                   divisor.k() == 0 ? 0 : CeilDiv(dividend.k(), divisor.k()));
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_GEMM_COORD_H_
