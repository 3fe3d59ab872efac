#include "kernels/launch/argument_checks.h"

#include <cstdint>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "kernels/launch/operand_spans.h"

namespace tiletune {
namespace {

struct Pointer {
  const char* name;
  const void* value;
};

bool IsAligned(const void* pointer, size_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status CheckNotNull(const GemmProblem& p, const GemmArguments& args) {
  if (args.d == nullptr) return Invalid("d is null");
  if (p.k > 0 && args.a == nullptr) return Invalid("a is null");
  if (p.k > 0 && args.b == nullptr) return Invalid("b is null");
  if (p.epilogue.reads_c && args.c == nullptr) {
    return Invalid("the problem reads C, and c is null");
  }
  if (p.epilogue.bias != Bias::kNone && args.bias == nullptr) {
    return Invalid("the problem has a bias, and bias is null");
  }
  if (p.scaling != Scaling::kNone &&
      (args.scale_a == nullptr || args.scale_b == nullptr)) {
    return Invalid("the problem has scales, and scale_a or scale_b is null");
  }
  if (p.epilogue.amax && args.amax_d == nullptr) {
    return Invalid("the problem asks for amax, and amax_d is null");
  }
  return absl::OkStatus();
}

// Values that the problem would silently leave unread.
absl::Status CheckUnused(const GemmProblem& p, const GemmArguments& args) {
  if (!p.epilogue.reads_c &&
      (args.beta != 0.0f || args.beta_device != nullptr)) {
    return Invalid("beta is set, but the problem does not read C");
  }
  if (args.scale_d != nullptr && BitsOf(p.d_type) != 8) {
    return Invalid("scale_d is for an 8-bit D only");
  }
  return absl::OkStatus();
}

absl::Status CheckAligned(const GemmProblem& p, const GemmArguments& args) {
  for (const Pointer& pointer :
       {Pointer{"a", args.a}, Pointer{"b", args.b}, Pointer{"c", args.c},
        Pointer{"d", args.d}, Pointer{"bias", args.bias}}) {
    if (!IsAligned(pointer.value, static_cast<size_t>(p.pointer_alignment))) {
      return Invalid(pointer.name, " is not aligned to the problem's ",
                     p.pointer_alignment, " bytes");
    }
  }
  for (const Pointer& pointer :
       {Pointer{"alpha_device", args.alpha_device},
        Pointer{"beta_device", args.beta_device},
        Pointer{"scale_a", args.scale_a}, Pointer{"scale_b", args.scale_b},
        Pointer{"scale_d", args.scale_d}, Pointer{"amax_d", args.amax_d}}) {
    if (!IsAligned(pointer.value, sizeof(float))) {
      return Invalid(pointer.name, " is not aligned to 4 bytes");
    }
  }
  if (p.scaling != Scaling::kBlock128) return absl::OkStatus();
  for (const Pointer& pointer :
       {Pointer{"scale_a", args.scale_a}, Pointer{"scale_b", args.scale_b}}) {
    if (!IsAligned(pointer.value, 16)) {
      return Invalid(pointer.name, ", of blocks, is not aligned to 16 bytes");
    }
  }
  return absl::OkStatus();
}

// Whether C is D itself, element by element.
bool IsInPlace(const GemmProblem& p, const GemmArguments& args) {
  return args.c == args.d && p.c_type == p.d_type && p.ldc == p.ldd &&
         (p.batch <= 1 || p.batch_stride_c == p.batch_stride_d);
}

absl::Status CheckDisjoint(const GemmProblem& p, const GemmArguments& args) {
  const OperandSpan d = SpanOfD(p, args.d);
  if (Overlap(d, SpanOfA(p, args.a))) return Invalid("d overlaps a");
  if (Overlap(d, SpanOfB(p, args.b))) return Invalid("d overlaps b");
  if (p.epilogue.reads_c && !IsInPlace(p, args) &&
      Overlap(d, SpanOfC(p, args.c))) {
    return Invalid("d overlaps c without being the same matrix");
  }
  if (p.epilogue.bias != Bias::kNone) {
    const int64_t elements = p.epilogue.bias == Bias::kPerRow ? p.m : p.n;
    if (Overlap(d, SpanOfBytes(args.bias, elements * BytesOf(BiasType(p))))) {
      return Invalid("d overlaps bias");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckArguments(const GemmProblem& p, const GemmArguments& args) {
  absl::Status status = CheckNotNull(p, args);
  if (status.ok()) status = CheckUnused(p, args);
  if (status.ok()) status = CheckAligned(p, args);
  if (status.ok()) status = CheckDisjoint(p, args);
  return status;
}

absl::Status CheckWorkspace(const GemmProblem& p, const GemmArguments& args,
                            const void* workspace, size_t bytes,
                            size_t needed) {
  if (needed == 0) return absl::OkStatus();
  if (workspace == nullptr) {
    return Invalid("the workspace is null; ", needed, " bytes are needed");
  }
  if (bytes < needed) {
    return Invalid("the workspace has ", bytes, " bytes; ", needed,
                   " are needed");
  }
  if (!IsAligned(workspace, kWorkspaceAlignment)) {
    return Invalid("the workspace is not aligned to ", kWorkspaceAlignment,
                   " bytes");
  }
  const OperandSpan span = SpanOfBytes(workspace, static_cast<int64_t>(needed));
  if (Overlap(span, SpanOfD(p, args.d)) || Overlap(span, SpanOfA(p, args.a)) ||
      Overlap(span, SpanOfB(p, args.b)) ||
      (p.epilogue.reads_c && Overlap(span, SpanOfC(p, args.c)))) {
    return Invalid("the workspace overlaps an operand");
  }
  return absl::OkStatus();
}

}  // namespace tiletune
