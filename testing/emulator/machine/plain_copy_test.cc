#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

TEST(PlainCopy, WaitsForGroupsInOrder) {
  Snippet s(
      "cp.async.ca.shared.global [buf], [%in], 4; cp.async.commit_group;"
      "cp.async.cg.shared.global [buf+16], [%in+16], 16, 8;"
      "cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r1, [buf];"
      "cp.async.wait_all; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [buf+16];"
      "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};");
  s.in = CountingBytes(64);
  Ran ran = RunSeeds(s, 6);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x03020100u);
  EXPECT_EQ(ran.out[2], 0x17161514u);
  EXPECT_EQ(ran.out[3], 0u);  // beyond the source size
}

TEST(PlainCopyCheck, SeesAReadBeforeTheWait) {
  Snippet s(
      "cp.async.ca.shared.global [buf], [%in], 4; cp.async.commit_group;"
      "cp.async.wait_group 1; ld.shared.u32 %r1, [buf];"
      "cp.async.wait_all;");
  s.in = CountingBytes(64);
  EXPECT_TRUE(FindsWithSomeSeed(s, "data race", 8) ||
              FindsWithSomeSeed(s, "uninitialised memory", 8));
}

// As an H200 does (hardware_test); the address is aligned to the copy's size.
TEST(PlainCopy, TakesASourceOfAnySize) {
  Snippet s(
      "cp.async.ca.shared.global [buf], [%in+8], 4, 3; cp.async.wait_all;"
      "ld.shared.u32 %r1, [buf]; st.global.u32 [%out], %r1;");
  s.in = CountingBytes(11);  // ends with the source
  const Ran ran = RunOnce(s);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x0A0908u);
}

TEST(PlainCopyCheck, SeesASourceOutOfBounds) {
  const auto copy = [](const std::string& sizes) {
    Snippet s("cp.async.ca.shared.global [buf], [%in+64], " + sizes +
              "; cp.async.wait_all;");
    s.in = CountingBytes(64);
    return RunOnce(s);
  };
  EXPECT_TRUE(copy("4").Found("out of bounds"));
  EXPECT_TRUE(copy("4, 0").Clean()) << "nothing is read";
}

TEST(PlainCopy, ArrivesOnAnMbarrierWhenDone) {
  Snippet s(
      "mbarrier.init.shared.b64 [bar], 1;"
      "cp.async.ca.shared.global [buf], [%in], 4;"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"
      "ld.shared.u32 %r1, [buf]; st.global.u32 [%out], %r1;");
  s.in = CountingBytes(64);
  Ran ran = RunSeeds(s, 8);
  ASSERT_TRUE(ran.Clean()) << ran.Text();
  EXPECT_EQ(ran.out[0], 0x03020100u);
}

}  // namespace
}  // namespace tiletune::emulator
