#include "autotune/store/store_testing.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tiletune {

TemporaryFolder::TemporaryFolder() {
  const char* root = std::getenv("TEST_TMPDIR");
  path_ = std::string(root != nullptr ? root : "/tmp") + "/tiletuneXXXXXX";
  if (mkdtemp(path_.data()) == nullptr) std::abort();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DeviceFacts TestDevice(int32_t sm_count) {
  DeviceFacts device;
  device.capability_major = 9;
  device.capability_minor = 0;
  device.sm_count = sm_count;
  device.l2_bytes = 50 << 20;
  device.bandwidth_class = 4800;
  device.power_class = 700;
  device.shared_bytes_per_cta = 227 << 10;
  device.max_clock_mhz = 1980;
  device.memory_bytes_per_second = 4.8e12;
  device.dense_16bit_flops = 9.9e14;
  device.ordinal = 0;
  device.name = "Test GPU";
  device.driver = "1.2";
  return device;
}

GemmProblem TestProblem(int64_t m, int64_t n, int64_t k) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

ConfigRecord TestConfig(const std::string& variant, const std::string& supply,
                        const std::string& build) {
  ConfigRecord config;
  config.key = variant + " o1zn k1";
  config.build = build;
  config.variant = variant;
  config.supply = supply;
  config.tile_m = 128;
  config.tile_n = 256;
  config.tile_k = 64;
  config.cluster_ctas = 2;
  config.stages = 4;
  config.threads = 384;
  config.shared_bytes = 200000;
  return config;
}

Measurement MeasuredAt(double median_ns, const ConfigRecord& config) {
  Measurement m;
  m.problem = TestProblem();
  m.config = config;
  m.device = TestDevice();
  m.stage = Stage::kFinal;
  m.samples_ns = {static_cast<float>(median_ns)};
  Summarize(&m);
  m.median_ns = median_ns;
  m.noise = 0.01;
  m.soak_repeats = kSoakRepeats;
  return m;
}

}  // namespace tiletune
