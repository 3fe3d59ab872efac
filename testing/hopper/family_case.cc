#include "testing/hopper/family_case.h"

#include <utility>

#include "kernels/tiling.h"

namespace tiletune {
namespace {

// Builds the cases of one variant.
class Cases {
 public:
  explicit Cases(const KernelVariant& variant) : v_(variant) {}

  std::vector<FamilyCase> Make() {
    AddOperands();
    AddSizes();
    AddEpilogues();
    AddSchedules();
    if (IsFp8() && !IsBlockScaled()) AddScales();
    return std::move(cases_);
  }

 private:
  bool IsFp8() const { return v_.operand_bits == 8; }
  bool IsBlockScaled() const {
    return (v_.scaling_mask >> static_cast<int>(Scaling::kBlock128) & 1) != 0;
  }
  DataType Type() const {
    return IsFp8() ? DataType::kFp8E4m3 : DataType::kBf16;
  }

  // One tile and a part of another each way.
  int64_t M() const { return (v_.swaps_operands ? v_.tile_n : v_.tile_m) + 40; }
  int64_t N() const { return (v_.swaps_operands ? v_.tile_m : v_.tile_n) + 24; }

  GemmProblem Plain(int64_t k, Layout layout = Layout::kTN) const {
    GemmProblem p;
    p.m = M();
    p.n = N();
    p.k = k;
    p.layout = layout;
    p.a_type = p.b_type = Type();
    if (IsBlockScaled()) p.scaling = Scaling::kBlock128;
    return p;
  }

  // The reference stays valid until the next case.
  FamilyCase& Add(std::string name, const GemmProblem& problem) {
    FamilyCase c;
    c.name = std::move(name);
    c.problem = Normalized(problem);
    c.config.variant = &v_;
    c.config.swizzle_offset = 2;
    cases_.push_back(std::move(c));
    return cases_.back();
  }

  void AddOperands() {
    const std::vector<DataType> types =
        IsFp8() ? std::vector<DataType>{DataType::kFp8E4m3, DataType::kFp8E5m2}
                : std::vector<DataType>{DataType::kBf16, DataType::kFp16};
    for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
      for (DataType a : types) {
        for (DataType b : types) {
          if (!IsFp8() && a != b) continue;
          // For fp8 the layout is only a matter of the repack.
          if (IsFp8() && layout != Layout::kTN && a == b) continue;
          GemmProblem p = Plain(v_.tile_k + 72, layout);
          p.a_type = a;
          p.b_type = b;
          p.d_type = a == DataType::kFp16 ? a : DataType::kBf16;
          Add(std::string(Name(layout)) + "_" + std::string(Name(a)) + "_" +
                  std::string(Name(b)),
              p);
        }
      }
    }
  }

  void AddSizes() {
    Add("long_k", Plain(int64_t{v_.tile_k} * (v_.stages + 2) + 16));
    GemmProblem p = Plain(0);
    p.epilogue.reads_c = true;
    Add("no_k", p).beta = 3;
    p = Plain(1);
    p.m = p.n = 1;
    Add("one_element", p);
    // Rows that TMA cannot read or write as they lie.
    for (Layout layout : {Layout::kTN, Layout::kNT}) {
      p = Plain(v_.tile_k + 9, layout);
      ++p.m;
      ++p.n;
      Add("odd_" + std::string(Name(layout)), p);
      p.lda = 1024 + 8;
      p.ldb = 1024 + 16;
      p.ldd = 1024 + 24;
      p.pointer_alignment = IsFp8() ? 8 : 2;
      Add("misaligned_" + std::string(Name(layout)), p);
    }
  }

  void AddEpilogues() {
    GemmProblem p = Plain(72);
    p.d_type = DataType::kFp32;
    p.epilogue.reads_c = true;
    p.c_type = DataType::kBf16;
    p.epilogue.bias = Bias::kPerRow;
    p.epilogue.activation = Activation::kRelu;
    FamilyCase& fp32 = Add("fp32_c_bias_relu", p);
    fp32.alpha = 2;
    fp32.beta = -1;
    p = Plain(72);
    p.n += 1;
    p.d_type = DataType::kFp16;
    p.epilogue.bias = Bias::kPerColumn;
    Add("fp16_bias", p);
    p = Plain(72);
    p.epilogue.reads_c = true;
    Add("bf16_c", p).beta = 1;
  }

  void AddSchedules() {
    GemmProblem p = Plain(136);
    p.batch = 3;
    p.batch_stride_b = 0;
    Add("batch", p);
    FamilyCase& split = Add("split_k", Plain(4 * v_.tile_k + 8));
    split.config.split_k = 3;
    // More tiles than workers, the other direction, several tiles in flight.
    p = Plain(2 * v_.tile_k + 8);
    p.m *= 2;
    p.n *= 2;
    FamilyCase& few = Add("few_workers", p);
    few.config.swizzle_direction = SwizzleDirection::kNz;
    few.config.swizzle_offset = 3;
    few.config.max_sms = static_cast<uint32_t>(3 * ClusterSize(v_));
    few.config.split_k = 2;
  }

  void AddScales() {
    for (Scaling scaling : {Scaling::kPerTensor, Scaling::kPerRowColumn}) {
      GemmProblem p = Plain(256);
      p.scaling = scaling;
      Add("scaled_" + std::string(Name(scaling)), p);
    }
  }

  const KernelVariant& v_;
  std::vector<FamilyCase> cases_;
};

}  // namespace

std::vector<FamilyCase> FamilyCasesOf(const KernelVariant& variant) {
  return Cases(variant).Make();
}

}  // namespace tiletune
