#include "testing/emulator/fatbin/readable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

const char kConstant[] = "in the program's read-only segment";

TEST(ReadableFrom, EndsWhereTheMappingEnds) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto* const pages = static_cast<char*>(
      mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages, page, PROT_READ | PROT_WRITE), 0);
  // Two mappings for the kernel, since their rights differ; one to a reader.
  ASSERT_EQ(mprotect(pages + page, page, PROT_READ), 0);
  EXPECT_EQ(ReadableFrom(pages + 100).size(), 2 * page - 100);
  EXPECT_EQ(ReadableFrom(pages + 2 * page - 1).size(), 1u);
  EXPECT_TRUE(ReadableFrom(pages + 2 * page).empty());
  munmap(pages, 3 * page);
}

TEST(ReadableFrom, KnowsTheProgramsOwnData) {
  const std::string_view readable = ReadableFrom(kConstant);
  ASSERT_GE(readable.size(), sizeof(kConstant));
  EXPECT_EQ(readable.substr(0, sizeof(kConstant) - 1), kConstant);
}

TEST(ReadableFrom, KnowsTheHeap) {
  const auto block = std::make_unique<char[]>(100);
  EXPECT_GE(ReadableFrom(block.get()).size(), 100u);
}

TEST(ReadableFrom, FindsNothingWhereNothingIs) {
  EXPECT_TRUE(ReadableFrom(nullptr).empty());
  EXPECT_TRUE(ReadableFrom(reinterpret_cast<const void*>(8)).empty());
  EXPECT_TRUE(
      ReadableFrom(reinterpret_cast<const void*>(~uintptr_t{0} - 8)).empty());
}

}  // namespace
}  // namespace tiletune::emulator
