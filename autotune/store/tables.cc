#include "autotune/store/tables.h"

namespace tiletune {

const char kTablesV1[] = R"sql(
CREATE TABLE devices(
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  modelled INTEGER NOT NULL CHECK (modelled IN (0, 1)),
  capability_major INTEGER NOT NULL,
  capability_minor INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  bandwidth_class INTEGER NOT NULL,
  power_class INTEGER NOT NULL,
  shared_bytes_per_cta INTEGER NOT NULL,
  max_clock_mhz INTEGER NOT NULL,
  memory_bytes_per_second REAL NOT NULL,
  dense_16bit_flops REAL NOT NULL,
  name TEXT NOT NULL,
  CHECK (modelled = (fingerprint LIKE 'model %'))
) STRICT;
CREATE TABLE problems(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  m INTEGER NOT NULL,
  n INTEGER NOT NULL,
  k INTEGER NOT NULL,
  batch INTEGER NOT NULL,
  a_type TEXT NOT NULL,
  b_type TEXT NOT NULL,
  d_type TEXT NOT NULL,
  layout TEXT NOT NULL
) STRICT;
CREATE TABLE configs(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  build TEXT NOT NULL,
  variant TEXT NOT NULL,
  supply TEXT NOT NULL CHECK (supply IN ('static', 'queue', 'clc')),
  tile_m INTEGER NOT NULL,
  tile_n INTEGER NOT NULL,
  tile_k INTEGER NOT NULL,
  cluster_ctas INTEGER NOT NULL,
  stages INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  swizzle_offset INTEGER NOT NULL,
  swizzle_direction INTEGER NOT NULL,
  split_k INTEGER NOT NULL,
  UNIQUE (key, build)
) STRICT;
CREATE TABLE runs(
  uid TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  command TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  started_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE measurements(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  device_id INTEGER NOT NULL REFERENCES devices(id),
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  config_id INTEGER NOT NULL REFERENCES configs(id),
  l2 TEXT NOT NULL CHECK (l2 IN ('cold', 'warm')),
  launch TEXT NOT NULL CHECK (launch IN ('graph', 'stream')),
  busy_percent INTEGER NOT NULL CHECK (busy_percent BETWEEN 0 AND 99),
  stage TEXT NOT NULL CHECK (stage IN ('screen', 'final')),
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  sample_count INTEGER NOT NULL,
  median_ns REAL NOT NULL,
  mean_ns REAL NOT NULL,
  min_ns REAL NOT NULL,
  relative_spread REAL NOT NULL,
  noise REAL NOT NULL,
  soak_repeats INTEGER NOT NULL,
  sm_clock_mhz INTEGER NOT NULL,
  memory_clock_mhz INTEGER NOT NULL,
  temperature_c INTEGER NOT NULL,
  power_limit_w INTEGER NOT NULL,
  power_capped INTEGER NOT NULL CHECK (power_capped IN (0, 1)),
  input_kind TEXT NOT NULL,
  driver TEXT NOT NULL,
  run_uid TEXT NOT NULL,
  recorded_at_us INTEGER NOT NULL,
  samples_ns BLOB NOT NULL
) STRICT;
CREATE INDEX measurements_by_key
  ON measurements(device_id, problem_id, config_id);
CREATE TABLE attempts(
  uid TEXT PRIMARY KEY,
  device_id INTEGER NOT NULL REFERENCES devices(id),
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  config_id INTEGER NOT NULL REFERENCES configs(id),
  l2 TEXT NOT NULL,
  launch TEXT NOT NULL,
  busy_percent INTEGER NOT NULL,
  run_uid TEXT NOT NULL,
  started_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE predictions(
  device_id INTEGER NOT NULL REFERENCES devices(id),
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  config_id INTEGER NOT NULL REFERENCES configs(id),
  model TEXT NOT NULL,
  predicted_ns REAL NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  recorded_at_us INTEGER NOT NULL,
  PRIMARY KEY (device_id, problem_id, config_id, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE quarantine(
  device_id INTEGER NOT NULL REFERENCES devices(id),
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  config_id INTEGER NOT NULL REFERENCES configs(id),
  reason TEXT NOT NULL,
  recorded_at_us INTEGER NOT NULL,
  PRIMARY KEY (device_id, problem_id, config_id, reason)
) STRICT, WITHOUT ROWID;
CREATE TABLE marks(
  measurement_uid TEXT NOT NULL,
  mark TEXT NOT NULL CHECK (mark IN ('suspect', 'stale')),
  reason TEXT NOT NULL,
  PRIMARY KEY (measurement_uid, mark, reason)
) STRICT, WITHOUT ROWID;
)sql";

// Version 2: an index in the order in which winners are chosen.
const char kTablesV2[] = R"sql(
DROP INDEX measurements_by_key;
CREATE INDEX measurements_by_group ON measurements(
  device_id, problem_id, l2, launch, busy_percent, config_id);
)sql";

// Version 3: a config may be barred under one policy alone. Of what hung beside
// a co-tenant the measurement that says so has the policy.
const char kTablesV3[] = R"sql(
CREATE TABLE quarantine_v3(
  device_id INTEGER NOT NULL REFERENCES devices(id),
  problem_id INTEGER NOT NULL REFERENCES problems(id),
  config_id INTEGER NOT NULL REFERENCES configs(id),
  policy TEXT NOT NULL,
  reason TEXT NOT NULL,
  recorded_at_us INTEGER NOT NULL,
  PRIMARY KEY (device_id, problem_id, config_id, policy, reason)
) STRICT, WITHOUT ROWID;
INSERT INTO quarantine_v3
  SELECT device_id, problem_id, config_id, coalesce(h.policy, ''), reason,
      recorded_at_us
  FROM quarantine LEFT JOIN (
    SELECT DISTINCT device_id, problem_id, config_id,
        outcome || ': ' || detail AS reason,
        iif(busy_percent > 0,
            l2 || '-' || launch || '-busy' || busy_percent, '') AS policy
    FROM measurements WHERE outcome = 'timeout') AS h
  USING (device_id, problem_id, config_id, reason);
DROP TABLE quarantine;
ALTER TABLE quarantine_v3 RENAME TO quarantine;
)sql";

namespace {

// The newest build of each variant that a row of this file was taken with.
const char kCurrentBuilds[] = R"sql(
SELECT variant, build FROM (
  SELECT c.variant, c.build, row_number() OVER (
      PARTITION BY c.variant ORDER BY max(r.at) DESC, c.build DESC) AS nth
  FROM (SELECT config_id, max(recorded_at_us) AS at FROM measurements
          GROUP BY config_id
        UNION ALL
        SELECT config_id, max(recorded_at_us) FROM predictions
          GROUP BY config_id) AS r
  JOIN configs AS c ON c.id = r.config_id
  GROUP BY c.variant, c.build)
WHERE nth = 1
)sql";

// Each step says one sentence of docs/database.md, "Who wins". The first walks
// the index measurements_by_group; a bare column next to one max() comes from
// the row that has it (sqlite.org/lang_select.html#bareagg).
const char kRanked[] = R"sql(
WITH
newest AS (
  SELECT m.id, m.device_id, m.problem_id, m.config_id,
      m.l2, m.launch, m.busy_percent,
      m.stage = 'final' AS is_final, m.is_default, m.median_ns, m.noise,
      max(printf('%d %020d %s',
          m.stage = 'final', m.recorded_at_us, m.uid)) AS newest
  FROM measurements AS m
  JOIN configs AS c ON c.id = m.config_id
  JOIN current_builds AS b ON b.variant = c.variant AND b.build = c.build
  JOIN devices AS d ON d.id = m.device_id
  WHERE m.outcome = 'ok' AND m.median_ns > 0 AND NOT d.modelled
    AND (c.supply = 'static' OR m.soak_repeats >= 64)
    AND NOT EXISTS (SELECT 1 FROM marks AS k
        WHERE k.measurement_uid = m.uid AND k.mark = 'stale')
    AND NOT EXISTS (SELECT 1 FROM quarantine AS q
        WHERE q.device_id = m.device_id AND q.problem_id = m.problem_id
          AND q.config_id = m.config_id
          AND q.policy IN ('',
              m.l2 || '-' || m.launch || '-busy' || m.busy_percent))
  GROUP BY m.device_id, m.problem_id, m.l2, m.launch, m.busy_percent,
      m.config_id),
compared AS (
  SELECT *,
      first_value(is_final) OVER by_time AS furthest,
      first_value(median_ns) OVER by_time AS best_ns,
      first_value(noise) OVER by_time AS best_noise,
      min(iif(is_default AND is_final, median_ns, NULL)) OVER by_time
        AS final_default_ns,
      min(iif(is_default, median_ns, NULL)) OVER by_time AS any_default_ns
  FROM newest
  WINDOW by_time AS (
      PARTITION BY device_id, problem_id, l2, launch, busy_percent
      ORDER BY is_final DESC, median_ns, noise DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
tied AS (
  SELECT *,
      iif(furthest, final_default_ns, any_default_ns) AS default_ns,
      median_ns <= best_ns * (1 + max(noise, best_noise)) AS tied,
      median_ns <= best_ns * (1 + max(noise, best_noise) / 2) AS near
  FROM compared WHERE is_final = furthest)
SELECT t.*,
    CASE WHEN t.tied AND t.is_default THEN '0 ' WHEN t.near THEN '1 '
        WHEN t.tied THEN '2 ' ELSE printf('3 %024.3f ', t.median_ns) END ||
    printf('%010d %04d %08d %05d %d %010d %d %s',
        c.split_k, c.cluster_ctas, c.shared_bytes, c.threads,
        CASE c.supply WHEN 'static' THEN 0 WHEN 'queue' THEN 1 ELSE 2 END,
        c.swizzle_offset, c.swizzle_direction, c.key) AS place_key
FROM tied AS t JOIN configs AS c ON c.id = t.config_id
)sql";

const char kStandings[] = R"sql(
SELECT d.fingerprint AS device, p.key AS problem,
    s.l2, s.launch, s.busy_percent,
    row_number() OVER (
      PARTITION BY s.device_id, s.problem_id, s.l2, s.launch, s.busy_percent
      ORDER BY s.place_key) AS place,
    c.key AS config, c.build, s.median_ns, s.noise, s.tied, s.is_default,
    s.best_ns, s.default_ns, p.m, p.n, p.k, p.batch, m.sample_count,
    m.uid AS measurement_uid, m.recorded_at_us
FROM ranked AS s
JOIN measurements AS m ON m.id = s.id
JOIN devices AS d ON d.id = s.device_id
JOIN problems AS p ON p.id = s.problem_id
JOIN configs AS c ON c.id = s.config_id
)sql";

const char kWinners[] = R"sql(
SELECT d.fingerprint AS device, p.key AS problem, p.m, p.n, p.k, p.batch,
    s.l2, s.launch, s.busy_percent, c.key AS config, c.build,
    s.median_ns, s.noise, s.best_ns, s.default_ns,
    s.default_ns / s.median_ns AS gain,
    2e-3 * p.m * p.n * p.k * p.batch / s.median_ns AS tflops,
    s.ties, s.candidates, m.driver,
    EXISTS (SELECT 1 FROM marks AS k
        WHERE k.measurement_uid = m.uid AND k.mark = 'suspect') AS suspect,
    m.uid AS measurement_uid, m.recorded_at_us
FROM (
  SELECT *, min(place_key), sum(tied) AS ties, count(*) AS candidates
  FROM ranked
  GROUP BY device_id, problem_id, l2, launch, busy_percent) AS s
JOIN measurements AS m ON m.id = s.id
JOIN devices AS d ON d.id = s.device_id
JOIN problems AS p ON p.id = s.problem_id
JOIN configs AS c ON c.id = s.config_id
)sql";

const char kPredictedWinners[] = R"sql(
WITH
newest AS (
  SELECT p.*, first_value(p.model) OVER (
      PARTITION BY p.device_id, p.problem_id
      ORDER BY p.recorded_at_us DESC, p.model DESC) AS newest_model
  FROM predictions AS p
  JOIN configs AS c ON c.id = p.config_id
  JOIN current_builds AS b ON b.variant = c.variant AND b.build = c.build
  WHERE p.predicted_ns > 0
    AND NOT EXISTS (SELECT 1 FROM quarantine AS q
        WHERE q.device_id = p.device_id AND q.problem_id = p.problem_id
          AND q.config_id = p.config_id AND q.policy = '')),
placed AS (
  SELECT n.*,
      min(iif(n.is_default, n.predicted_ns, NULL)) OVER (
        PARTITION BY n.device_id, n.problem_id) AS default_ns,
      row_number() OVER (
        PARTITION BY n.device_id, n.problem_id
        ORDER BY n.predicted_ns, n.is_default DESC,
            c.split_k, c.cluster_ctas, c.shared_bytes, c.threads,
            CASE c.supply WHEN 'static' THEN 0 WHEN 'queue' THEN 1 ELSE 2 END,
            c.swizzle_offset, c.swizzle_direction, c.key) AS place
  FROM newest AS n JOIN configs AS c ON c.id = n.config_id
  WHERE n.model = n.newest_model)
SELECT d.fingerprint AS device, d.modelled, r.key AS problem,
    r.m, r.n, r.k, r.batch, c.key AS config, c.build, s.model,
    s.predicted_ns, s.default_ns,
    2e-3 * r.m * r.n * r.k * r.batch / s.predicted_ns AS predicted_tflops
FROM placed AS s
JOIN devices AS d ON d.id = s.device_id
JOIN problems AS r ON r.id = s.problem_id
JOIN configs AS c ON c.id = s.config_id
WHERE s.place = 1
)sql";

}  // namespace

const ViewSql kViews[kViewCount] = {
    {"current_builds", kCurrentBuilds},
    {"ranked", kRanked},
    {"standings", kStandings},
    {"winners", kWinners},
    {"predicted_winners", kPredictedWinners},
};

}  // namespace tiletune
