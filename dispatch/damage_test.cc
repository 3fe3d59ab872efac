// Damaged databases: whatever they hold, every GEMM runs, with a legal config.
// How many of them comes from the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "dispatch/dispatch_testing.h"
#include "dispatch/tuned_gemm.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

int g_databases = 20;

std::string Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class Damager {
 public:
  explicit Damager(uint32_t seed) : random_(seed) {}

  std::string Damaged(std::string bytes) {
    constexpr size_t kPage = 4096;
    switch (random_() % 7) {
      case 0:  // cut off
        bytes.resize(At(bytes.size() + 1));
        break;
      case 1:  // a few bits, anywhere
        for (size_t flips = 1 + At(40); flips > 0; --flips) {
          bytes[At(bytes.size())] ^= static_cast<char>(1 << At(8));
        }
        break;
      case 2:  // bits of the header and of the schema
        for (size_t flips = 1 + At(6); flips > 0; --flips) {
          bytes[At(200)] ^= static_cast<char>(1 << At(8));
        }
        break;
      case 3: {  // a stretch of zeros
        const size_t from = At(bytes.size());
        const size_t length = std::min(bytes.size() - from, At(3 * kPage));
        std::fill_n(bytes.begin() + from, length, '\0');
        break;
      }
      case 4: {  // one page over another
        const size_t pages = bytes.size() / kPage;
        bytes.replace(At(pages) * kPage, kPage,
                      bytes.substr(At(pages) * kPage, kPage));
        break;
      }
      case 5: {  // bits at the start of a page, where the b-tree is described
        const size_t page = At(bytes.size() / kPage) * kPage;
        for (size_t flips = 1 + At(8); flips > 0; --flips) {
          bytes[page + At(64)] ^= static_cast<char>(1 << At(8));
        }
        break;
      }
      default:  // noise from some place on
        for (size_t i = At(bytes.size()); i < bytes.size(); ++i) {
          bytes[i] = static_cast<char>(random_());
        }
    }
    return bytes;
  }

 private:
  size_t At(size_t count) { return random_() % count; }

  std::minstd_rand random_;
};

TEST(Damage, NeverBreaksAGemmNorPicksAnIllegalConfig) {
  FakeKernels::Reset();
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  const DeviceFacts device = TestDevice();
  std::vector<GemmProblem> problems;
  {
    auto store = Store::Open(path, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < 20; ++i) {
      problems.push_back(TestProblem(64 + i, 256, 64));
      for (const GemmConfig& config :
           LegalNonDefaults(problems.back(), device, 3)) {
        TuneFor(store->get(), problems.back(), config, device, 100);
      }
    }
  }
  const std::string sound = Contents(path);
  ASSERT_GT(sound.size(), 20000u);

  alignas(256) char operand[256];
  GemmArguments arguments;
  arguments.a = arguments.b = arguments.d = operand;
  int hits = 0, losses = 0;
  for (int number = 0; number < g_databases; ++number) {
    SCOPED_TRACE(number);
    std::remove((path + "-journal").c_str());
    Write(path, Damager(number + 1).Damaged(sound));
    TunedGemmOptions options;
    // Both ways of reading.
    options.user_database = number % 2 == 0 ? path : "";
    options.system_database = number % 2 == 0 ? "" : path;
    options.shape_log = "";
    options.device = device;
    options.backend = &FakeKernels::Backend();
    int warnings = 0;
    options.warn = [&warnings](const std::string&) { ++warnings; };
    auto gemm = TunedGemm::Open(options);
    ASSERT_TRUE(gemm.ok()) << gemm.status();
    EXPECT_LE(warnings, 2);
    for (const GemmProblem& problem : problems) {
      Choice ran;
      const absl::Status status =
          (*gemm)->Run(problem, arguments, nullptr, 0, nullptr, &ran);
      ASSERT_TRUE(status.ok()) << status;
      const absl::Status legal =
          CheckLegal(Normalized(problem), ran.config, device);
      ASSERT_TRUE(legal.ok()) << legal;
      const bool hit = ran.why == Why::kTuned || ran.why == Why::kSystem;
      ++(hit ? hits : losses);
    }
  }
  // The damage is neither always fatal nor always harmless.
  EXPECT_GT(hits, 0);
  EXPECT_GT(losses, 0);
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr char kFlag[] = "--databases=";
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], kFlag, strlen(kFlag)) == 0) {
      tiletune::g_databases = atoi(argv[i] + strlen(kFlag));
    }
  }
  return RUN_ALL_TESTS();
}
