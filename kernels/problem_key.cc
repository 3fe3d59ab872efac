// The text form of a problem: names, ProblemKey, ParseProblemKey.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/problem.h"

namespace tiletune {
namespace {

// Indexed by the enumerator.
constexpr std::array<std::string_view, 5> kDataTypes = {"bf16", "fp16", "fp32",
                                                        "e4m3", "e5m2"};
constexpr std::array<std::string_view, 4> kLayouts = {"TN", "NN", "NT", "TT"};
constexpr std::array<std::string_view, 4> kActivations = {"none", "relu",
                                                          "gelu", "silu"};
constexpr std::array<std::string_view, 3> kBiases = {"none", "row", "column"};
constexpr std::array<std::string_view, 4> kScalings = {"none", "tensor",
                                                       "rowcolumn", "block128"};

template <typename Enum, size_t kCount>
std::string_view NameIn(const std::array<std::string_view, kCount>& names,
                        Enum value) {
  const size_t index = static_cast<size_t>(value);
  return index < kCount ? names[index] : "unknown";
}

template <typename Enum, size_t kCount>
absl::StatusOr<Enum> ParseIn(const std::array<std::string_view, kCount>& names,
                             const char* what, std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  std::string known;
  for (size_t i = 0; i < kCount; ++i) {
    absl::StrAppend(&known, i == 0 ? "" : ", ", std::string(names[i]));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown ", what, " \"", std::string(name), "\"; there are ", known));
}

// Sets *field to the parsed value, or returns why not.
template <typename T>
absl::Status Assign(absl::StatusOr<T> parsed, T* field) {
  if (!parsed.ok()) return parsed.status();
  *field = *parsed;
  return absl::OkStatus();
}

// The parts between separators. Views of `text`: programs start with tens of
// thousands of keys, and strings of their own would take most of the time.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  parts.reserve(8);
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

absl::Status Invalid(std::string_view text, const char* what) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", std::string(text), "\" is not ", what));
}

// Decimal digits only: a key has one spelling.
bool ParseCount(std::string_view text, int64_t* value) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && parsed == end;
}

absl::Status ParseShape(std::string_view text, GemmProblem* p) {
  const std::vector<std::string_view> sizes = Split(text, 'x');
  int64_t* const fields[] = {&p->m, &p->n, &p->k, &p->batch};
  bool ok = sizes.size() == 3 || sizes.size() == 4;
  for (size_t i = 0; ok && i < sizes.size(); ++i) {
    ok = ParseCount(sizes[i], fields[i]);
  }
  if (ok) return absl::OkStatus();
  return Invalid(text, "a shape MxNxK or MxNxKxBATCH");
}

absl::Status ParseOperandTypes(std::string_view text, GemmProblem* p) {
  const std::vector<std::string_view> types = Split(text, '*');
  if (types.size() > 2) return Invalid(text, "a type or two joined by *");
  absl::Status status = Assign(ParseDataType(types.front()), &p->a_type);
  if (!status.ok()) return status;
  return Assign(ParseDataType(types.back()), &p->b_type);
}

absl::Status ParseOption(std::string_view option, GemmProblem* p) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos
                                     ? std::string_view()
                                     : option.substr(equals + 1);
  if (option == "amax") {
    p->epilogue.amax = true;
    return absl::OkStatus();
  }
  if (name == "c") {
    p->epilogue.reads_c = true;
    return Assign(ParseDataType(value), &p->c_type);
  }
  if (name == "scales") return Assign(ParseScaling(value), &p->scaling);
  if (name == "bias") return Assign(ParseBias(value), &p->epilogue.bias);
  if (name == "act") {
    return Assign(ParseActivation(value), &p->epilogue.activation);
  }
  int64_t count = 0;
  if (!ParseCount(value, &count)) {
    return Invalid(option, "an option of a problem");
  }
  if (name == "align") {
    if (count > 16) {
      return absl::InvalidArgumentError("align must be at most 16");
    }
    p->pointer_alignment = static_cast<int32_t>(count);
    return absl::OkStatus();
  }
  const std::pair<const char*, int64_t*> strides[] = {
      {"lda", &p->lda},           {"ldb", &p->ldb},
      {"ldc", &p->ldc},           {"ldd", &p->ldd},
      {"sa", &p->batch_stride_a}, {"sb", &p->batch_stride_b},
      {"sc", &p->batch_stride_c}, {"sd", &p->batch_stride_d}};
  for (const auto& [stride_name, field] : strides) {
    if (name != stride_name) continue;
    *field = count;
    return absl::OkStatus();
  }
  return Invalid(option, "an option of a problem");
}

}  // namespace

int BitsOf(DataType type) {
  switch (type) {
    case DataType::kBf16:
    case DataType::kFp16:
      return 16;
    case DataType::kFp32:
      return 32;
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
      return 8;
  }
  return 8;
}

std::string_view Name(DataType type) { return NameIn(kDataTypes, type); }
std::string_view Name(Layout layout) { return NameIn(kLayouts, layout); }
std::string_view Name(Activation activation) {
  return NameIn(kActivations, activation);
}
std::string_view Name(Bias bias) { return NameIn(kBiases, bias); }
std::string_view Name(Scaling scaling) { return NameIn(kScalings, scaling); }

absl::StatusOr<DataType> ParseDataType(std::string_view name) {
  return ParseIn<DataType>(kDataTypes, "data type", name);
}
absl::StatusOr<Layout> ParseLayout(std::string_view name) {
  return ParseIn<Layout>(kLayouts, "layout", name);
}
absl::StatusOr<Activation> ParseActivation(std::string_view name) {
  return ParseIn<Activation>(kActivations, "activation", name);
}
absl::StatusOr<Bias> ParseBias(std::string_view name) {
  return ParseIn<Bias>(kBiases, "bias", name);
}
absl::StatusOr<Scaling> ParseScaling(std::string_view name) {
  return ParseIn<Scaling>(kScalings, "scaling", name);
}

std::string ProblemKey(const GemmProblem& problem) {
  const GemmProblem p = Normalized(problem);
  std::string key = absl::StrCat(p.m, "x", p.n, "x", p.k);
  if (p.batch != 1) absl::StrAppend(&key, "x", p.batch);
  absl::StrAppend(&key, " ", std::string(Name(p.a_type)));
  if (p.b_type != p.a_type) {
    absl::StrAppend(&key, "*", std::string(Name(p.b_type)));
  }
  absl::StrAppend(&key, " ", std::string(Name(p.layout)), " -> ",
                  std::string(Name(p.d_type)));

  // What p would have if it said nothing of its leading dimensions, and what
  // of its batch strides.
  GemmProblem packed = p;
  packed.lda = packed.ldb = packed.ldc = packed.ldd = kPacked;
  packed = Normalized(packed);
  GemmProblem regular = p;
  regular.batch_stride_a = regular.batch_stride_b = kPacked;
  regular.batch_stride_c = regular.batch_stride_d = kPacked;
  regular = Normalized(regular);

  const auto stride = [&key](const char* name, int64_t value, int64_t usual) {
    if (value != usual) absl::StrAppend(&key, " ", name, "=", value);
  };
  stride("lda", p.lda, packed.lda);
  stride("ldb", p.ldb, packed.ldb);
  stride("ldd", p.ldd, packed.ldd);
  stride("sa", p.batch_stride_a, regular.batch_stride_a);
  stride("sb", p.batch_stride_b, regular.batch_stride_b);
  stride("sd", p.batch_stride_d, regular.batch_stride_d);
  if (p.epilogue.reads_c) {
    absl::StrAppend(&key, " c=", std::string(Name(p.c_type)));
    stride("ldc", p.ldc, packed.ldc);
    stride("sc", p.batch_stride_c, regular.batch_stride_c);
  }
  if (p.pointer_alignment != 16) {
    absl::StrAppend(&key, " align=", p.pointer_alignment);
  }
  const auto choice = [&key](const char* name, std::string_view value) {
    if (value != "none")
      absl::StrAppend(&key, " ", name, "=", std::string(value));
  };
  choice("scales", Name(p.scaling));
  choice("bias", Name(p.epilogue.bias));
  choice("act", Name(p.epilogue.activation));
  if (p.epilogue.amax) absl::StrAppend(&key, " amax");
  return key;
}

absl::StatusOr<GemmProblem> ParseProblemKey(std::string_view key) {
  std::vector<std::string_view> tokens = Split(key, ' ');
  tokens.erase(std::remove(tokens.begin(), tokens.end(), ""), tokens.end());
  if (tokens.size() < 5 || tokens[3] != "->") {
    return Invalid(
        key, "a problem; one looks like \"4096x7168x2048 bf16 TN -> bf16\"");
  }
  GemmProblem p;
  absl::Status status = ParseShape(tokens[0], &p);
  if (status.ok()) status = ParseOperandTypes(tokens[1], &p);
  if (status.ok()) status = Assign(ParseLayout(tokens[2]), &p.layout);
  if (status.ok()) status = Assign(ParseDataType(tokens[4]), &p.d_type);
  for (size_t i = 5; status.ok() && i < tokens.size(); ++i) {
    status = ParseOption(tokens[i], &p);
  }
  if (status.ok()) status = Validate(p);
  if (!status.ok()) return status;
  return Normalized(p);
}

}  // namespace tiletune
