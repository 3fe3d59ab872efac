#include "autotune/commands/version.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Version, IsTheModules) {
  std::ostringstream module;
  module << std::ifstream("MODULE.bazel").rdbuf();
  const std::string line =
      std::string("    name = \"tiletune\",\n    version = \"") + kVersion +
      "\",";
  EXPECT_NE(module.str().find(line), std::string::npos) << module.str();
}

TEST(Version, NamesWhatAMeasurementDependsOn) {
  EXPECT_EQ(ToolVersion().rfind(std::string(kVersion) + " (", 0), 0u);
  for (const char* part :
       {" kernels, build ", "cost model tiletune-", "database schema "}) {
    EXPECT_NE(ToolVersion().find(part), std::string::npos) << ToolVersion();
  }
}

}  // namespace
}  // namespace tiletune
