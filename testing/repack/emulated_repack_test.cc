// The repack kernels in the emulator, under strict checks: every element lands
// where it belongs, from rows that start anywhere, and nothing is read or
// written outside of the operands.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/repack/repack_launches.h"
#include "testing/emulator/device.h"

namespace tiletune {
namespace {

constexpr char kPtx[] = "kernels/repack/repack_ptx.ptx";

// A kernel that copies a word, and waits for no launch before it.
constexpr char kHastyPtx[] = R"(
.version 8.8
.target sm_100
.address_size 64
.visible .entry hasty(.param .u64 from, .param .u64 to) {
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd1, [to];
  ld.global.u32 %r0, [%rd0];
  st.global.u32 [%rd1], %r0;
  ret;
}
)";

// One operand: its source begins `offset` bytes after an aligned address, and
// its runs lie `gap` elements apart.
struct Operand {
  int32_t element_bytes = 2;
  bool transposes = false;
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t batches = 1;
  int64_t gap = 0;
  int64_t offset = 0;
  bool is_dependent = true;
};

class EmulatedRepack : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(kPtx);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    const absl::StatusOr<emulator::LoadedModule*> module = device_.Load(ptx);
    ASSERT_TRUE(module.ok()) << module.status();
    module_ = *module;
  }

  // An operand in device memory.
  struct Placed {
    Operand operand;
    RepackArguments arguments;
    std::vector<uint8_t> source;
  };

  Placed Place(const Operand& o) {
    const int64_t run = o.transposes ? o.outer : o.inner;
    const int64_t runs = o.transposes ? o.inner : o.outer;
    Placed placed;
    placed.operand = o;
    RepackArguments& r = placed.arguments;
    r.element_bytes = o.element_bytes;
    r.transposes = o.transposes;
    r.inner = o.inner;
    r.outer = o.outer;
    r.batches = o.batches;
    r.source_stride = run + o.gap;
    r.source_batch_stride = runs * r.source_stride;
    r.destination_stride = PackedRowStride(o.inner, o.element_bytes);
    r.destination_batch_stride = o.outer * r.destination_stride;
    r.is_dependent = o.is_dependent;
    // No gap behind the last run: what is read there is out of bounds.
    const int64_t elements = o.batches * r.source_batch_stride - o.gap;
    placed.source.resize(elements * o.element_bytes);
    for (uint8_t& byte : placed.source) {
      byte = static_cast<uint8_t>(random_());
    }
    const uint64_t source =
        device_.memory().Allocate(o.offset + placed.source.size(), "source") +
        o.offset;
    device_.memory().Write(source, placed.source.data(), placed.source.size());
    r.source = reinterpret_cast<const void*>(source);
    r.destination = reinterpret_cast<void*>(device_.memory().Allocate(
        o.batches * r.destination_batch_stride * o.element_bytes, "copy"));
    return placed;
  }

  // As LaunchRepack enqueues them.
  void AddTo(std::vector<emulator::Launch>* chain, const RepackArguments& a,
             const RepackArguments& b) {
    const RepackLaunches launches(a, b);
    for (const RepackLaunch& repack : launches) {
      emulator::Launch launch;
      launch.module = module_;
      launch.entry = RepackEntry(repack.kernel);
      launch.grid.x = repack.ctas;
      launch.block.x = repack.threads;
      launch.programmatic = repack.is_dependent;
      launch.Add(repack.parameters(), repack.parameter_bytes());
      chain->push_back(launch);
    }
  }

  // Adds a dependent launch of the hasty kernel, which copies the word at
  // `from` to `to`.
  void AddHastyTo(std::vector<emulator::Launch>* chain, uint64_t from,
                  uint64_t to) {
    const absl::StatusOr<emulator::LoadedModule*> hasty =
        device_.Load(kHastyPtx);
    ASSERT_TRUE(hasty.ok()) << hasty.status();
    emulator::Launch launch;
    launch.module = *hasty;
    launch.entry = "hasty";
    launch.programmatic = true;
    launch.Add(from).Add(to);
    chain->push_back(launch);
  }

  std::vector<emulator::Finding> FindingsOf(
      const std::vector<emulator::Launch>& chain, uint64_t seed) {
    emulator::RunOptions options;
    options.checks = emulator::Checks::kStrict;
    options.seed = seed;
    const absl::StatusOr<emulator::RunResult> result =
        device_.RunChain(chain, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->findings : std::vector<emulator::Finding>();
  }

  void Run(const std::vector<emulator::Launch>& chain, uint64_t seed = 1) {
    for (const emulator::Finding& finding : FindingsOf(chain, seed)) {
      ADD_FAILURE() << emulator::ToString(finding);
    }
  }
  void Run(const RepackArguments& a, const RepackArguments& b) {
    std::vector<emulator::Launch> chain;
    AddTo(&chain, a, b);
    Run(chain);
  }

  void ExpectCopied(const Placed& placed) {
    const RepackArguments& r = placed.arguments;
    const int64_t bytes = r.element_bytes;
    std::vector<uint8_t> element(bytes);
    for (int64_t batch = 0; batch < r.batches; ++batch) {
      for (int64_t o = 0; o < r.outer; ++o) {
        for (int64_t i = 0; i < r.inner; ++i) {
          const int64_t from = batch * r.source_batch_stride +
                               (r.transposes ? i * r.source_stride + o
                                             : o * r.source_stride + i);
          const int64_t to =
              batch * r.destination_batch_stride + o * r.destination_stride + i;
          device_.memory().Read(
              reinterpret_cast<uint64_t>(r.destination) + to * bytes,
              element.data(), bytes);
          ASSERT_TRUE(std::equal(element.begin(), element.end(),
                                 placed.source.begin() + from * bytes))
              << "batch " << batch << ", row " << o << ", column " << i;
        }
      }
    }
  }

  void ExpectRepacked(const Operand& operand) {
    SCOPED_TRACE(testing::Message() << operand.outer << " x " << operand.inner
                                    << ", " << operand.element_bytes
                                    << " bytes, offset " << operand.offset);
    const Placed placed = Place(operand);
    Run(placed.arguments, RepackArguments());
    ExpectCopied(placed);
  }

  emulator::Device device_;
  emulator::LoadedModule* module_ = nullptr;
  std::mt19937 random_{1};
};

TEST_F(EmulatedRepack, CopiesRowsThatStartAnywhere) {
  for (int32_t bytes : {1, 2}) {
    for (int64_t offset = 0; offset < 16; offset += bytes) {
      Operand o;
      o.element_bytes = bytes;
      o.outer = 5;
      o.inner = 37;
      o.gap = 3;
      o.offset = offset;
      ExpectRepacked(o);
    }
  }
}

TEST_F(EmulatedRepack, CopiesRowsOfAnyLength) {
  for (int64_t inner : {1, 7, 8, 9, 255, 1023, 1024, 1025, 2500}) {
    Operand o;
    o.outer = 9;
    o.inner = inner;
    o.offset = 2;
    ExpectRepacked(o);
  }
}

TEST_F(EmulatedRepack, Transposes) {
  for (int32_t bytes : {1, 2}) {
    for (int64_t size : {1, 63, 64, 65, 130}) {
      Operand o;
      o.element_bytes = bytes;
      o.transposes = true;
      o.outer = size;
      o.inner = 70;
      o.gap = 1;
      o.offset = bytes;
      ExpectRepacked(o);
    }
  }
}

TEST_F(EmulatedRepack, CopiesAsWellWhereItIsNoDependentLaunch) {
  for (bool transposes : {false, true}) {
    Operand o;
    o.is_dependent = false;
    o.transposes = transposes;
    o.outer = 100;
    o.inner = 70;
    ExpectRepacked(o);
  }
}

TEST_F(EmulatedRepack, CopiesEveryBatch) {
  for (bool transposes : {false, true}) {
    Operand o;
    o.transposes = transposes;
    o.outer = 20;
    o.inner = 33;
    o.batches = 3;
    o.gap = 5;
    ExpectRepacked(o);
  }
}

TEST_F(EmulatedRepack, CopiesTwoOperandsOfAnyTwoKinds) {
  for (bool a_transposes : {false, true}) {
    for (bool b_transposes : {false, true}) {
      Operand o;
      o.transposes = a_transposes;
      o.outer = 11;
      o.inner = 45;
      const Placed a = Place(o);
      o.transposes = b_transposes;
      o.outer = 70;
      o.offset = 6;
      const Placed b = Place(o);
      Run(a.arguments, b.arguments);
      ExpectCopied(a);
      ExpectCopied(b);
    }
  }
}

// Both in one workspace, which ends with the last row of the second. A write
// past a row's own is one to another's, or to nobody's.
TEST_F(EmulatedRepack, KeepsWithinAWorkspaceForRowsOfEveryShortLength) {
  for (int32_t bytes : {1, 2}) {
    for (int64_t inner = 1; inner <= 70; ++inner) {
      SCOPED_TRACE(testing::Message() << inner << " of " << bytes << " bytes");
      Operand o;
      o.element_bytes = bytes;
      o.inner = inner;
      o.outer = 1 + inner % 7;
      o.batches = 1 + inner % 3;
      o.gap = inner % 4;
      o.offset = inner % 8 * bytes;
      o.transposes = inner % 5 == 0;
      Placed a = Place(o);
      o.outer = 9;
      o.transposes = inner % 4 == 0;
      Placed b = Place(o);
      const int64_t a_bytes =
          a.arguments.batches * a.arguments.destination_batch_stride * bytes;
      const int64_t b_bytes =
          b.arguments.batches * b.arguments.destination_batch_stride * bytes;
      const int64_t b_starts = (a_bytes + 255) / 256 * 256;
      const uint64_t workspace =
          device_.memory().Allocate(b_starts + b_bytes, "workspace");
      a.arguments.destination = reinterpret_cast<void*>(workspace);
      b.arguments.destination = reinterpret_cast<void*>(workspace + b_starts);
      Run(a.arguments, b.arguments);
      ExpectCopied(a);
      ExpectCopied(b);
    }
  }
}

TEST_F(EmulatedRepack, LowersWhatRemainsCleanAndNeverRaisesIt) {
  for (bool transposes : {false, true}) {
    for (uint32_t before : {2u, 7u, 9u}) {
      Operand o;
      o.transposes = transposes;
      o.outer = 200;
      o.inner = 70;
      Placed placed = Place(o);
      const uint64_t clean = device_.memory().Allocate(sizeof(before), "clean");
      device_.memory().Write(clean, &before, sizeof(before));
      placed.arguments.clean = reinterpret_cast<uint32_t*>(clean);
      placed.arguments.clean_blocks = 7;
      Run(placed.arguments, RepackArguments());
      uint32_t after = 0;
      device_.memory().Read(clean, &after, sizeof(after));
      EXPECT_EQ(after, std::min(before, 7u));
      ExpectCopied(placed);
    }
  }
}

TEST_F(EmulatedRepack, WaitsForTheLaunchesBeforeIt) {
  for (bool transposes : {false, true}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      Operand o;
      o.outer = 40;
      o.inner = 64;  // a copy of the copy has the same strides
      const Placed first = Place(o);
      o.transposes = transposes;
      if (transposes) std::swap(o.outer, o.inner);
      Placed second = Place(o);
      second.source = first.source;
      second.arguments.source = first.arguments.destination;
      std::vector<emulator::Launch> chain;
      AddTo(&chain, first.arguments, RepackArguments());
      AddTo(&chain, second.arguments, RepackArguments());
      Run(chain, seed);
      ExpectCopied(second);
    }
  }
}

TEST_F(EmulatedRepack, LetsNothingStartBeforeTheLaunchesBeforeItHaveEnded) {
  for (bool transposes : {false, true}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      Operand o;
      o.outer = 100;
      o.inner = 1024;
      const Placed before = Place(o);
      o.transposes = transposes;
      o.outer = 1;
      o.inner = 2;
      const Placed repacked = Place(o);
      const uint64_t last =
          reinterpret_cast<uint64_t>(before.arguments.destination) +
          before.source.size() - sizeof(uint32_t);
      const uint64_t seen = device_.memory().Allocate(sizeof(uint32_t), "seen");
      std::vector<emulator::Launch> chain;
      AddTo(&chain, before.arguments, RepackArguments());
      AddTo(&chain, repacked.arguments, RepackArguments());
      AddHastyTo(&chain, last, seen);
      Run(chain, seed);
      std::vector<uint8_t> bytes(sizeof(uint32_t));
      device_.memory().Read(seen, bytes.data(), bytes.size());
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(),
                             before.source.end() - sizeof(uint32_t)));
    }
  }
}

// Else a GEMM could not begin on what needs no repack while the copy is made.
// Whoever reads the copy without a wait then races with it.
TEST_F(EmulatedRepack, LetsTheNextLaunchStartBeforeTheCopyIsMade) {
  for (int32_t bytes : {1, 2}) {
    for (bool transposes : {false, true}) {
      for (bool is_dependent : {false, true}) {
        Operand o;
        o.element_bytes = bytes;
        o.transposes = transposes;
        o.is_dependent = is_dependent;
        o.outer = 20;
        o.inner = 64;
        const Placed placed = Place(o);
        std::vector<emulator::Launch> chain;
        AddTo(&chain, placed.arguments, RepackArguments());
        AddHastyTo(&chain,
                   reinterpret_cast<uint64_t>(placed.arguments.destination),
                   device_.memory().Allocate(sizeof(uint32_t), "seen"));
        const std::vector<emulator::Finding> findings =
            FindingsOf(chain, /*seed=*/1);
        EXPECT_TRUE(
            std::any_of(findings.begin(), findings.end(),
                        [](const auto& f) { return f.check == "data race"; }))
            << chain[0].entry << ", dependent: " << is_dependent;
      }
    }
  }
}

}  // namespace
}  // namespace tiletune
