// The rows of testdata/block_swizzle_golden.csv, for the tests beside it.
//
// The rows were computed by the original CATLASS header on a host: each hashes
// what a launch over all batches sees, task by task.
//
//   for (const GoldenRow& row : ReadGoldenRows("identity")) {
//     VisitHash hash;
//     for (uint32_t t = 0; t < row.tasks; ++t) hash.Add(coord.m());
//     EXPECT_EQ(hash.value(), row.fnv1a64);
//   }
#ifndef TILETUNE_SCHEDULER_BLOCK_SWIZZLE_GOLDEN_H_
#define TILETUNE_SCHEDULER_BLOCK_SWIZZLE_GOLDEN_H_

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scheduler/gemm_coord.h"

namespace tiletune {

struct GoldenRow {
  std::string kind;
  GemmCoord problem;
  GemmCoord tile;
  uint32_t batches = 0;
  uint32_t swizzle_offset = 0;
  uint32_t swizzle_direction = 0;
  uint32_t split_k = 0;
  uint32_t tasks = 0;
  uint64_t fnv1a64 = 0;
};

// FNV-1a over little-endian 32-bit words. The offset basis is the decimal
// 1469598103934665603, one digit short of the usual one, as in the file.
class VisitHash {
 public:
  void Add(uint32_t word) {
    for (int byte = 0; byte < 4; ++byte) {
      value_ = (value_ ^ ((word >> (8 * byte)) & 0xff)) * 1099511628211u;
    }
  }
  void Add(const GemmCoord& coord) {
    Add(coord.m());
    Add(coord.n());
    Add(coord.k());
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 1469598103934665603u;
};

// The rows of `kind` ("identity" or "split_k"); none if the file is missing.
inline std::vector<GoldenRow> ReadGoldenRows(const std::string& kind) {
  std::ifstream file("scheduler/testdata/block_swizzle_golden.csv");
  std::vector<GoldenRow> rows;
  std::string line;
  std::getline(file, line);  // The names of the columns.
  while (std::getline(file, line)) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    GoldenRow row;
    fields >> row.kind >> row.problem.m() >> row.problem.n() >>
        row.problem.k() >> row.tile.m() >> row.tile.n() >> row.tile.k() >>
        row.batches >> row.swizzle_offset >> row.swizzle_direction >>
        row.split_k >> row.tasks >> std::hex >> row.fnv1a64;
    if (fields && row.kind == kind) rows.push_back(row);
  }
  return rows;
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_BLOCK_SWIZZLE_GOLDEN_H_
