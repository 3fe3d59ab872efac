#include "testing/emulator/run_request.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

std::string WriteFile(const std::string& name, const std::string& bytes) {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string ReadBack(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// out[i] = in[i] + add; inout[i] += 1.
const char kKernel[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 both,\n"
    ".param .u32 add) {\n.reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
    "ld.param.u64 %rd3, [both]; ld.param.u32 %r1, [add];\n"
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4;\n"
    "add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;\n"
    "add.u64 %rd3, %rd3, %rd4; ld.global.u32 %r3, [%rd1];\n"
    "add.u32 %r3, %r3, %r1; st.global.u32 [%rd2], %r3;\n"
    "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1;\n"
    "st.global.u32 [%rd3], %r4; ret; }\n";

TEST(RunRequest, RunsAFileAndWritesItsOutputs) {
  std::string ptx = WriteFile("k.ptx", kKernel);
  std::string in = WriteFile("in.bin", std::string("\1\0\0\0\2\0\0\0", 8));
  std::string both = WriteFile("both.bin", std::string("\7\0\0\0\7\0\0\0", 8));
  std::string out = testing::TempDir() + "/out.bin";
  auto request = ParseRunRequest({ptx, "--entry=k", "--grid=1", "--block=2,1,1",
                                  "--checks=strict", "--arg=in:" + in,
                                  "--arg=out:" + out + ":8",
                                  "--arg=inout:" + both, "--arg=u32:5"});
  ASSERT_TRUE(request.ok()) << request.status().message();
  auto result = Execute(*request);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->Clean());
  EXPECT_EQ(ReadBack(out), std::string("\6\0\0\0\7\0\0\0", 8));
  EXPECT_EQ(ReadBack(both), std::string("\10\0\0\0\10\0\0\0", 8));
}

TEST(RunRequest, ScratchIsUninitialised) {
  std::string ptx = WriteFile("k.ptx", kKernel);
  std::string out = testing::TempDir() + "/out.bin";
  auto request = ParseRunRequest({ptx, "--entry=k", "--grid=1", "--block=1",
                                  "--arg=scratch:64", "--arg=out:" + out + ":8",
                                  "--arg=scratch:64", "--arg=u32:5"});
  ASSERT_TRUE(request.ok());
  auto result = Execute(*request);
  ASSERT_TRUE(result.ok());
  ASSERT_FALSE(result->Clean());
  EXPECT_EQ(result->findings[0].check, "uninitialised memory");
}

TEST(RunRequest, RejectsWhatItCannotUse) {
  const std::vector<std::string> good = {"f.ptx", "--entry=k", "--grid=1",
                                         "--block=1"};
  EXPECT_TRUE(ParseRunRequest(good).ok());
  for (const char* bad : {"--grid=0",
                          "--grid=1,2,3,4",
                          "--checks=lenient",
                          "--sms=0",
                          "--grid=4294967296",
                          "--seed=99999999999999999999999",
                          "--max-steps=99999999999999999999999",
                          "--sms=4294967297",
                          "--dynamic-shared=4294967296",
                          "--buffer=u32:1",
                          "--buffer=map:0",
                          "--arg=map:b0:bf16:64x64:64x64:128",
                          "--clc-refusal=2",
                          "--arg=u32:-1",
                          "--arg=u32:4294967296",
                          "--arg=f32:x",
                          "--arg=out:file",
                          "--arg=what:1",
                          "--unknown=1",
                          "--arg=map:0:bf16:64x64:64x64:128",
                          "second.ptx"}) {
    std::vector<std::string> words = good;
    words.push_back(bad);
    EXPECT_FALSE(ParseRunRequest(words).ok()) << bad;
  }
  EXPECT_FALSE(ParseRunRequest({"f.ptx", "--grid=1", "--block=1"}).ok());
}

// The usual TMA kernel: its only parameter is the map.
TEST(RunRequest, AMapMayBeOfABufferThatIsNoParameter) {
  const std::string ptx = WriteFile(
      "map.ptx",
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .align 64 .b8 map[128]) {\n"
      ".reg .b32 %r<8>; .reg .b64 %rd<8>; .shared .align 128 .b8 buf[256];\n"
      "mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; mov.u32 %r1, buf;\n"
      "st.shared.v4.u32 [buf], {1, 2, 3, 4};\n"
      "fence.proxy.async.shared::cta;\n"
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group"
      " [%rd1, {0}], [%r1];\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n");
  const std::string out = testing::TempDir() + "/map.bin";
  auto request =
      ParseRunRequest({ptx, "--entry=k", "--grid=1", "--block=1",
                       "--checks=strict", "--arg=map:b1:u32:4:4:none",
                       "--buffer=scratch:64", "--buffer=out:" + out + ":16"});
  ASSERT_TRUE(request.ok()) << request.status().message();
  auto result = Execute(*request);
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (const Finding& finding : result->findings) {
    ADD_FAILURE() << ToString(finding);
  }
  EXPECT_EQ(ReadBack(out), std::string("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0", 16));
}

TEST(RunRequest, AMissingFileOrEntryOrArgumentIsAnError) {
  std::string ptx = WriteFile("k.ptx", kKernel);
  auto missing = ParseRunRequest({::testing::TempDir() + "/no_such_file.ptx",
                                  "--entry=k", "--grid=1", "--block=1"});
  EXPECT_FALSE(Execute(*missing).ok());
  auto folder = ParseRunRequest(
      {::testing::TempDir(), "--entry=k", "--grid=1", "--block=1"});
  EXPECT_FALSE(Execute(*folder).ok());
  auto entry = ParseRunRequest({ptx, "--entry=x", "--grid=1", "--block=1"});
  EXPECT_FALSE(Execute(*entry).ok());
  auto arguments = ParseRunRequest({ptx, "--entry=k", "--grid=1", "--block=1"});
  EXPECT_FALSE(Execute(*arguments).ok());
}

}  // namespace
}  // namespace tiletune::emulator
