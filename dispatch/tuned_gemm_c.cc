#include "dispatch/tuned_gemm_c.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "dispatch/tuned_gemm.h"

struct tiletune_gemm {
  std::unique_ptr<tiletune::TunedGemm> gemm;
};

struct tiletune_prepared {
  tiletune::PreparedGemm gemm;
};

namespace tiletune {
namespace {

thread_local std::string last_error;  // freed with its thread

int Fail(absl::StatusCode code, std::string message) {
  last_error = std::move(message);
  return static_cast<int>(code);
}

int CodeOf(const absl::Status& status) {
  if (status.ok()) return TILETUNE_OK;
  return Fail(status.code(),
              std::string(status.message().data(), status.message().size()));
}

// Runs `body`, which returns a status; nothing may be thrown into C.
template <typename Body>
int Guarded(Body body) {
  try {
    return CodeOf(body());
  } catch (const std::exception& error) {
    return Fail(absl::StatusCode::kInternal, error.what());
  }
}

// A C program may put any number into an enumeration.
template <typename Enum>
bool Convert(int32_t value, Enum last, Enum* out) {
  if (value < 0 || value > static_cast<int32_t>(last)) return false;
  *out = static_cast<Enum>(value);
  return true;
}

absl::StatusOr<GemmProblem> ProblemOf(const tiletune_problem* c) {
  if (c == nullptr) return absl::InvalidArgumentError("problem is null");
  GemmProblem p;
  p.m = c->m;
  p.n = c->n;
  p.k = c->k;
  p.batch = c->batch;
  const bool known =
      Convert(c->a_type, DataType::kFp8E5m2, &p.a_type) &&
      Convert(c->b_type, DataType::kFp8E5m2, &p.b_type) &&
      Convert(c->c_type, DataType::kFp8E5m2, &p.c_type) &&
      Convert(c->d_type, DataType::kFp8E5m2, &p.d_type) &&
      Convert(c->layout, Layout::kTT, &p.layout) &&
      Convert(c->scaling, Scaling::kBlock128, &p.scaling) &&
      Convert(c->bias, Bias::kPerColumn, &p.epilogue.bias) &&
      Convert(c->activation, Activation::kSilu, &p.epilogue.activation);
  if (!known) {
    return absl::InvalidArgumentError(
        "the problem has a type, layout, scaling, bias or activation that is "
        "no value of its enumeration");
  }
  p.lda = c->lda;
  p.ldb = c->ldb;
  p.ldc = c->ldc;
  p.ldd = c->ldd;
  p.batch_stride_a = c->batch_stride_a;
  p.batch_stride_b = c->batch_stride_b;
  p.batch_stride_c = c->batch_stride_c;
  p.batch_stride_d = c->batch_stride_d;
  p.pointer_alignment = c->pointer_alignment;
  p.epilogue.reads_c = c->reads_c != 0;
  p.epilogue.amax = c->amax != 0;
  return p;
}

GemmArguments ArgumentsOf(const tiletune_arguments& c) {
  GemmArguments arguments;
  arguments.a = c.a;
  arguments.b = c.b;
  arguments.c = c.c;
  arguments.d = c.d;
  arguments.bias = c.bias;
  arguments.alpha = c.alpha;
  arguments.beta = c.beta;
  arguments.alpha_device = c.alpha_device;
  arguments.beta_device = c.beta_device;
  arguments.scale_a = c.scale_a;
  arguments.scale_b = c.scale_b;
  arguments.scale_d = c.scale_d;
  arguments.amax_d = c.amax_d;
  return arguments;
}

void Fill(const Choice& choice, tiletune_choice* out) {
  std::snprintf(out->config, sizeof(out->config), "%s",
                ConfigKey(choice.config).c_str());
  out->why = static_cast<int32_t>(choice.why);
  out->workspace_bytes = choice.workspace_bytes;
  out->expected_ns = choice.expected_ns;
}

absl::StatusOr<TunedGemmOptions> OptionsOf(const tiletune_options& c) {
  TunedGemmOptions options;
  if (c.user_database != nullptr) options.user_database = c.user_database;
  if (c.system_database != nullptr) options.system_database = c.system_database;
  options.device_ordinal = c.device_ordinal;
  if (c.modelled_device != nullptr) {
    absl::StatusOr<DeviceFacts> device = ModelledDevice(c.modelled_device);
    if (!device.ok()) return device.status();
    options.device = *device;
  }
  if (c.policy != nullptr) {
    absl::StatusOr<MeasurementPolicy> policy = ParsePolicy(c.policy);
    if (!policy.ok()) return policy.status();
    options.policy = *policy;
  }
  options.batch_invariant = c.batch_invariant != 0;
  if (c.warn != nullptr) {
    options.warn = [warn = c.warn, data = c.warn_data](
                       const std::string& text) { warn(data, text.c_str()); };
  }
  return options;
}

absl::Status Open(const tiletune_options* c, tiletune_gemm** gemm) {
  if (gemm == nullptr) return absl::InvalidArgumentError("gemm is null");
  *gemm = nullptr;
  tiletune_options defaults;
  tiletune_options_init(&defaults);
  absl::StatusOr<TunedGemmOptions> options =
      OptionsOf(c != nullptr ? *c : defaults);
  if (!options.ok()) return options.status();
  absl::StatusOr<std::unique_ptr<TunedGemm>> opened =
      TunedGemm::Open(*std::move(options));
  if (!opened.ok()) return opened.status();
  *gemm = new tiletune_gemm{*std::move(opened)};
  return absl::OkStatus();
}

absl::Status NotNull(const void* pointer, const char* name) {
  if (pointer != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(std::string(name) + " is null");
}

}  // namespace
}  // namespace tiletune

extern "C" {

void tiletune_options_init(tiletune_options* options) {
  *options = tiletune_options();
}

void tiletune_problem_init(tiletune_problem* problem) {
  *problem = tiletune_problem();
  problem->batch = 1;
  problem->lda = problem->ldb = problem->ldc = problem->ldd = TILETUNE_PACKED;
  problem->batch_stride_a = problem->batch_stride_b = TILETUNE_PACKED;
  problem->batch_stride_c = problem->batch_stride_d = TILETUNE_PACKED;
  problem->pointer_alignment = 16;
}

void tiletune_arguments_init(tiletune_arguments* arguments) {
  *arguments = tiletune_arguments();
  arguments->alpha = 1.0f;
}

int tiletune_open(const tiletune_options* options, tiletune_gemm** gemm) {
  return tiletune::Guarded([&] { return tiletune::Open(options, gemm); });
}

void tiletune_close(tiletune_gemm* gemm) { delete gemm; }

int tiletune_run(tiletune_gemm* gemm, const tiletune_problem* problem,
                 const tiletune_arguments* arguments, void* workspace,
                 size_t workspace_bytes, void* stream, tiletune_choice* ran) {
  return tiletune::Guarded([&]() -> absl::Status {
    absl::Status status = tiletune::NotNull(gemm, "gemm");
    if (status.ok()) status = tiletune::NotNull(arguments, "arguments");
    if (!status.ok()) return status;
    absl::StatusOr<tiletune::GemmProblem> p = tiletune::ProblemOf(problem);
    if (!p.ok()) return p.status();
    tiletune::Choice choice;
    status = gemm->gemm->Run(*p, tiletune::ArgumentsOf(*arguments), workspace,
                             workspace_bytes,
                             static_cast<tiletune::GpuStream>(stream), &choice);
    if (status.ok() && ran != nullptr) tiletune::Fill(choice, ran);
    return status;
  });
}

int tiletune_prepare(tiletune_gemm* gemm, const tiletune_problem* problem,
                     const tiletune_arguments* arguments, void* workspace,
                     size_t workspace_bytes, tiletune_prepared** prepared,
                     tiletune_choice* chosen) {
  return tiletune::Guarded([&]() -> absl::Status {
    absl::Status status = tiletune::NotNull(gemm, "gemm");
    if (status.ok()) status = tiletune::NotNull(arguments, "arguments");
    if (status.ok()) status = tiletune::NotNull(prepared, "prepared");
    if (!status.ok()) return status;
    *prepared = nullptr;
    absl::StatusOr<tiletune::GemmProblem> p = tiletune::ProblemOf(problem);
    if (!p.ok()) return p.status();
    tiletune::Choice choice;
    absl::StatusOr<tiletune::PreparedGemm> made =
        gemm->gemm->Prepare(*p, tiletune::ArgumentsOf(*arguments), workspace,
                            workspace_bytes, &choice);
    if (!made.ok()) return made.status();
    *prepared = new tiletune_prepared{*made};
    if (chosen != nullptr) tiletune::Fill(choice, chosen);
    return absl::OkStatus();
  });
}

int tiletune_prepared_launch(const tiletune_prepared* prepared, void* stream) {
  return tiletune::Guarded([&]() -> absl::Status {
    const absl::Status status = tiletune::NotNull(prepared, "prepared");
    if (!status.ok()) return status;
    return prepared->gemm.Launch(static_cast<tiletune::GpuStream>(stream));
  });
}

int tiletune_prepared_set_arguments(tiletune_prepared* prepared,
                                    const tiletune_arguments* arguments) {
  return tiletune::Guarded([&]() -> absl::Status {
    absl::Status status = tiletune::NotNull(prepared, "prepared");
    if (status.ok()) status = tiletune::NotNull(arguments, "arguments");
    if (!status.ok()) return status;
    return prepared->gemm.SetArguments(tiletune::ArgumentsOf(*arguments));
  });
}

void tiletune_prepared_close(tiletune_prepared* prepared) { delete prepared; }

int tiletune_choose(tiletune_gemm* gemm, const tiletune_problem* problem,
                    tiletune_choice* choice) {
  return tiletune::Guarded([&]() -> absl::Status {
    absl::Status status = tiletune::NotNull(gemm, "gemm");
    if (status.ok()) status = tiletune::NotNull(choice, "choice");
    if (!status.ok()) return status;
    absl::StatusOr<tiletune::GemmProblem> p = tiletune::ProblemOf(problem);
    if (!p.ok()) return p.status();
    absl::StatusOr<tiletune::Choice> chosen = gemm->gemm->Choose(*p);
    if (!chosen.ok()) return chosen.status();
    tiletune::Fill(*chosen, choice);
    return absl::OkStatus();
  });
}

int tiletune_workspace_bytes(tiletune_gemm* gemm,
                             const tiletune_problem* problem, size_t* bytes) {
  return tiletune::Guarded([&]() -> absl::Status {
    absl::Status status = tiletune::NotNull(gemm, "gemm");
    if (status.ok()) status = tiletune::NotNull(bytes, "bytes");
    if (!status.ok()) return status;
    absl::StatusOr<tiletune::GemmProblem> p = tiletune::ProblemOf(problem);
    if (!p.ok()) return p.status();
    absl::StatusOr<size_t> needed = gemm->gemm->WorkspaceBytes(*p);
    if (!needed.ok()) return needed.status();
    *bytes = *needed;
    return absl::OkStatus();
  });
}

int tiletune_prepare_workspace(tiletune_gemm* gemm, void* workspace,
                               size_t workspace_bytes, void* stream) {
  return tiletune::Guarded([&]() -> absl::Status {
    const absl::Status status = tiletune::NotNull(gemm, "gemm");
    if (!status.ok()) return status;
    return gemm->gemm->PrepareWorkspace(
        workspace, workspace_bytes, static_cast<tiletune::GpuStream>(stream));
  });
}

int tiletune_reload(tiletune_gemm* gemm) {
  int changed = 0;
  tiletune::Guarded([&] {
    if (gemm != nullptr) changed = gemm->gemm->Reload() ? 1 : 0;
    return absl::OkStatus();
  });
  return changed;
}

const char* tiletune_why_name(int32_t why) {
  tiletune::Why known;
  if (!tiletune::Convert(why, tiletune::Why::kDefault, &known)) {
    return "unknown";
  }
  return tiletune::Name(known);
}

const char* tiletune_error(void) { return tiletune::last_error.c_str(); }

}  // extern "C"
