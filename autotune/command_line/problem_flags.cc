#include "autotune/command_line/problem_flags.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autotune/store/text_lines.h"

namespace tiletune {
namespace {

absl::Status SetEpilogue(const std::string& text, GemmProblem* p) {
  Epilogue& e = p->epilogue;
  for (const std::string& word : std::vector<std::string>(
           absl::StrSplit(text, absl::ByAnyChar(",;"), absl::SkipEmpty()))) {
    if (word == "none") continue;
    const bool is_bias = word.rfind("bias-", 0) == 0;
    const bool is_scale = word.rfind("scale-", 0) == 0;
    const bool is_activation =
        word == "relu" || word == "gelu" || word == "silu";
    if ((is_bias && e.bias != Bias::kNone) ||
        (is_scale && p->scaling != Scaling::kNone) ||
        (is_activation && e.activation != Activation::kNone)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--epilogue=", text, ": '", word,
          "' is one too many: at most one bias, scaling and activation"));
    }
    if (word == "c") {
      e.reads_c = true;
    } else if (word == "bias-row") {
      e.bias = Bias::kPerRow;
    } else if (word == "bias-column") {
      e.bias = Bias::kPerColumn;
    } else if (word == "relu") {
      e.activation = Activation::kRelu;
    } else if (word == "gelu") {
      e.activation = Activation::kGelu;
    } else if (word == "silu") {
      e.activation = Activation::kSilu;
    } else if (word == "amax") {
      e.amax = true;
    } else if (word == "scale-tensor") {
      p->scaling = Scaling::kPerTensor;
    } else if (word == "scale-row-column") {
      p->scaling = Scaling::kPerRowColumn;
    } else if (word == "scale-block128") {
      p->scaling = Scaling::kBlock128;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "--epilogue: '", word,
          "' is none of c, bias-row, bias-column, relu, gelu, silu, ",
          "scale-tensor, scale-row-column, scale-block128, amax, none"));
    }
  }
  return absl::OkStatus();
}

// "A,B,C,D" into four strides; trailing and empty fields stay packed.
absl::Status SetStrides(const char* flag, const std::string& text,
                        const std::vector<int64_t*>& strides) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<std::string> fields =
      absl::StrSplit(text, absl::ByAnyChar(",;"));
  if (fields.size() > strides.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "=", text, " has more than four fields"));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].empty()) continue;
    if (!absl::SimpleAtoi(fields[i], strides[i]) || *strides[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          flag, "=", text, ": '", fields[i], "' is no count of elements"));
    }
  }
  return absl::OkStatus();
}

absl::Status SetTypes(const Options& options, GemmProblem* p) {
  const absl::StatusOr<DataType> in = ParseDataType(options.dtype);
  if (!in.ok()) return Within(in.status(), "--dtype");
  p->a_type = p->b_type = *in;
  if (!options.out_dtype.empty()) {
    const absl::StatusOr<DataType> out = ParseDataType(options.out_dtype);
    if (!out.ok()) return Within(out.status(), "--out-dtype");
    p->d_type = *out;
  } else {
    p->d_type = BitsOf(*in) == 8 ? DataType::kBf16 : *in;
  }
  // C has the type of D; no 8-bit C is supported.
  p->c_type = BitsOf(p->d_type) == 8 ? DataType::kBf16 : p->d_type;
  const absl::StatusOr<Layout> layout = ParseLayout(options.layout);
  if (!layout.ok()) return Within(layout.status(), "--layout");
  p->layout = *layout;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GemmProblem> ProblemOf(const Shape& shape,
                                      const Options& options) {
  GemmProblem p;
  p.m = shape.m;
  p.n = shape.n;
  p.k = shape.k;
  p.batch = shape.batch;
  absl::Status status = SetTypes(options, &p);
  if (status.ok()) status = SetEpilogue(options.epilogue, &p);
  if (status.ok()) {
    status = SetStrides("--ld", options.ld, {&p.lda, &p.ldb, &p.ldc, &p.ldd});
  }
  if (status.ok()) {
    status = SetStrides("--batch-stride", options.batch_stride,
                        {&p.batch_stride_a, &p.batch_stride_b,
                         &p.batch_stride_c, &p.batch_stride_d});
  }
  if (status.ok()) status = Validate(p);
  if (!status.ok()) return status;
  return Normalized(p);
}

absl::Status CheckNoTypeFlag(const Options& options, const std::string& whose) {
  for (const char* flag :
       {"dtype", "out-dtype", "layout", "epilogue", "ld", "batch-stride"}) {
    if (options.given.count(flag) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": the problems of ", whose,
                     " say that themselves: leave it out, or name a --shape"));
  }
  return absl::OkStatus();
}

}  // namespace tiletune
