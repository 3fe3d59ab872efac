#include "testing/emulator/runtime/settings.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator::runtime {
namespace {

absl::StatusOr<Settings> Read(std::map<std::string, std::string> variables) {
  return ReadSettings([&](const char* name) -> const char* {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

TEST(Settings, DefaultToAWholeB200) {
  const auto settings = Read({});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_STREQ(settings->gpu->name, "b200");
  EXPECT_EQ(settings->sms, 148);
  EXPECT_EQ(settings->checks, Checks::kHardware);
  EXPECT_EQ(settings->clc_refusal_rate, 0);
}

TEST(Settings, AreReadFromTheirVariables) {
  const auto settings = Read({{"TILETUNE_EMULATOR_GPU", "h200"},
                              {"TILETUNE_EMULATOR_SMS", "8"},
                              {"TILETUNE_EMULATOR_SEED", "7"},
                              {"TILETUNE_EMULATOR_CHECKS", "strict"},
                              {"TILETUNE_EMULATOR_CLC_REFUSAL", "0.25"},
                              {"TILETUNE_EMULATOR_MAX_STEPS", "5000000000"},
                              {"TILETUNE_EMULATOR_TRACE", "t.json"},
                              {"TILETUNE_EMULATOR_PTX", "a.ptx:b"}});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->gpu->major, 9);
  EXPECT_EQ(settings->sms, 8);
  EXPECT_EQ(settings->seed, 7u);
  EXPECT_EQ(settings->checks, Checks::kStrict);
  EXPECT_EQ(settings->clc_refusal_rate, 0.25);
  EXPECT_EQ(settings->max_steps, 5000000000u);
  EXPECT_EQ(settings->trace, "t.json");
  EXPECT_EQ(settings->spare_ptx, "a.ptx:b");
}

TEST(Settings, NumberTheTracesOfLaterLaunches) {
  EXPECT_EQ(TracePath("a.d/run.json", 0), "a.d/run.json");
  EXPECT_EQ(TracePath("a.d/run.json", 12), "a.d/run.12.json");
  EXPECT_EQ(TracePath("a.d/run", 1), "a.d/run.1");
  EXPECT_EQ(TracePath(".hidden", 1), ".hidden.1");
  EXPECT_EQ(TracePath("", 1), "");
}

TEST(Settings, WithoutSmsUseTheGpusOwn) {
  const auto settings = Read({{"TILETUNE_EMULATOR_GPU", "h100"}});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->sms, 132);
}

TEST(Settings, ThatMakeNoSenseAreNamed) {
  const std::map<std::string, std::string> bad = {
      {"TILETUNE_EMULATOR_GPU", "b9000"},
      {"TILETUNE_EMULATOR_SMS", "0"},
      {"TILETUNE_EMULATOR_SEED", "red"},
      {"TILETUNE_EMULATOR_CHECKS", "lenient"},
      {"TILETUNE_EMULATOR_CLC_REFUSAL", "1.5"}};
  for (const auto& [variable, value] : bad) {
    const auto settings = Read({{variable, value}});
    ASSERT_FALSE(settings.ok()) << variable;
    EXPECT_EQ(settings.status().message().substr(0, variable.size()), variable);
  }
}

TEST(GpuModel, AllOfThemCanBeFoundByName) {
  for (const char* name : {"b200", "b300", "gb200", "gb300", "h200", "h100"}) {
    ASSERT_NE(FindGpuModel(name), nullptr) << name;
    EXPECT_NE(GpuModelNames().find(name), std::string::npos);
  }
  EXPECT_EQ(FindGpuModel("b300")->minor, 3);
  EXPECT_EQ(FindGpuModel(""), nullptr);
}

}  // namespace
}  // namespace tiletune::emulator::runtime
