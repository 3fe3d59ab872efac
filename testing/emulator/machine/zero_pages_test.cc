#include "testing/emulator/machine/zero_pages.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

constexpr size_t kWords = size_t{32} << 20;  // 256 MiB
constexpr int64_t kMebibyte = 1 << 20;

// Bytes of memory that this process takes (proc(5), statm).
int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  EXPECT_GT(resident, 0);
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(ZeroPages, ReadAsZeroAndKeepWhatIsWritten) {
  const ZeroPages memory(1000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(memory.words()[i], 0u) << i;
  memory.words()[0] = 1;
  memory.words()[999] = 2;
  EXPECT_EQ(memory.words()[0], 1u);
  EXPECT_EQ(memory.words()[999], 2u);
}

TEST(ZeroPages, TakeRoomOnlyWhereTheyAreWritten) {
  const int64_t before = ResidentBytes();
  const ZeroPages memory(kWords);
  for (size_t i = 0; i < kWords; i += kWords / 8) memory.words()[i] = 1;
  EXPECT_LT(ResidentBytes() - before, 8 * kMebibyte);
}

TEST(ZeroPages, GiveTheirRoomBack) {
  const int64_t before = ResidentBytes();
  for (int round = 0; round < 2; ++round) {
    const auto memory = std::make_unique<ZeroPages>(kWords / 8);
    for (size_t i = 0; i < kWords / 8; ++i) {
      ASSERT_EQ(memory->words()[i], 0u);
      memory->words()[i] = i + 1;
    }
  }
  EXPECT_LT(ResidentBytes() - before, 8 * kMebibyte);
}

TEST(ZeroPages, OfNoWordsAreFine) {
  const ZeroPages none(0);
  EXPECT_NE(none.words(), nullptr);
}

}  // namespace
}  // namespace tiletune::emulator
