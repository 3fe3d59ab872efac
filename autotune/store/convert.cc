#include "autotune/store/convert.h"

#include <chrono>

#include "autotune/store/uid.h"

namespace tiletune {
namespace {

Value Text(std::string_view text) { return std::string(text); }

void SetKeys(const GemmProblem& problem, const ConfigRecord& config,
             const DeviceFacts& device, Row* row) {
  row->Set("device", device.Fingerprint());
  row->Set("modelled", int64_t{device.modelled});
  row->Set("capability_major", int64_t{device.capability_major});
  row->Set("capability_minor", int64_t{device.capability_minor});
  row->Set("sm_count", int64_t{device.sm_count});
  row->Set("l2_bytes", device.l2_bytes);
  row->Set("bandwidth_class", int64_t{device.bandwidth_class});
  row->Set("power_class", int64_t{device.power_class});
  row->Set("shared_bytes_per_cta", int64_t{device.shared_bytes_per_cta});
  row->Set("max_clock_mhz", int64_t{device.max_clock_mhz});
  row->Set("memory_bytes_per_second", device.memory_bytes_per_second);
  row->Set("dense_16bit_flops", device.dense_16bit_flops);
  row->Set("device_name", device.name);

  row->Set("problem", ProblemKey(problem));
  row->Set("m", problem.m);
  row->Set("n", problem.n);
  row->Set("k", problem.k);
  row->Set("batch", problem.batch);
  row->Set("a_type", Text(Name(problem.a_type)));
  row->Set("b_type", Text(Name(problem.b_type)));
  row->Set("d_type", Text(Name(problem.d_type)));
  row->Set("layout", Text(Name(problem.layout)));

  row->Set("config", config.key);
  row->Set("build", config.build);
  row->Set("variant", config.variant);
  row->Set("supply", config.supply);
  row->Set("tile_m", int64_t{config.tile_m});
  row->Set("tile_n", int64_t{config.tile_n});
  row->Set("tile_k", int64_t{config.tile_k});
  row->Set("cluster_ctas", int64_t{config.cluster_ctas});
  row->Set("stages", int64_t{config.stages});
  row->Set("threads", int64_t{config.threads});
  row->Set("shared_bytes", int64_t{config.shared_bytes});
  row->Set("swizzle_offset", int64_t{config.swizzle_offset});
  row->Set("swizzle_direction", int64_t{config.swizzle_direction});
  row->Set("split_k", int64_t{config.split_k});
}

void SetPolicy(const MeasurementPolicy& policy, Row* row) {
  row->Set("l2", Text(policy.l2 == L2State::kCold ? "cold" : "warm"));
  row->Set("launch",
           Text(policy.launch == LaunchMode::kGraph ? "graph" : "stream"));
  row->Set("busy_percent", int64_t{policy.busy_percent});
}

int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }

ConfigRecord ConfigFrom(const Row& row) {
  ConfigRecord config;
  config.key = row.Text("config");
  config.build = row.Text("build");
  config.variant = row.Text("variant");
  config.supply = row.Text("supply");
  config.tile_m = Narrow(row.Integer("tile_m"));
  config.tile_n = Narrow(row.Integer("tile_n"));
  config.tile_k = Narrow(row.Integer("tile_k"));
  config.cluster_ctas = Narrow(row.Integer("cluster_ctas"));
  config.stages = Narrow(row.Integer("stages"));
  config.threads = Narrow(row.Integer("threads"));
  config.shared_bytes = Narrow(row.Integer("shared_bytes"));
  config.swizzle_offset = Narrow(row.Integer("swizzle_offset"));
  config.swizzle_direction = Narrow(row.Integer("swizzle_direction"));
  config.split_k = Narrow(row.Integer("split_k"));
  return config;
}

// Fills the three fields that these structs share.
template <typename Struct>
absl::Status FillKeys(const Row& row, Struct* out) {
  absl::StatusOr<GemmProblem> problem = ParseProblemKey(row.Text("problem"));
  if (!problem.ok()) return problem.status();
  out->problem = *problem;
  out->config = ConfigFrom(row);
  out->device = DeviceFrom(row);
  return absl::OkStatus();
}

}  // namespace

Row ToRow(const Measurement& m) {
  Row row;
  row.Set("uid", m.uid.empty() ? MakeUid() : m.uid);
  SetKeys(m.problem, m.config, m.device, &row);
  SetPolicy(m.policy, &row);
  row.Set("stage", Text(Name(m.stage)));
  row.Set("outcome", Text(Name(m.outcome)));
  row.Set("detail", m.detail);
  row.Set("is_default", int64_t{m.is_default});
  row.Set("sample_count", m.sample_count);
  row.Set("median_ns", m.median_ns);
  row.Set("mean_ns", m.mean_ns);
  row.Set("min_ns", m.min_ns);
  row.Set("relative_spread", m.relative_spread);
  row.Set("noise", m.noise);
  row.Set("soak_repeats", m.soak_repeats);
  row.Set("sm_clock_mhz", int64_t{m.sm_clock_mhz});
  row.Set("memory_clock_mhz", int64_t{m.memory_clock_mhz});
  row.Set("temperature_c", int64_t{m.temperature_c});
  row.Set("power_limit_w", int64_t{m.power_limit_w});
  row.Set("power_capped", int64_t{m.power_capped});
  row.Set("input_kind", m.input_kind);
  row.Set("driver", m.device.driver);
  row.Set("run_uid", m.run_uid);
  row.Set("recorded_at_us",
          m.recorded_at_us == 0 ? NowMicros() : m.recorded_at_us);
  row.Set("samples_ns", m.samples_ns);
  return row;
}

Row ToRow(const Prediction& p) {
  Row row;
  SetKeys(p.problem, p.config, p.device, &row);
  row.Set("model", p.model);
  row.Set("predicted_ns", p.predicted_ns);
  row.Set("is_default", int64_t{p.is_default});
  row.Set("recorded_at_us",
          p.recorded_at_us == 0 ? NowMicros() : p.recorded_at_us);
  return row;
}

Row ToRow(const Attempt& a) {
  Row row;
  row.Set("uid", a.uid.empty() ? MakeUid() : a.uid);
  SetKeys(a.problem, a.config, a.device, &row);
  SetPolicy(a.policy, &row);
  row.Set("run_uid", a.run_uid);
  row.Set("started_at_us",
          a.started_at_us == 0 ? NowMicros() : a.started_at_us);
  return row;
}

Row ToRow(const Run& run) {
  Row row;
  row.Set("uid", run.uid.empty() ? MakeUid() : run.uid);
  row.Set("host", run.host);
  row.Set("command", run.command);
  row.Set("tool_version", run.tool_version);
  row.Set("started_at_us",
          run.started_at_us == 0 ? NowMicros() : run.started_at_us);
  return row;
}

Row QuarantineToRow(const GemmProblem& problem, const ConfigRecord& config,
                    const DeviceFacts& device, const std::string& reason,
                    const std::optional<MeasurementPolicy>& policy) {
  Row row;
  SetKeys(problem, config, device, &row);
  row.Set("policy", policy.has_value() ? PolicyKey(*policy) : std::string());
  row.Set("reason", reason);
  row.Set("recorded_at_us", NowMicros());
  return row;
}

absl::StatusOr<Measurement> MeasurementFrom(const Row& row) {
  Measurement m;
  absl::Status status = FillKeys(row, &m);
  if (!status.ok()) return status;
  m.uid = row.Text("uid");
  m.policy = PolicyFrom(row);
  m.stage =
      row.Text("stage") == Name(Stage::kFinal) ? Stage::kFinal : Stage::kScreen;
  // An outcome of a newer build is not ok, whatever else it is.
  m.outcome = Outcome::kRefused;
  const std::string outcome = row.Text("outcome");
  for (Outcome known :
       {Outcome::kOk, Outcome::kWrong, Outcome::kCrashed, Outcome::kTimeout,
        Outcome::kOutOfMemory, Outcome::kUnstable}) {
    if (outcome == Name(known)) m.outcome = known;
  }
  m.detail = row.Text("detail");
  m.is_default = row.Integer("is_default") != 0;
  m.samples_ns = row.Floats("samples_ns");
  m.sample_count = row.Integer("sample_count");
  m.median_ns = row.Real("median_ns");
  m.mean_ns = row.Real("mean_ns");
  m.min_ns = row.Real("min_ns");
  m.relative_spread = row.Real("relative_spread");
  m.noise = row.Real("noise");
  m.soak_repeats = row.Integer("soak_repeats");
  m.sm_clock_mhz = Narrow(row.Integer("sm_clock_mhz"));
  m.memory_clock_mhz = Narrow(row.Integer("memory_clock_mhz"));
  m.temperature_c = Narrow(row.Integer("temperature_c"));
  m.power_limit_w = Narrow(row.Integer("power_limit_w"));
  m.power_capped = row.Integer("power_capped") != 0;
  m.input_kind = row.Text("input_kind");
  m.device.driver = row.Text("driver");
  m.run_uid = row.Text("run_uid");
  m.recorded_at_us = row.Integer("recorded_at_us");
  return m;
}

absl::StatusOr<Prediction> PredictionFrom(const Row& row) {
  Prediction p;
  absl::Status status = FillKeys(row, &p);
  if (!status.ok()) return status;
  p.model = row.Text("model");
  p.predicted_ns = row.Real("predicted_ns");
  p.is_default = row.Integer("is_default") != 0;
  p.recorded_at_us = row.Integer("recorded_at_us");
  return p;
}

absl::StatusOr<Attempt> AttemptFrom(const Row& row) {
  Attempt a;
  absl::Status status = FillKeys(row, &a);
  if (!status.ok()) return status;
  a.uid = row.Text("uid");
  a.policy = PolicyFrom(row);
  a.run_uid = row.Text("run_uid");
  a.started_at_us = row.Integer("started_at_us");
  return a;
}

Run RunFrom(const Row& row) {
  Run run;
  run.uid = row.Text("uid");
  run.host = row.Text("host");
  run.command = row.Text("command");
  run.tool_version = row.Text("tool_version");
  run.started_at_us = row.Integer("started_at_us");
  return run;
}

absl::StatusOr<QuarantineRow> QuarantineFrom(const Row& row) {
  QuarantineRow q;
  q.device = row.Text("device");
  q.problem = row.Text("problem");
  q.config = row.Text("config");
  q.build = row.Text("build");
  if (const std::string key = row.Text("policy"); !key.empty()) {
    const absl::StatusOr<MeasurementPolicy> policy = ParsePolicy(key);
    if (!policy.ok()) return policy.status();
    q.policy = *policy;
  }
  q.reason = row.Text("reason");
  q.recorded_at_us = row.Integer("recorded_at_us");
  return q;
}

MarkRow MarkFrom(const Row& row) {
  MarkRow mark;
  mark.measurement_uid = row.Text("measurement_uid");
  mark.mark =
      row.Text("mark") == Name(Mark::kStale) ? Mark::kStale : Mark::kSuspect;
  mark.reason = row.Text("reason");
  return mark;
}

MeasurementPolicy PolicyFrom(const Row& row) {
  MeasurementPolicy policy;
  policy.l2 = row.Text("l2") == "warm" ? L2State::kWarm : L2State::kCold;
  policy.launch =
      row.Text("launch") == "stream" ? LaunchMode::kStream : LaunchMode::kGraph;
  policy.busy_percent = Narrow(row.Integer("busy_percent"));
  return policy;
}

DeviceFacts DeviceFrom(const Row& row) {
  DeviceFacts device;
  device.modelled = row.Integer("modelled") != 0;
  device.capability_major = Narrow(row.Integer("capability_major"));
  device.capability_minor = Narrow(row.Integer("capability_minor"));
  device.sm_count = Narrow(row.Integer("sm_count"));
  device.l2_bytes = row.Integer("l2_bytes");
  device.bandwidth_class = Narrow(row.Integer("bandwidth_class"));
  device.power_class = Narrow(row.Integer("power_class"));
  device.shared_bytes_per_cta = Narrow(row.Integer("shared_bytes_per_cta"));
  device.max_clock_mhz = Narrow(row.Integer("max_clock_mhz"));
  device.memory_bytes_per_second = row.Real("memory_bytes_per_second");
  device.dense_16bit_flops = row.Real("dense_16bit_flops");
  device.name = row.Text("device_name");
  return device;
}

std::string_view Name(Mark mark) {
  return mark == Mark::kStale ? "stale" : "suspect";
}

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace tiletune
