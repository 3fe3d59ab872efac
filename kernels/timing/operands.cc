#include "kernels/timing/operands.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cuda_status.h"
#include "kernels/launch/operand_spans.h"
#include "kernels/scale_layout.h"
#include "kernels/timing/inputs.h"

namespace tiletune {
namespace {

constexpr size_t kGuardBytes = 256;
constexpr int kMostCopies = 1024;

// Bytes from the first to one past the last element.
size_t BytesOfSpan(const OperandSpan& s) {
  if (s.lines == 0 || s.run_bytes == 0 || s.batches == 0) return 0;
  return static_cast<size_t>((s.batches - 1) * s.batch_bytes +
                             (s.lines - 1) * s.pitch_bytes + s.run_bytes);
}

// Places operands one after another, each 256-byte aligned plus a guard, as
// badly aligned as the problem says its pointers may be.
class Placement {
 public:
  explicit Placement(int32_t pointer_alignment)
      : skew_(pointer_alignment >= 16
                  ? 0
                  : static_cast<size_t>(pointer_alignment)) {}

  size_t Place(size_t bytes) {
    const size_t offset = end_ + kGuardBytes + skew_;
    end_ = (offset + bytes + 255) / 256 * 256;
    return offset;
  }

  size_t PlaceFloats(int64_t count) {
    const size_t offset = end_ + kGuardBytes;
    end_ =
        (offset + static_cast<size_t>(count) * sizeof(float) + 255) / 256 * 256;
    return offset;
  }

  size_t end() const { return end_ + kGuardBytes; }

 private:
  size_t skew_;
  size_t end_ = 0;
};

size_t MostBytes(size_t wanted) {
  if (wanted != 0) return wanted;
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) return 0;
  return free_bytes / 10 * 4;
}

// Powers of two near 1: scaling stays exact, yet a forgotten scale shows. Those
// of A and of B have other periods, so that rows and columns that were
// exchanged show too. Lines of `stride` scales (0: one line) begin one further
// each.
std::vector<float> ScalesOf(const std::vector<float>& powers, int64_t count,
                            int64_t stride) {
  std::vector<float> scales(static_cast<size_t>(count));
  for (size_t i = 0; i < scales.size(); ++i) {
    const size_t line = stride == 0 ? 0 : i / static_cast<size_t>(stride);
    const size_t in_line = i - line * static_cast<size_t>(stride);
    scales[i] = powers[(line + in_line) % powers.size()];
  }
  return scales;
}

size_t BytesOfFloats(const std::vector<float>& values) {
  return values.size() * sizeof(float);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Operands>> Operands::Create(
    const GemmProblem& problem, const DeviceFacts& device,
    const OperandOptions& options, GpuStream stream) {
  const absl::Status valid = Validate(problem);
  if (!valid.ok()) return valid;
  std::unique_ptr<Operands> o(new Operands);
  const GemmProblem p = o->problem_ = Normalized(problem);
  const size_t a_bytes = BytesOfSpan(SpanOfA(p, nullptr));
  const size_t b_bytes = BytesOfSpan(SpanOfB(p, nullptr));
  const size_t c_bytes =
      p.epilogue.reads_c ? BytesOfSpan(SpanOfC(p, nullptr)) : 0;
  o->d_bytes_ = BytesOfSpan(SpanOfD(p, nullptr));
  const int64_t bias_count = p.epilogue.bias == Bias::kNone     ? 0
                             : p.epilogue.bias == Bias::kPerRow ? p.m
                                                                : p.n;
  const ScaleLayout scales = ScaleLayoutOf(p);
  Placement placement(p.pointer_alignment);
  o->a_ = placement.Place(a_bytes);
  o->b_ = placement.Place(b_bytes);
  o->c_ = placement.Place(c_bytes);
  o->d_ = placement.Place(o->d_bytes_);
  o->bias_ =
      placement.Place(static_cast<size_t>(bias_count) * BytesOf(BiasType(p)));
  o->scale_a_ = placement.PlaceFloats(scales.a_count);
  o->scale_b_ = placement.PlaceFloats(scales.b_count);
  o->scale_d_ = placement.PlaceFloats(1);
  o->amax_ = placement.PlaceFloats(1);
  o->copy_bytes_ = placement.end();

  const size_t moved = a_bytes + b_bytes + c_bytes + o->d_bytes_;
  const size_t l2 = static_cast<size_t>(device.l2_bytes);
  if (options.cold_l2) {
    // Two copies at least: a large operand's tail would still be in L2 when
    // its head is read again.
    const size_t copies = 5 * l2 / 2 / std::max<size_t>(1, moved) + 1;
    const size_t fitting =
        MostBytes(options.most_bytes) / std::max<size_t>(1, o->copy_bytes_);
    o->copies_ = static_cast<int>(
        std::max<size_t>(1, std::min({std::max<size_t>(2, copies), fitting,
                                      static_cast<size_t>(kMostCopies)})));
    o->is_cold_ = o->copies_ * moved >= 2 * l2;
  }
  absl::StatusOr<DeviceBuffer> memory =
      DeviceBuffer::Allocate(o->copy_bytes_ * o->copies_);
  if (!memory.ok()) return memory.status();
  o->memory_ = *std::move(memory);

  const auto fill = [&](char* data, DataType type, size_t bytes,
                        uint64_t salt) {
    const int64_t count = static_cast<int64_t>(bytes) / BytesOf(type);
    const uint64_t seed = options.seed * 64 + salt;
    return options.small_integers
               ? FillSmallIntegers(data, type, count, seed, stream)
               : FillNormal(data, type, count, seed, stream);
  };
  absl::Status status = o->memory_.Fill(0xff, stream);
  const std::vector<float> row_scales =
      ScalesOf({0.5f, 2.0f, 0.25f, 1.0f}, scales.a_count, scales.a_stride);
  const std::vector<float> column_scales =
      ScalesOf({0.5f, 2.0f, 1.0f}, scales.b_count, scales.b_stride);
  for (int i = 0; i < o->copies_ && status.ok(); ++i) {
    char* const base = o->copy(i);
    const uint64_t salt = static_cast<uint64_t>(i) * 8;
    status = fill(base + o->a_, p.a_type, a_bytes, salt);
    if (status.ok()) status = fill(base + o->b_, p.b_type, b_bytes, salt + 1);
    if (status.ok()) status = fill(base + o->c_, p.c_type, c_bytes, salt + 2);
    if (status.ok()) {
      status = fill(base + o->bias_, BiasType(p),
                    static_cast<size_t>(bias_count) * BytesOf(BiasType(p)),
                    salt + 3);
    }
    if (!status.ok()) break;
    const float zero = 0.0f;
    const float half = 0.5f;
    const auto copy_in = [&](size_t offset, const void* from, size_t bytes) {
      return cudaMemcpyAsync(base + offset, from, bytes, cudaMemcpyHostToDevice,
                             stream);
    };
    TILETUNE_RETURN_IF_CUDA_ERROR(
        copy_in(o->scale_a_, row_scales.data(), BytesOfFloats(row_scales)));
    TILETUNE_RETURN_IF_CUDA_ERROR(copy_in(o->scale_b_, column_scales.data(),
                                          BytesOfFloats(column_scales)));
    TILETUNE_RETURN_IF_CUDA_ERROR(copy_in(o->scale_d_, &half, sizeof half));
    TILETUNE_RETURN_IF_CUDA_ERROR(copy_in(o->amax_, &zero, sizeof zero));
  }
  if (!status.ok()) return status;
  // The host copies of scales and of constants go out of scope here.
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream));
  return o;
}

char* Operands::copy(int64_t i) const {
  return static_cast<char*>(memory_.data()) +
         static_cast<size_t>(i % copies_) * copy_bytes_;
}

GemmArguments Operands::arguments(int64_t i) const {
  char* const base = copy(i);
  const GemmProblem& p = problem_;
  GemmArguments args;
  args.a = base + a_;
  args.b = base + b_;
  args.d = base + d_;
  if (p.epilogue.reads_c) {
    args.c = base + c_;
    args.beta = 0.5f;
  }
  if (p.epilogue.bias != Bias::kNone) args.bias = base + bias_;
  if (p.scaling != Scaling::kNone) {
    args.scale_a = reinterpret_cast<const float*>(base + scale_a_);
    args.scale_b = reinterpret_cast<const float*>(base + scale_b_);
  }
  if (BitsOf(p.d_type) == 8) {
    args.scale_d = reinterpret_cast<const float*>(base + scale_d_);
  }
  if (p.epilogue.amax) args.amax_d = reinterpret_cast<float*>(base + amax_);
  return args;
}

absl::Status Operands::PoisonD(int64_t i, GpuStream stream) {
  char* const d = copy(i) + d_;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaMemsetAsync(copy(i) + amax_, 0, sizeof(float), stream));
  return CudaStatus(cudaMemsetAsync(d - kGuardBytes, 0xff,
                                    d_bytes_ + 2 * kGuardBytes, stream),
                    "cudaMemsetAsync");
}

absl::Status Operands::CheckGuards(int64_t i, GpuStream stream) const {
  const char* const d = copy(i) + d_;
  const std::array<const char*, 2> guards = {d - kGuardBytes, d + d_bytes_};
  for (const char* guard : guards) {
    std::array<unsigned char, kGuardBytes> bytes;
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(
        bytes.data(), guard, bytes.size(), cudaMemcpyDeviceToHost, stream));
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream));
    for (size_t j = 0; j < bytes.size(); ++j) {
      if (bytes[j] == 0xff) continue;
      return absl::DataLossError(absl::StrCat(
          "a byte was written outside D, ", guard < d ? kGuardBytes - j : j + 1,
          guard < d ? " bytes before it" : " bytes after it"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tiletune
