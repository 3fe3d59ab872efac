#include "autotune/store/transfer.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace tiletune {

// The columns that every row with a device, a problem and a config brings.
#define TILETUNE_KEY_COLUMNS                                                 \
  " d.fingerprint AS device, d.modelled, d.capability_major,"                \
  " d.capability_minor, d.sm_count, d.l2_bytes, d.bandwidth_class,"          \
  " d.power_class, d.shared_bytes_per_cta, d.max_clock_mhz,"                 \
  " d.memory_bytes_per_second, d.dense_16bit_flops, d.name AS device_name,"  \
  " p.key AS problem, p.m, p.n, p.k, p.batch, p.a_type, p.b_type, p.d_type," \
  " p.layout, c.key AS config, c.build, c.variant, c.supply, c.tile_m,"      \
  " c.tile_n, c.tile_k, c.cluster_ctas, c.stages, c.threads,"                \
  " c.shared_bytes, c.swizzle_offset, c.swizzle_direction, c.split_k"

#define TILETUNE_KEY_JOINS                     \
  " JOIN devices AS d ON d.id = m.device_id"   \
  " JOIN problems AS p ON p.id = m.problem_id" \
  " JOIN configs AS c ON c.id = m.config_id"

// Two cards of one fingerprint may differ in name or boost clock; max and min
// keep the same one whichever comes first.
#define TILETUNE_INSERT_KEYS                                                 \
  "INSERT INTO devices(fingerprint, modelled, capability_major,"             \
  " capability_minor, sm_count, l2_bytes, bandwidth_class, power_class,"     \
  " shared_bytes_per_cta, max_clock_mhz, memory_bytes_per_second,"           \
  " dense_16bit_flops, name) VALUES (:device, :modelled, :capability_major," \
  " :capability_minor, :sm_count, :l2_bytes, :bandwidth_class,"              \
  " :power_class, :shared_bytes_per_cta, :max_clock_mhz,"                    \
  " :memory_bytes_per_second, :dense_16bit_flops, :device_name)"             \
  " ON CONFLICT(fingerprint) DO UPDATE SET"                                  \
  " shared_bytes_per_cta ="                                                  \
  "   max(shared_bytes_per_cta, excluded.shared_bytes_per_cta),"             \
  " max_clock_mhz = max(max_clock_mhz, excluded.max_clock_mhz),"             \
  " memory_bytes_per_second ="                                               \
  "   max(memory_bytes_per_second, excluded.memory_bytes_per_second),"       \
  " dense_16bit_flops = max(dense_16bit_flops, excluded.dense_16bit_flops)," \
  " name = min(name, excluded.name);"                                        \
  "INSERT INTO problems(key, m, n, k, batch, a_type, b_type, d_type,"        \
  " layout) VALUES (:problem, :m, :n, :k, :batch, :a_type, :b_type,"         \
  " :d_type, :layout) ON CONFLICT(key) DO NOTHING;"                          \
  "INSERT INTO configs(key, build, variant, supply, tile_m, tile_n, tile_k," \
  " cluster_ctas, stages, threads, shared_bytes, swizzle_offset,"            \
  " swizzle_direction, split_k) VALUES (:config, :build, :variant, :supply," \
  " :tile_m, :tile_n, :tile_k, :cluster_ctas, :stages, :threads,"            \
  " :shared_bytes, :swizzle_offset, :swizzle_direction, :split_k)"           \
  " ON CONFLICT(key, build) DO NOTHING;"

#define TILETUNE_KEY_IDS                                   \
  " (SELECT id FROM devices WHERE fingerprint = :device)," \
  " (SELECT id FROM problems WHERE key = :problem),"       \
  " (SELECT id FROM configs WHERE key = :config AND build = :build)"

const Transfer kRuns = {
    "run",
    "SELECT m.uid, m.host, m.command, m.tool_version, m.started_at_us"
    " FROM runs AS m",
    " ORDER BY m.started_at_us, m.uid", false,
    "INSERT INTO runs(uid, host, command, tool_version, started_at_us)"
    " VALUES (:uid, :host, :command, :tool_version, :started_at_us)"
    " ON CONFLICT(uid) DO NOTHING;"};

const Transfer kMeasurements = {
    "measurement",
    "SELECT m.uid," TILETUNE_KEY_COLUMNS
    ", m.l2, m.launch, m.busy_percent, m.stage, m.outcome, m.detail,"
    " m.is_default, m.sample_count, m.median_ns, m.mean_ns, m.min_ns,"
    " m.relative_spread, m.noise, m.soak_repeats, m.sm_clock_mhz,"
    " m.memory_clock_mhz, m.temperature_c, m.power_limit_w, m.power_capped,"
    " m.input_kind, m.driver, m.run_uid, m.recorded_at_us, m.samples_ns"
    " FROM measurements AS m" TILETUNE_KEY_JOINS,
    " ORDER BY m.recorded_at_us, m.uid", true,
    TILETUNE_INSERT_KEYS
    "INSERT INTO measurements(uid, device_id, problem_id, config_id, l2,"
    " launch, busy_percent, stage, outcome, detail, is_default,"
    " sample_count, median_ns, mean_ns, min_ns, relative_spread, noise,"
    " soak_repeats, sm_clock_mhz, memory_clock_mhz, temperature_c,"
    " power_limit_w, power_capped, input_kind, driver, run_uid,"
    " recorded_at_us, samples_ns) VALUES (:uid," TILETUNE_KEY_IDS
    ", :l2, :launch, :busy_percent, :stage, :outcome, :detail, :is_default,"
    " :sample_count, :median_ns, :mean_ns, :min_ns, :relative_spread, :noise,"
    " :soak_repeats, :sm_clock_mhz, :memory_clock_mhz, :temperature_c,"
    " :power_limit_w, :power_capped, :input_kind, :driver, :run_uid,"
    " :recorded_at_us, :samples_ns) ON CONFLICT(uid) DO NOTHING;"
    "DELETE FROM attempts WHERE uid = :uid;"};

const Transfer kPredictions = {
    "prediction",
    "SELECT" TILETUNE_KEY_COLUMNS
    ", m.model, m.predicted_ns, m.is_default, m.recorded_at_us"
    " FROM predictions AS m" TILETUNE_KEY_JOINS,
    " ORDER BY d.fingerprint, p.key, c.key, c.build, m.model", true,
    TILETUNE_INSERT_KEYS
    "INSERT INTO predictions(device_id, problem_id, config_id, model,"
    " predicted_ns, is_default, recorded_at_us) VALUES (" TILETUNE_KEY_IDS
    ", :model, :predicted_ns, :is_default, :recorded_at_us)"
    " ON CONFLICT(device_id, problem_id, config_id, model) DO UPDATE SET"
    " predicted_ns = excluded.predicted_ns, is_default = excluded.is_default,"
    " recorded_at_us = excluded.recorded_at_us"
    " WHERE (excluded.recorded_at_us, excluded.predicted_ns,"
    "        excluded.is_default) >"
    "       (recorded_at_us, predicted_ns, is_default);"};

const Transfer kQuarantine = {
    "quarantine",
    "SELECT" TILETUNE_KEY_COLUMNS
    ", m.policy, m.reason, m.recorded_at_us"
    " FROM quarantine AS m" TILETUNE_KEY_JOINS,
    " ORDER BY d.fingerprint, p.key, c.key, c.build, m.policy, m.reason", true,
    TILETUNE_INSERT_KEYS
    "INSERT INTO quarantine(device_id, problem_id, config_id, policy, reason,"
    " recorded_at_us) VALUES (" TILETUNE_KEY_IDS
    ", :policy, :reason, :recorded_at_us)"
    " ON CONFLICT(device_id, problem_id, config_id, policy, reason)"
    " DO UPDATE SET"
    " recorded_at_us = min(recorded_at_us, excluded.recorded_at_us);"};

const Transfer kMarks = {
    "mark", "SELECT m.measurement_uid, m.mark, m.reason FROM marks AS m",
    " ORDER BY m.measurement_uid, m.mark, m.reason", false,
    "INSERT INTO marks(measurement_uid, mark, reason)"
    " VALUES (:measurement_uid, :mark, :reason)"
    " ON CONFLICT(measurement_uid, mark, reason) DO NOTHING;"};

const Transfer kAttempts = {
    "attempt",
    "SELECT m.uid," TILETUNE_KEY_COLUMNS
    ", m.l2, m.launch, m.busy_percent, m.run_uid, m.started_at_us"
    " FROM attempts AS m" TILETUNE_KEY_JOINS,
    " ORDER BY m.started_at_us, m.uid", true,
    TILETUNE_INSERT_KEYS
    "INSERT INTO attempts(uid, device_id, problem_id, config_id, l2, launch,"
    " busy_percent, run_uid, started_at_us) VALUES (:uid," TILETUNE_KEY_IDS
    ", :l2, :launch, :busy_percent, :run_uid, :started_at_us)"
    " ON CONFLICT(uid) DO NOTHING;"};

#undef TILETUNE_KEY_COLUMNS
#undef TILETUNE_KEY_JOINS
#undef TILETUNE_INSERT_KEYS
#undef TILETUNE_KEY_IDS

const Transfer* const kShared[kSharedCount] = {
    &kRuns, &kMeasurements, &kPredictions, &kQuarantine, &kMarks};

std::string Where(const Filter& filter, const std::string& device_column,
                  const std::string& problem_column,
                  const std::string& policy_prefix, bool has_policy,
                  const std::string& run_column) {
  std::string sql;
  const auto require = [&sql](const std::string& condition) {
    absl::StrAppend(&sql, sql.empty() ? " WHERE " : " AND ", condition);
  };
  if (!filter.device.empty() && !device_column.empty()) {
    require(device_column + " = ?1");
  }
  if (!filter.problem.empty() && !problem_column.empty()) {
    require(problem_column + " = ?2");
  }
  if (!filter.run_uid.empty() && !run_column.empty()) {
    require(run_column + " = ?3");
  }
  if (filter.policy.has_value() && has_policy) {
    const MeasurementPolicy& policy = *filter.policy;
    require(absl::StrCat(policy_prefix, "l2 = '",
                         policy.l2 == L2State::kCold ? "cold" : "warm", "'"));
    require(absl::StrCat(
        policy_prefix, "launch = '",
        policy.launch == LaunchMode::kGraph ? "graph" : "stream", "'"));
    require(
        absl::StrCat(policy_prefix, "busy_percent = ", policy.busy_percent));
  }
  return sql;
}

absl::Status ReadRows(Connection* db, const Transfer& transfer,
                      const Filter& filter,
                      const std::function<absl::Status(const Row&)>& use) {
  const bool timed = &transfer == &kMeasurements || &transfer == &kAttempts;
  const bool keyed = transfer.has_device_problem_config;
  const std::string where =
      Where(filter, keyed ? "d.fingerprint" : "", keyed ? "p.key" : "", "m.",
            timed, timed ? "m.run_uid" : "");
  absl::StatusOr<Statement> rows =
      db->Prepare(absl::StrCat(transfer.select, where, transfer.order).c_str());
  if (!rows.ok()) return rows.status();
  rows->Bind(filter.device, filter.problem, filter.run_uid);
  while (true) {
    absl::StatusOr<bool> more = rows->Step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    absl::Status used = use(rows->CurrentRow());
    if (!used.ok()) return used;
  }
}

absl::Status WriteRow(Connection* db, const Transfer& transfer,
                      const Row& row) {
  absl::StatusOr<std::vector<Statement>*> inserts =
      db->PrepareAll(transfer.insert);
  if (!inserts.ok()) return inserts.status();
  for (Statement& insert : **inserts) {
    absl::Status status = insert.BindNamed(row);
    if (status.ok()) status = insert.Run();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tiletune
