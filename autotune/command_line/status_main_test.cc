#include "autotune/command_line/status_main.h"

#include <string>

#include "absl/flags/flag.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::string, why, "", "what the program fails for");

namespace tiletune {
namespace {

absl::Status FailIfTold() {
  const std::string why = absl::GetFlag(FLAGS_why);
  return why.empty() ? absl::OkStatus() : absl::NotFoundError(why);
}

TEST(StatusMain, IsZeroWhereAllWentWell) {
  char program[] = "bin/program";
  char* arguments[] = {program, nullptr};
  EXPECT_EQ(StatusMain(1, arguments, FailIfTold), 0);
}

TEST(StatusMain, SaysWhoFailedAndWhy) {
  char program[] = "bin/program";
  char flag[] = "--why=no such file";
  char* arguments[] = {program, flag, nullptr};
  testing::internal::CaptureStderr();
  EXPECT_EQ(StatusMain(2, arguments, FailIfTold), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "program: no such file\n");
}

}  // namespace
}  // namespace tiletune
