#include "testing/emulator/fatbin/module_image.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "testing/emulator/fatbin/guarded_bytes.h"

namespace tiletune::emulator {
namespace {

std::string Fatbin(const std::string& mode) {
  std::ifstream file(
      "testing/emulator/fatbin/testdata/kernels_" + mode + ".fatbin",
      std::ios::binary);
  EXPECT_TRUE(file.good()) << mode;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

struct Wrapper {
  uint32_t magic = 0x466243B1;
  uint32_t version = 1;
  const void* data = nullptr;
  const void* file_name = nullptr;
};

TEST(PtxOfImage, ReadsAFatBinaryAndItsWrapper) {
  for (const char* mode : {"none", "lz4", "zstd"}) {
    const GuardedBytes fatbin(Fatbin(mode));
    Wrapper wrapper;
    wrapper.data = fatbin.data();
    for (const void* image : {static_cast<const void*>(fatbin.data()),
                              static_cast<const void*>(&wrapper)}) {
      const auto ptx = PtxOfImage(image, 90);
      ASSERT_TRUE(ptx.ok()) << ptx.status();
      EXPECT_NE(ptx->find(".entry first("), std::string::npos) << mode;
    }
  }
}

TEST(PtxOfImage, ReadsTextThatEndsWithAZeroByteOrAtItsLimit) {
  const GuardedBytes text(std::string_view(".version 9.0\n", 14));
  const auto ptx = PtxOfImage(text.data(), 90);
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_EQ(*ptx, ".version 9.0\n");
  const GuardedBytes endless(".version 9.0\n");
  EXPECT_TRUE(absl::IsInvalidArgument(PtxOfImage(endless.data(), 90).status()));
  EXPECT_EQ(*PtxOfImage(endless.data(), 90, 13), ".version 9.0\n");
}

// The container's own header says how far to read: the memory's end decides.
TEST(PtxOfImage, AnswersWhateverAByteOfTheHeadersSays) {
  for (const char* mode : {"none", "lz4", "zstd"}) {
    const std::string good = Fatbin(mode);
    for (size_t byte = 0; byte < 16 + 64; ++byte) {
      for (const int value : {0, 1, 0x7F, 0x80, 0xFF}) {
        std::string damaged = good;
        damaged[byte] = static_cast<char>(value);
        const GuardedBytes image(damaged);
        (void)PtxOfImage(image.data(), 90);
      }
    }
  }
}

TEST(PtxOfImage, SaysThatAContainerIsLargerThanItsMemory) {
  for (const size_t byte : {7, 10, 11, 12, 13, 14, 15}) {
    std::string damaged = Fatbin("none");
    damaged[byte] = static_cast<char>(0x7F);
    const GuardedBytes image(damaged);
    const auto ptx = PtxOfImage(image.data(), 90);
    EXPECT_TRUE(absl::IsInvalidArgument(ptx.status())) << byte;
    EXPECT_NE(ptx.status().message().find("cut off after"),
              absl::string_view::npos)
        << ptx.status();
  }
}

TEST(PtxOfImage, ReportsEveryTruncation) {
  const std::string good = Fatbin("zstd");
  for (size_t size = 0; size < good.size(); ++size) {
    const GuardedBytes image(std::string_view(good).substr(0, size));
    ASSERT_FALSE(PtxOfImage(image.data(), 90).ok()) << size;
  }
}

TEST(PtxOfImage, FollowsNoPointerToNowhere) {
  Wrapper wrapper;
  for (const uintptr_t address :
       {uintptr_t{0}, uintptr_t{16}, ~uintptr_t{0} - 3}) {
    wrapper.data = reinterpret_cast<const void*>(address);
    EXPECT_TRUE(absl::IsInvalidArgument(PtxOfImage(&wrapper, 90).status()));
  }
  EXPECT_FALSE(PtxOfImage(nullptr, 90).ok());
}

TEST(PtxOfImage, ReadsNoMoreThanItsLimit) {
  const std::string good = Fatbin("none");
  const std::string behind = good + std::string(100, 'x');
  EXPECT_TRUE(PtxOfImage(behind.data(), 90, good.size()).ok());
  EXPECT_FALSE(PtxOfImage(behind.data(), 90, good.size() - 1).ok());
}

TEST(PtxOfImage, SaysThatADeviceLinkerLeftNoPtx) {
  const GuardedBytes fatbin(Fatbin("none"));
  Wrapper wrapper;
  wrapper.version = 2;
  wrapper.data = fatbin.data();
  const auto ptx = PtxOfImage(&wrapper, 120);
  EXPECT_TRUE(absl::IsNotFound(ptx.status()));
  EXPECT_NE(ptx.status().message().find("compile without it"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace tiletune::emulator
