// The three inner loops of an emulated GEMM: moving a box, reading an operand,
// multiplying. A 1024^3 bf16 GEMM with 128x128x64 tiles moves 2048 boxes, reads
// 8192 operands and multiplies 4096 times.

#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "testing/emulator/engines/mma.h"
#include "testing/emulator/engines/smem_descriptor.h"
#include "testing/emulator/engines/tma.h"

namespace tiletune::emulator {
namespace {

// Arguments: M, N, K.
void BM_MultiplyAccumulate(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  const int n = static_cast<int>(state.range(1));
  const int k = static_cast<int>(state.range(2));
  std::vector<float> a(static_cast<size_t>(m * k), 1);
  std::vector<float> b(static_cast<size_t>(n * k), 1);
  std::vector<uint32_t> d(static_cast<size_t>(m) * 512);
  for (auto _ : state) {
    MultiplyAccumulate({a.data(), b.data(), m, n, k}, MmaAccumulation{},
                       d.data(), 512);
    benchmark::DoNotOptimize(d.data());
  }
  state.counters["FMA/s"] =
      benchmark::Counter(static_cast<double>(m) * n * k,
                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_MultiplyAccumulate)
    ->Args({128, 128, 16})
    ->Args({128, 256, 16})
    ->Args({128, 256, 32})
    ->Args({64, 64, 8});

// A 64 x 128 box of bf16 with the 128-byte swizzle.
TensorMap Box() {
  TensorMap map;
  map.type = TensorMapType::kBf16;
  map.rank = 2;
  map.dims = {1024, 1024};
  map.strides = {2048};
  map.box = {64, 128};
  map.swizzle = Swizzle::k128;
  return map;
}

void BM_LoadBox(benchmark::State& state) {
  const TensorMap map = Box();
  const std::vector<uint8_t> global(2 << 20);
  std::vector<uint8_t> shared(16 << 10);
  std::vector<TmaRow> rows;
  for (auto _ : state) {
    WalkRows(map, TmaRequest{}, &rows);
    for (const TmaRow& row : rows) {
      LoadRow(map, row, &global[row.global_address], shared.data());
    }
    benchmark::DoNotOptimize(shared.data());
  }
  state.SetBytesProcessed(state.iterations() *
                          TmaSharedBytes(map, TmaMode::kTile));
}
BENCHMARK(BM_LoadBox);

OperandView Operand() {
  OperandView view;
  view.descriptor.stride_bytes = 1024;
  view.descriptor.swizzle = Swizzle::k128;
  view.element = ElementOf(Format::kBf16);
  view.rows = 128;
  view.depth = 16;
  return view;
}

void BM_LoadOperand(benchmark::State& state) {
  const std::vector<uint8_t> shared(16 << 10);
  std::vector<float> values(128 * 16);
  for (auto _ : state) {
    LoadOperand(Operand(), shared.data(), 16 << 10, values.data());
    benchmark::DoNotOptimize(values.data());
  }
}
BENCHMARK(BM_LoadOperand);

void BM_TouchedRanges(benchmark::State& state) {
  std::vector<ByteRange> ranges;
  for (auto _ : state) {
    TouchedRanges(Operand(), &ranges);
    benchmark::DoNotOptimize(ranges.data());
  }
}
BENCHMARK(BM_TouchedRanges);

}  // namespace
}  // namespace tiletune::emulator

BENCHMARK_MAIN();
