#include "testing/blackwell/case_request.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/registry.h"
#include "kernels/tiling.h"
#include "testing/blackwell/case_flags.h"
#include "testing/blackwell/kernel_names.h"

namespace tiletune {

const char kCaseUsage[] =
    "usage: bazel run //testing/blackwell:run_case -- VARIANT [FLAGS]\n"
    "       bazel run //testing/blackwell:run_case -- --list[=GLOB]\n"
    "the problem:\n"
    "  --m=300 --n=424 --k=136 --batch=1 --layout=TN|NN|NT|TT\n"
    "  --a=TYPE --b=TYPE --d=TYPE --c=TYPE   bf16 fp16 fp32 e4m3 e5m2\n"
    "  --alpha=1 --beta=0 --bias=none|row|column\n"
    "  --activation=none|relu|gelu|silu --scaling=none|tensor|rowcolumn\n"
    "  --amax                 of an 8-bit D\n"
    "  --problem=KEY          as the database writes it, strides and all:\n"
    "                         \"300x424x136x2 bf16 NT -> bf16 lda=304\"\n"
    "the config:\n"
    "  --order=o1zn --splits=1 --max-sms=N\n"
    "the emulator:\n"
    "  --seed=1 --seeds=1     so many runs, each in another interleaving\n"
    "  --checks=strict|hardware --clc-refusal=0.1 --sms=N --trace=FILE.json\n"
    "  --inputs=integers|normal   sums are exact, or have an error bound\n"
    "  --ptx=FILE             of this kernel, changed\n"
    "Exit status: 0 right, 1 findings or a wrong D, 2 unusable input.\n";

namespace {

CaseFlags ParseFlags(const std::vector<std::string>& words) {
  return CaseFlags(
      words,
      {"a",       "activation", "alpha",  "amax",    "b",   "batch",
       "beta",    "bias",       "c",      "checks",  "d",   "clc-refusal",
       "inputs",  "k",          "list",   "layout",  "m",   "max-sms",
       "n",       "order",      "seed",   "problem", "ptx", "seeds",
       "scaling", "sms",        "splits", "trace"},
      {"amax", "list"});
}

void ReadSizes(CaseFlags* flags, GemmProblem* p) {
  if (flags->Has("problem")) {
    flags->ReadName("problem", &ParseProblemKey, p);
    for (const char* part : {"m", "n", "k", "batch", "layout"}) {
      if (flags->Has(part)) flags->Fail("--problem already says --", part);
    }
    return;
  }
  p->m = 300;
  p->n = 424;
  p->k = 136;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  flags->Read("m", 0, kMost, &p->m);
  flags->Read("n", 0, kMost, &p->n);
  flags->Read("k", 0, kMost, &p->k);
  flags->Read("batch", 0, kMost, &p->batch);
  flags->ReadName("layout", &ParseLayout, &p->layout);
}

void ReadTypes(CaseFlags* flags, const KernelVariant& v, GemmProblem* p) {
  const bool is_new = !flags->Has("problem");
  if (is_new && v.operand_bits == 8) {
    p->a_type = p->b_type = DataType::kFp8E4m3;
  }
  flags->ReadName("a", &ParseDataType, &p->a_type);
  flags->ReadName("b", &ParseDataType, &p->b_type);
  flags->ReadName("d", &ParseDataType, &p->d_type);
  if (is_new) {
    p->c_type = BitsOf(p->d_type) == 8 ? DataType::kBf16 : p->d_type;
  }
  flags->ReadName("c", &ParseDataType, &p->c_type);
}

void ReadEpilogue(CaseFlags* flags, KernelCase* c) {
  Epilogue& e = c->problem.epilogue;
  flags->ReadName("bias", &ParseBias, &e.bias);
  flags->ReadName("activation", &ParseActivation, &e.activation);
  flags->ReadName("scaling", &ParseScaling, &c->problem.scaling);
  flags->ReadReal("alpha", -1e6, 1e6, &c->alpha);
  flags->ReadReal("beta", -1e6, 1e6, &c->beta);
  e.amax = e.amax || flags->Has("amax");
  e.reads_c = e.reads_c || c->beta != 0 || flags->Has("c");
}

// Larger ones would run for hours, or out of memory.
void CheckSize(const GemmProblem& p, CaseFlags* flags) {
  constexpr double kMostProducts = 1e12;
  constexpr double kMostElements = 1e9;
  const auto size = [](int64_t x) { return static_cast<double>(x); };
  const double rows = size(std::max({p.m, p.n, p.k}));
  const double elements = rows * size(std::max({p.lda, p.ldb, p.ldd}));
  if (Flops(p) / 2 <= kMostProducts &&
      elements * size(p.batch) <= kMostElements) {
    return;
  }
  flags->Fail(ProblemKey(p),
              " is too large to emulate: stay below 10^12 products and 10^9 "
              "elements a matrix");
}

void ReadConfig(CaseFlags* flags, KernelCase* c) {
  const std::string order = flags->ValueOf("order", "o1zn");
  const std::string splits = flags->ValueOf("splits", "1");
  const absl::StatusOr<GemmConfig> config =
      ParseConfig(absl::StrCat(c->variant->name, " ", order, " k", splits));
  if (!config.ok()) {
    flags->Fail("--order=", order, " --splits=", splits,
                ": an order looks like o1zn or o8nz, splits are a whole "
                "number from 1 on");
    return;
  }
  c->offset = config->swizzle_offset;
  c->direction = config->swizzle_direction;
  c->split_k = config->split_k;
  flags->Read("max-sms", 1, 100000, &c->max_sms);
}

void ReadEmulation(CaseFlags* flags, KernelCase* c) {
  const int cluster = ClusterSize(*c->variant);
  int sms = c->resident_clusters * cluster;
  flags->Read("sms", cluster, 1000, &sms);
  c->resident_clusters = sms / cluster;
  flags->Read("seed", 0, std::numeric_limits<int64_t>::max(), &c->seed);
  flags->Read("seeds", 1, 1000000, &c->interleavings);
  c->refusal_rate = c->variant->supply == SupplyKind::kClc ? 0.1 : 0;
  flags->ReadReal("clc-refusal", 0, 1, &c->refusal_rate);
  std::string checks = "strict";
  flags->ReadChoice("checks", {"strict", "hardware"}, &checks);
  c->strict = checks == "strict";
  c->trace_path = flags->ValueOf("trace", "");
}

// Whether products with it are exact where sums of small integers are.
bool IsSmallPowerOfTwo(float x) {
  int exponent = 0;
  return x == 0 || (std::abs(std::frexp(x, &exponent)) == 0.5f &&
                    std::abs(exponent - 1) <= 4);
}

void ReadInputs(CaseFlags* flags, KernelCase* c) {
  const bool exact = IsSmallPowerOfTwo(c->alpha) && IsSmallPowerOfTwo(c->beta);
  std::string inputs = exact ? "integers" : "normal";
  flags->ReadChoice("inputs", {"integers", "normal"}, &inputs);
  c->has_random_inputs = inputs == "normal";
  if (exact || c->has_random_inputs) return;
  flags->Fail(
      "--inputs=integers needs an alpha and a beta that are powers of two "
      "from 1/16 to 16, for exact sums; or say --inputs=normal");
}

}  // namespace

absl::StatusOr<CaseRequest> ParseCaseRequest(
    const std::vector<std::string>& words) {
  CaseRequest request;
  CaseFlags flags = ParseFlags(words);
  if (flags.Has("list")) {
    const std::string glob = flags.ValueOf("list", "");
    request.list = BlackwellKernels(glob.empty() ? "*" : glob);
    if (request.list.empty()) flags.Fail("no kernel matches ", glob);
    if (flags.status().ok()) return request;
  } else if (flags.names().size() != 1) {
    flags.Fail("name one kernel, or say --list\n", kCaseUsage);
  }
  if (!flags.status().ok()) return flags.status();

  KernelCase& c = request.kernel_case;
  const auto variant = FindBlackwellKernel(flags.names()[0]);
  if (!variant.ok()) return variant.status();
  c.variant = *variant;
  ReadSizes(&flags, &c.problem);
  ReadTypes(&flags, *c.variant, &c.problem);
  ReadEpilogue(&flags, &c);
  ReadConfig(&flags, &c);
  ReadEmulation(&flags, &c);
  ReadInputs(&flags, &c);
  request.ptx_path = flags.ValueOf("ptx", "");
  if (!flags.status().ok()) return flags.status();

  absl::Status status = CheckLegal(c.problem, ConfigOf(c), DeviceOf(c));
  if (!status.ok()) return status;
  c.problem = Normalized(c.problem);
  CheckSize(c.problem, &flags);
  if (!flags.status().ok()) return flags.status();
  return request;
}

}  // namespace tiletune
