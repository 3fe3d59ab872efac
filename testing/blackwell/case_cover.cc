#include "testing/blackwell/case_cover.h"

#include <algorithm>
#include <utility>

#include "testing/blackwell/pairwise.h"

namespace tiletune {
namespace {

// The factors, in the order of a row, and how many values each has.
enum Factor {
  kLayout,
  kTypes,
  kDType,
  kOffset,
  kDirection,
  kEpilogue,
  kScaling,
  kRowTail,
  kColumnTail,
  kDepth,
  kBatch,
  kStrides,
  kWaves,
  kSplit,
  kResidents,
  kInputs,
  kFactors,
};

std::vector<int> LevelsOf(const KernelVariant& v) {
  const bool is_8_bit = v.operand_bits == 8;
  std::vector<int> levels(kFactors);
  levels[kLayout] = 4;
  levels[kTypes] = is_8_bit ? 4 : 2;
  levels[kDType] = 5;
  levels[kOffset] = 3;
  levels[kDirection] = 2;
  levels[kEpilogue] = 6;
  levels[kScaling] = is_8_bit ? 3 : 1;
  levels[kRowTail] = 3;
  levels[kColumnTail] = 4;
  levels[kDepth] = 6;
  levels[kBatch] = 4;
  levels[kStrides] = 3;
  levels[kWaves] = 2;
  levels[kSplit] = 3;
  levels[kResidents] = 3;
  levels[kInputs] = 2;
  return levels;
}

void ChooseTypes(const KernelVariant& v, const std::vector<int>& row,
                 GemmProblem* p) {
  constexpr DataType k16Bit[] = {DataType::kBf16, DataType::kFp16};
  constexpr DataType k8Bit[] = {DataType::kFp8E4m3, DataType::kFp8E5m2};
  if (v.operand_bits == 16) {
    p->a_type = p->b_type = k16Bit[row[kTypes]];
  } else {
    p->a_type = k8Bit[row[kTypes] % 2];
    p->b_type = k8Bit[row[kTypes] / 2];
    p->scaling = static_cast<Scaling>(row[kScaling]);
  }
  p->d_type = static_cast<DataType>(row[kDType]);
}

// Rows and columns are those of the kernel: a swapped one has D transposed.
void ChooseSizes(const KernelVariant& v, const std::vector<int>& row,
                 GemmProblem* p) {
  const int64_t tile_m = v.tile_m * v.cluster_m;
  const int64_t tile_n = v.tile_n * v.cluster_n;
  const bool is_small = tile_m * tile_n <= 128 * 64;
  const bool is_large = tile_m * tile_n > 256 * 256;
  const bool many = row[kWaves] == 1;
  // Four at least, so that two accumulators are used twice by one cluster.
  const int64_t tiles_m = !many ? 1 : is_small ? 5 : is_large ? 2 : 3;
  const int64_t tiles_n = !many ? 1 : is_small ? 4 : 2;
  const int64_t row_tails[] = {0, tile_m - 1, 19};
  const int64_t column_tails[] = {0, tile_n - 8, 3, tile_n - 1};
  const int64_t rows = tiles_m * tile_m - row_tails[row[kRowTail]];
  const int64_t columns = tiles_n * tile_n - column_tails[row[kColumnTail]];
  p->m = v.swaps_operands ? columns : rows;
  p->n = v.swaps_operands ? rows : columns;
  // Nothing; less than an MMA; one stage; tails that TMA can and cannot
  // describe; more stages than the ring has slots.
  const int64_t depths[] = {0,
                            8,
                            v.tile_k,
                            3 * v.tile_k - 16,
                            2 * v.tile_k + 5,
                            (v.stages + 2) * int64_t{v.tile_k}};
  p->k = depths[row[kDepth]];
}

void ChooseBatch(const std::vector<int>& row, GemmProblem* p) {
  switch (row[kBatch]) {
    case 1:
      p->batch = 3;
      break;
    case 2:
      p->batch = 2;
      p->batch_stride_a = 0;
      break;
    case 3:
      p->batch = 2;
      p->batch_stride_b = 0;
      break;
  }
}

void ChooseStrides(const std::vector<int>& row, GemmProblem* p) {
  if (row[kStrides] != 1) return;
  const bool a_k = AIsKMajor(p->layout), b_k = BIsKMajor(p->layout);
  p->lda = std::max<int64_t>(1, a_k ? p->k : p->m) + 16;
  p->ldb = std::max<int64_t>(1, b_k ? p->k : p->n) + 24;
  p->ldd = p->n + 8;
  if (p->batch_stride_a != 0)
    p->batch_stride_a = p->lda * std::max(p->m, p->k) + 32;
  p->batch_stride_d = p->ldd * p->m + 64;
}

// Pointers that are aligned to their elements only.
void ChooseAlignment(const std::vector<int>& row, GemmProblem* p) {
  if (row[kStrides] != 2) return;
  int bytes =
      std::max({BytesOf(p->a_type), BytesOf(p->b_type), BytesOf(p->d_type)});
  if (p->epilogue.reads_c) bytes = std::max(bytes, BytesOf(p->c_type));
  if (p->epilogue.bias != Bias::kNone) {
    bytes = std::max(bytes, BytesOf(BiasType(*p)));
  }
  p->pointer_alignment = bytes;
}

void ChooseEpilogue(const std::vector<int>& row, KernelCase* c) {
  GemmProblem& p = c->problem;
  Epilogue& e = p.epilogue;
  const bool d_is_8_bit = BitsOf(p.d_type) == 8;
  p.c_type = d_is_8_bit ? DataType::kBf16 : p.d_type;
  switch (row[kEpilogue]) {
    case 1:
      e.reads_c = true;
      c->alpha = 2;
      c->beta = -1;
      p.c_type = DataType::kFp32;
      break;
    case 2:
      e.bias = Bias::kPerRow;
      e.activation = Activation::kRelu;
      break;
    case 3:
      e.bias = Bias::kPerColumn;
      e.activation = Activation::kGelu;
      c->alpha = 0.125f;
      break;
    case 4:
      e.reads_c = true;
      e.bias = Bias::kPerColumn;
      e.activation = Activation::kSilu;
      c->alpha = 0.25f;
      c->beta = 0.5f;
      c->scalars_on_device = true;
      break;
    case 5:
      e.reads_c = true;
      e.bias = Bias::kPerRow;
      c->beta = 2;
      c->in_place = !d_is_8_bit;
      break;
  }
  if (d_is_8_bit && row[kEpilogue] % 2 == 0) {
    e.amax = true;
    c->has_d_scale = true;
  }
}

KernelCase CaseOf(const KernelVariant& v, const std::vector<int>& row) {
  KernelCase c;
  c.variant = &v;
  GemmProblem& p = c.problem;
  p.layout = static_cast<Layout>(row[kLayout]);
  ChooseTypes(v, row, &p);
  ChooseSizes(v, row, &p);
  ChooseBatch(row, &p);
  ChooseStrides(row, &p);
  ChooseEpilogue(row, &c);
  ChooseAlignment(row, &p);
  p = Normalized(p);
  if (c.in_place) {
    p.ldc = p.ldd;
    p.batch_stride_c = p.batch_stride_d;
  }
  constexpr uint32_t kOffsets[] = {1, 3, 8};
  c.offset = kOffsets[row[kOffset]];
  c.direction = static_cast<SwizzleDirection>(row[kDirection]);
  const int64_t k_tiles = (p.k + v.tile_k - 1) / v.tile_k;
  c.split_k = static_cast<uint32_t>(
      std::max<int64_t>(1, std::min<int64_t>(row[kSplit] + 1, k_tiles)));
  constexpr int kResident[] = {1, 2, 5};
  c.resident_clusters = kResident[row[kResidents]];
  c.has_random_inputs = row[kInputs] == 1;
  c.refusal_rate = v.supply == SupplyKind::kClc ? 0.1 : 0;
  return c;
}

}  // namespace

std::vector<KernelCase> CaseCover(const KernelVariant& variant, uint64_t seed) {
  std::vector<KernelCase> cases;
  for (const std::vector<int>& row : PairwiseCover(LevelsOf(variant), seed)) {
    cases.push_back(CaseOf(variant, row));
    cases.back().seed = seed * 1000 + cases.size();
  }
  return cases;
}

}  // namespace tiletune
