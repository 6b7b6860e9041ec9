-- SPDX-License-Identifier: Apache-2.0

-- Times are in seconds unless a name says otherwise; the views give
-- milliseconds. Moments are milliseconds since 1970, UTC.
--
-- A comment behind a column of a stable view is its documentation: spmvtune help database and
-- docs/database.md print it. "see results" stands for what the view results says of the column.
--
-- Note: the tables are not STRICT, because an sqlite3 shell before 3.37, which
-- is what clusters have, can't open a file that has a STRICT table at all.

CREATE TABLE sweep (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  title    TEXT NOT NULL,
  text     TEXT NOT NULL,      -- the sweep file
  hash     TEXT NOT NULL,      -- of text
  protocol TEXT NOT NULL,      -- in words, as it enters a trial's identity
  settings TEXT NOT NULL,      -- JSON object: what text says of measuring, searching and reporting
  version  TEXT NOT NULL,      -- of the program that last ran it
  started  INTEGER NOT NULL,   -- when it first ran
  used     INTEGER NOT NULL,   -- when a run last used it: it may have measured nothing, because all was measured
  UNIQUE (name, hash)
);

CREATE TABLE device (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE, -- as users see it: the model, and more where that is not unique
  backend     TEXT NOT NULL,
  model       TEXT NOT NULL,
  driver      TEXT NOT NULL,
  units       INTEGER NOT NULL,
  max_block   INTEGER NOT NULL,
  memory      INTEGER NOT NULL,     -- bytes
  cache       INTEGER NOT NULL,     -- bytes
  properties  TEXT NOT NULL,        -- JSON object
  roof_read   REAL NOT NULL,        -- GB/s, the highest of all runs, here and below; 0: not measured
  roof_copy   REAL NOT NULL,
  roof_triad  REAL NOT NULL,
  roof_gather REAL NOT NULL,        -- of reading at random
  UNIQUE (backend, model, driver)
);

-- A feature is null if it is not known.
CREATE TABLE matrix (
  id                INTEGER PRIMARY KEY,
  name              TEXT NOT NULL UNIQUE,
  class             TEXT NOT NULL,
  hash              TEXT NOT NULL UNIQUE, -- of the content
  source            TEXT NOT NULL,
  field             TEXT NOT NULL,
  symmetry          TEXT NOT NULL,
  twin_of           TEXT,      -- the published matrix that a twin is a likeness of; null: no twin
  twin_scale        REAL,      -- the size of a twin as a multiple of it
  features_seconds  REAL,      -- what it took to read the features; null: not known
  rows              INTEGER NOT NULL,
  cols              INTEGER NOT NULL,
  nonzeros          INTEGER NOT NULL,
  row_mean          REAL,
  row_std           REAL,
  row_min           INTEGER NOT NULL,
  row_p25           INTEGER NOT NULL,
  row_median        INTEGER NOT NULL,
  row_p75           INTEGER NOT NULL,
  row_p90           INTEGER NOT NULL,
  row_p99           INTEGER NOT NULL,
  row_max           INTEGER NOT NULL,
  empty_rows        INTEGER NOT NULL,
  cols_used         INTEGER NOT NULL,
  bandwidth         INTEGER NOT NULL,
  bandwidth_mean    REAL,
  row_skewness      REAL,
  row_gini          REAL,
  row_max_over_mean REAL,
  share_above_32    REAL,
  share_above_256   REAL,
  share_above_1024  REAL,
  row_span_mean     REAL,
  profile           REAL,
  col_gap_mean      REAL,
  neighbour_rate    REAL,
  row_similarity    REAL,
  diagonals         REAL,
  pattern_symmetry  REAL
);

-- Where the entries of a matrix lie: what matrix-patterns draws. A table of its own,
-- so that listing matrices does not read it.
CREATE TABLE pattern (
  matrix INTEGER PRIMARY KEY REFERENCES matrix,
  data   BLOB NOT NULL          -- a sparse.Thumbnail: at most 17 kB
);

CREATE TABLE kernel (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  paper      TEXT NOT NULL,    -- the paper's own name
  format     TEXT NOT NULL,
  digest     TEXT NOT NULL,    -- of the source
  definition TEXT,             -- JSON: what a sweep says of a custom kernel, with its source; null: in the catalogue
  UNIQUE (name, digest)
);

-- Where trials were measured.
CREATE TABLE origin (
  id   INTEGER PRIMARY KEY,
  node TEXT NOT NULL,          -- host name; '' in all three: not told
  uuid TEXT NOT NULL,          -- of the device
  job  TEXT NOT NULL,          -- Slurm's, with the task of an array: 12_3
  UNIQUE (node, uuid, job)
);

CREATE TABLE trial (
  id            INTEGER PRIMARY KEY,
  identity      TEXT NOT NULL UNIQUE,
  sweep         INTEGER NOT NULL REFERENCES sweep,
  device        INTEGER NOT NULL REFERENCES device,
  matrix        INTEGER NOT NULL REFERENCES matrix,
  kernel        INTEGER NOT NULL REFERENCES kernel,
  precision     TEXT NOT NULL,
  block         INTEGER NOT NULL,
  grid          INTEGER NOT NULL,
  params        TEXT NOT NULL,  -- canonical: sorted by name
  cache         TEXT NOT NULL,
  status        TEXT NOT NULL,
  -- 1: it does not count. Another trial of its configuration is current, a search measured it only
  -- briefly, or its case has good trials of a newer version of the measurement.
  superseded    INTEGER NOT NULL DEFAULT 0,
  median        REAL,           -- this and the next four only where status is ok
  low           REAL,
  high          REAL,
  log_median    REAL,           -- natural logarithm, for geometric means: not every SQLite has ln()
  samples       INTEGER,
  batch         INTEGER,
  stop          TEXT,
  prepare       REAL,
  max_error     REAL,
  worst_row     INTEGER,
  bytes_min     INTEGER,
  bytes_kernel  INTEGER,
  properties    TEXT,           -- JSON object
  warnings      TEXT,           -- JSON array
  message       TEXT,
  measured_at   INTEGER NOT NULL,
  asked         INTEGER,        -- when a run last wanted it, though it was known; null: not after it was measured
  seconds       REAL,           -- that the worker was busy with it; null: not known
  measurement   INTEGER,        -- version of the code that took the samples; null: another program
  version       TEXT,           -- of this program; null: not known
  origin        INTEGER REFERENCES origin,
  -- What others did to the processor meanwhile. Null: nothing, or not known; of a GPU that replays
  -- graphs the processor is in no time.
  host_cores    REAL,           -- seconds of the cores that the worker may use
  host_others   REAL,           -- seconds in which a core worked for another process
  host_stolen   REAL,           -- seconds in which the hypervisor gave a core to another machine
  host_switches INTEGER,        -- how often the system took a core away from the worker
  host_own      REAL,           -- seconds of processor time of the worker
  host_load     REAL,           -- load average of the machine, of one minute
  CHECK (status IN ('ok', 'wrong', 'invalid', 'fault', 'timeout', 'oom')),
  CHECK ((status = 'ok') = (median IS NOT NULL))
);

-- Finds a configuration and its neighbours in block size, and all of a matrix.
CREATE INDEX trial_config ON trial
  (matrix, device, precision, cache, kernel, params, grid, block, superseded, median);

-- Gives the good trials of a matrix, fastest first, without reading the table.
CREATE INDEX trial_rank ON trial
  (matrix, device, precision, cache, superseded, median, low, high);

CREATE TABLE sample (
  trial INTEGER PRIMARY KEY REFERENCES trial,
  data  BLOB NOT NULL          -- seconds per product, float32, little-endian, in the order they were taken
);

-- What the device's sensors said during a trial. A table of its own, since most rows of a
-- processor have none of it. What a device does not tell is null.
CREATE TABLE reading (
  trial         INTEGER PRIMARY KEY REFERENCES trial,
  sm_clock      INTEGER,          -- MHz, the lowest of all readings
  memory_clock  INTEGER,          -- MHz, the lowest
  temperature   INTEGER,          -- °C, the highest
  power         INTEGER,          -- mW, the highest
  energy        REAL,             -- J per product
  clock_reasons INTEGER,          -- bits as in NVML's nvmlClocksEventReasons, of all readings around kept samples
  repeated      INTEGER NOT NULL, -- samples that were taken again, since the device throttled
  throttled     INTEGER NOT NULL  -- samples that were kept though it did
);

-- What a profiler counted in the products of a trial, by name. Which counters there are depends
-- on the device and on the profiler: what was not counted has no row.
CREATE TABLE counter (
  trial INTEGER NOT NULL REFERENCES trial,
  name  TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, name)
) WITHOUT ROWID;

-- Trials that were measured again: sentinels, to see how the device drifts; leaders, several times,
-- to tell which of them is the fastest; and a random sample, to see how much repeating moves a
-- trial, its noise. The first measurement is the trial's own.
CREATE TABLE rerun (
  identity  TEXT NOT NULL,      -- of the trial; a merge may meet it later than this
  at        INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  origin    INTEGER REFERENCES origin,
  median    REAL NOT NULL,
  low       REAL NOT NULL,
  high      REAL NOT NULL,
  throttled INTEGER NOT NULL,   -- samples that were kept though the device throttled
  data      BLOB NOT NULL,      -- samples, as in the table sample
  CHECK (kind IN ('sentinel', 'leader', 'noise')),
  PRIMARY KEY (identity, at)
);

-- What follows from reruns is settled after measuring, merging or reporting: spread, estimate and the
-- ties. What is recorded later unsettles it, so that nothing stale is seen.

-- How far two measurements of one configuration differ, in each case.
CREATE TABLE spread (
  matrix    INTEGER NOT NULL REFERENCES matrix,
  device    INTEGER NOT NULL REFERENCES device,
  precision TEXT NOT NULL,
  cache     TEXT NOT NULL,
  factor    REAL NOT NULL,     -- the ratio of the slower to the faster one is below it 82 times of 100
  pairs     INTEGER NOT NULL,  -- of measurements in the case itself; it also rests on other cases
  PRIMARY KEY (matrix, device, precision, cache)
) WITHOUT ROWID;

-- What trials take that were measured again. The first measurement made some of them leaders,
-- and is left out where there are two others.
CREATE TABLE estimate (
  trial    INTEGER PRIMARY KEY REFERENCES trial,
  time     REAL NOT NULL,      -- geometric mean of medians
  log_time REAL NOT NULL,
  runs     INTEGER NOT NULL,   -- their number
  factor   REAL                -- as in spread, between this mean and one measurement; null: not known
);

-- Configurations that can't be told apart.
CREATE TABLE tie_set (
  id        INTEGER PRIMARY KEY,
  matrix    INTEGER NOT NULL REFERENCES matrix,
  device    INTEGER NOT NULL REFERENCES device,
  precision TEXT NOT NULL,
  cache     TEXT NOT NULL,
  trial     INTEGER NOT NULL REFERENCES trial, -- that represents them
  winner    INTEGER NOT NULL REFERENCES trial, -- with the lowest time, drift taken out
  effect    REAL NOT NULL,     -- the least difference that counts, as a fraction
  drift     INTEGER NOT NULL,  -- 1: times were divided by the drift of the device
  margin    REAL,              -- how much slower the fastest one outside is; null: there is none
  UNIQUE (matrix, device, precision, cache)
);

CREATE TABLE tie_member (
  trial   INTEGER PRIMARY KEY REFERENCES trial,
  tie_set INTEGER NOT NULL REFERENCES tie_set
);
CREATE INDEX tie_member_set ON tie_member (tie_set);

CREATE TRIGGER tie_set_gone AFTER DELETE ON tie_set BEGIN
  DELETE FROM tie_member WHERE tie_set = OLD.id;
END;
CREATE TRIGGER trial_inserted AFTER INSERT ON trial BEGIN
  DELETE FROM tie_set WHERE matrix = NEW.matrix AND device = NEW.device AND precision = NEW.precision AND cache = NEW.cache;
END;
CREATE TRIGGER trial_updated AFTER UPDATE ON trial BEGIN
  DELETE FROM tie_set WHERE matrix = NEW.matrix AND device = NEW.device AND precision = NEW.precision AND cache = NEW.cache;
  DELETE FROM estimate WHERE trial = NEW.id;
END;
CREATE TRIGGER trial_deleted BEFORE DELETE ON trial BEGIN
  DELETE FROM tie_set WHERE matrix = OLD.matrix AND device = OLD.device AND precision = OLD.precision AND cache = OLD.cache;
  DELETE FROM estimate WHERE trial = OLD.id;
END;
CREATE TRIGGER rerun_inserted AFTER INSERT ON rerun BEGIN
  DELETE FROM tie_set WHERE (matrix, device, cache) IN (SELECT matrix, device, cache FROM trial WHERE identity = NEW.identity);
  DELETE FROM estimate WHERE trial IN (SELECT id FROM trial WHERE identity = NEW.identity);
END;

CREATE TABLE claim (
  claim   INTEGER NOT NULL,    -- its number
  device  INTEGER NOT NULL REFERENCES device,
  verdict TEXT NOT NULL,
  figures TEXT NOT NULL,       -- JSON object
  PRIMARY KEY (claim, device)
);

CREATE TABLE rule (
  sweep   TEXT PRIMARY KEY,    -- its name
  learned INTEGER NOT NULL,
  json    TEXT NOT NULL
);

-- What results and best have in common. Not for users: it may change.
CREATE VIEW measured AS
SELECT
  t.id,
  t.superseded,
  s.name AS sweep,
  d.name AS device,
  m.name AS matrix,
  m.rows,
  m.cols,
  m.nonzeros AS nnz,
  k.name AS kernel,
  k.format,
  t.precision,
  t.block,
  t.grid,
  t.params,
  t.cache,
  t.status,
  1e3 * t.median AS median_ms,
  -- Where repeats say how far another run is off, the interval of the first measurement does not count.
  1e3 * iif(t.low > 0 AND e.factor > 0, e.time / e.factor, min(t.low, ifnull(e.time, t.median) / ifnull(p.factor, 1))) AS low_ms,
  1e3 * iif(t.low > 0 AND e.factor > 0, e.time * e.factor, max(t.high, ifnull(e.time, t.median) * ifnull(p.factor, 1))) AS high_ms,
  t.samples,
  2e-9 * m.nonzeros / ifnull(e.time, t.median) AS gflops,
  1e-9 * t.bytes_min / ifnull(e.time, t.median) AS gbps,
  1e-9 * t.bytes_min / ifnull(e.time, t.median) / nullif(max(d.roof_read, d.roof_copy, d.roof_triad), 0) AS roof_fraction,
  1e3 * t.prepare AS prepare_ms,
  t.max_error,
  t.message,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.measured_at / 1e3, 'unixepoch') AS measured_at,
  1e3 * ifnull(e.time, t.median) AS time_ms,
  ifnull(e.runs, t.median IS NOT NULL) AS runs,
  1e3 * t.low AS within_low_ms,
  1e3 * t.high AS within_high_ms,
  p.factor
FROM trial t
  JOIN sweep s ON s.id = t.sweep
  JOIN device d ON d.id = t.device
  JOIN matrix m ON m.id = t.matrix
  JOIN kernel k ON k.id = t.kernel
  LEFT JOIN estimate e ON e.trial = t.id
  LEFT JOIN spread p ON p.matrix = t.matrix AND p.device = t.device AND p.precision = t.precision AND p.cache = t.cache;

CREATE VIEW results AS -- each trial
SELECT
  m.sweep, -- name of the sweep that measured it
  m.device, -- model of the processor or GPU
  m.matrix, -- name of the matrix; "NAME (twin)" is a generated likeness
  m.rows, -- rows of the matrix
  m.cols, -- columns of the matrix
  m.nnz, -- stored entries of the matrix, symmetric ones expanded
  m.kernel, -- name of the kernel, as `spmvtune kernels` lists it
  m.format, -- format that the kernel reads, such as csr, coo or sell
  m.precision, -- float32 or float64
  m.block, -- block size; `spmvtune kernels NAME` says what it counts; 0: the kernel has none
  m.grid, -- grid size; on a processor mostly the number of threads; 0: the kernel has none
  m.params, -- the kernel's other parameters, as in `tile=8 unroll=4`
  m.cache, -- warm: products back to back; cold: caches flushed before each sample
  m.status, -- ok; wrong: outside the error bound; invalid: the device can't launch it; fault, timeout, oom: the worker crashed, hung or ran out of memory
  m.median_ms, -- median time of a product in ms, of this trial's samples
  m.low_ms, -- another run finds a time of at least this (95% interval), ms
  m.high_ms, -- another run finds a time of at most this (95% interval), ms
  m.samples, -- number of samples taken
  m.gflops, -- 2 · nnz / time, in 10⁹ a second
  m.gbps, -- compulsory traffic of the format / time, in 10⁹ bytes a second: each array of the format once, the elements of x that occur once, y once
  m.roof_fraction, -- gbps over the highest bandwidth that was measured on the device; warm products of small matrices can exceed 1
  m.prepare_ms, -- time to convert the matrix for the kernel, ms; not in any other time
  m.max_error, -- largest error of an element of y, over its bound; above 1 is wrong
  m.message, -- what went wrong, or what else there is to say
  m.measured_at, -- when, in UTC
  t.stop, -- why sampling ended: target, samples, budget, clock (it can't resolve more), slow (hopeless beside the best) or search (a search asked for no more)
  t.measurement, -- version of the code that took the samples
  t.version, -- version of the program
  1 - t.superseded AS in_force, -- 1: the trial counts; 0: a later measurement replaced it
  m.time_ms, -- best estimate of the time in ms: the geometric mean of its repeat runs, else the median
  m.runs, -- how many runs time_ms is the mean of
  m.within_low_ms, -- lower end of the 95% interval of the median within this run, ms
  m.within_high_ms, -- upper end of the 95% interval of the median within this run, ms
  m.factor, -- how far two runs differ in this place, as a ratio; null if it is not known
  e.tie_set IS NOT NULL AS tied -- 1: can't be told from the fastest of its place
FROM measured m JOIN trial t ON t.id = m.id LEFT JOIN tie_member e ON e.trial = m.id;

-- The fastest is the one with the least time_ms. What it can't be told from, and which of these is recommended, is
-- settled where ties are. Elsewhere intervals alone tell:
--
-- Among the current measurements of each configuration, per device, matrix,
-- precision and cache state ("place"):
--   winner  the one with the lowest median
--   near    those that the data can't tell from it: the interval reaches down
--           to the winner's, or the median is within 1% of the winner's
--   robust  mean of a near one's median with those of the next smaller and the
--           next larger block size, all else being the same, as far as measured
-- The near one with the lowest robust mean is recommended. margin is how
-- much slower than the winner the fastest one is that is not tied.
CREATE VIEW best AS -- the fastest of each place: a device, matrix, precision and cache state
WITH
place AS (
  SELECT matrix, device, precision, cache FROM (
    SELECT DISTINCT matrix, device, precision, cache
    FROM trial WHERE superseded = 0 AND median IS NOT NULL) p
  WHERE NOT EXISTS (SELECT 1 FROM tie_set s
    WHERE s.matrix = p.matrix AND s.device = p.device AND s.precision = p.precision AND s.cache = p.cache)
),
winner AS (
  SELECT p.matrix, p.device, p.precision, p.cache, w.median, w.high
  FROM place p CROSS JOIN trial w ON w.id = (
    SELECT f.id FROM trial f
    WHERE f.matrix = p.matrix AND f.device = p.device AND f.precision = p.precision
      AND f.cache = p.cache AND f.superseded = 0 AND f.median IS NOT NULL
    ORDER BY f.median, f.low, f.high, f.id LIMIT 1)
),
near AS (
  SELECT t.id, t.matrix, t.device, t.precision, t.cache, t.median, w.median AS fastest, w.high AS reach,
    (SELECT n.median FROM trial n
     WHERE n.matrix = t.matrix AND n.device = t.device AND n.precision = t.precision AND n.cache = t.cache
       AND n.kernel = t.kernel AND n.params = t.params AND n.grid = t.grid AND n.block < t.block
       AND n.superseded = 0 AND n.median IS NOT NULL
     ORDER BY n.block DESC LIMIT 1) AS below,
    (SELECT n.median FROM trial n
     WHERE n.matrix = t.matrix AND n.device = t.device AND n.precision = t.precision AND n.cache = t.cache
       AND n.kernel = t.kernel AND n.params = t.params AND n.grid = t.grid AND n.block > t.block
       AND n.superseded = 0 AND n.median IS NOT NULL
     ORDER BY n.block LIMIT 1) AS above
  FROM winner w CROSS JOIN trial t
    ON t.matrix = w.matrix AND t.device = w.device AND t.precision = w.precision AND t.cache = w.cache
    AND t.superseded = 0 AND t.median IS NOT NULL
  WHERE t.low <= w.high OR t.median <= 1.01 * w.median
),
ranked AS (
  SELECT *,
    count(*) OVER (PARTITION BY matrix, device, precision, cache) AS tie_size,
    row_number() OVER (PARTITION BY matrix, device, precision, cache ORDER BY
      (median + ifnull(below, 0) + ifnull(above, 0)) / (1 + (below IS NOT NULL) + (above IS NOT NULL)),
      median, id) AS robust_rank
  FROM near
),
chosen AS (
  SELECT s.trial, s.margin, (SELECT count(*) FROM tie_member m WHERE m.tie_set = s.id) AS tie_size
  FROM tie_set s
  UNION ALL
  SELECT r.id,
    (SELECT o.median FROM trial o
     WHERE o.matrix = r.matrix AND o.device = r.device AND o.precision = r.precision AND o.cache = r.cache
       AND o.superseded = 0 AND o.median IS NOT NULL AND o.low > r.reach AND o.median > 1.01 * r.fastest
     ORDER BY o.median LIMIT 1) / r.fastest - 1,
    r.tie_size
  FROM ranked r WHERE r.robust_rank = 1
),
fastest AS MATERIALIZED (
  SELECT c.*, k.name || iif(r.block > 0, ' block ' || r.block, '') || iif(r.grid > 0, ' grid ' || r.grid, '')
    || iif(r.params <> '', ' ' || r.params, '') AS named,
    (SELECT f.id FROM trial f JOIN kernel o ON o.id = f.kernel LEFT JOIN estimate e ON e.trial = f.id
     WHERE f.matrix = r.matrix AND f.device = r.device AND f.precision = r.precision
       AND f.cache = r.cache AND f.superseded = 0 AND f.median IS NOT NULL
     ORDER BY ifnull(e.time, f.median), o.name, f.block, f.grid, f.params LIMIT 1) AS id
  FROM chosen c JOIN trial r ON r.id = c.trial JOIN kernel k ON k.id = r.kernel
)
SELECT
  v.sweep, -- see results
  v.device, -- see results
  v.matrix, -- see results
  v.rows, -- see results
  v.cols, -- see results
  v.nnz, -- see results
  v.kernel, -- see results
  v.format, -- see results
  v.precision, -- see results
  v.block, -- see results
  v.grid, -- see results
  v.params, -- see results
  v.cache, -- see results
  v.status, -- see results
  v.median_ms, -- see results
  v.low_ms, -- see results
  v.high_ms, -- see results
  v.samples, -- see results
  v.gflops, -- see results
  v.gbps, -- see results
  v.roof_fraction, -- see results
  v.prepare_ms, -- see results
  v.max_error, -- see results
  v.message, -- see results
  v.measured_at, -- see results
  c.margin, -- how much longer the fastest configuration takes that is not tied, as a fraction: 0.05 is 5%
  c.tie_size, -- configurations that can't be told from the fastest, that one included
  v.runs, -- see results
  v.factor, -- see results
  v.time_ms, -- see results
  iif(v.id <> c.trial, c.named, NULL) AS recommended -- as fast, as far as can be told, and a more robust or usual choice; null: the fastest itself
FROM fastest c CROSS JOIN measured v ON v.id = c.id;

-- The best single kernel of a device, precision and cache state is, among those that have a time on
-- the most matrices, the one whose slowdown against the best of each matrix has the lowest geometric
-- mean.
CREATE VIEW speedup AS -- each kernel in each place, in its fastest configuration
WITH
source AS ( -- the best of each source of a kernel, in the order of the index
  SELECT min(ifnull(e.time, t.median)) AS time, t.id, matrix, device, precision, cache, kernel
  FROM trial t LEFT JOIN estimate e ON e.trial = t.id
  WHERE superseded = 0 AND median IS NOT NULL
  GROUP BY matrix, device, precision, cache, kernel
),
top AS (
  SELECT min(f.time) AS time, f.id, f.matrix, f.device, f.precision, f.cache, k.name AS kernel
  FROM source f CROSS JOIN kernel k ON k.id = f.kernel
  GROUP BY f.matrix, f.device, f.precision, f.cache, k.name
),
slowdown AS (
  SELECT top.device, top.precision, top.cache, top.kernel,
    ifnull(e.log_time, t.log_median) - min(ifnull(e.log_time, t.log_median))
      OVER (PARTITION BY top.matrix, top.device, top.precision, top.cache) AS log_slowdown
  FROM top CROSS JOIN trial t ON t.id = top.id LEFT JOIN estimate e ON e.trial = t.id
),
single AS (
  SELECT device, precision, cache, kernel,
    row_number() OVER (PARTITION BY device, precision, cache
      ORDER BY count(*) DESC, avg(log_slowdown), kernel) AS single_rank
  FROM slowdown GROUP BY device, precision, cache, kernel
),
compared AS (
  SELECT top.*,
    min(CASE WHEN top.kernel = 'coo_atomic' THEN top.time END) OVER place AS coo_atomic,
    min(CASE WHEN top.kernel = 'cpu_coo' THEN top.time END) OVER place AS cpu_coo,
    min(CASE WHEN top.kernel = single.kernel THEN top.time END) OVER place AS best_single,
    min(CASE WHEN substr(top.kernel, 1, 9) = 'cusparse_' THEN top.time END) OVER place AS cusparse
  FROM top JOIN single ON single.device = top.device AND single.precision = top.precision
    AND single.cache = top.cache AND single.single_rank = 1
  WINDOW place AS (PARTITION BY top.matrix, top.device, top.precision, top.cache)
)
SELECT
  d.name AS device, -- see results
  m.name AS matrix, -- see results
  c.precision, -- see results
  c.cache, -- see results
  c.kernel, -- see results
  t.block, -- see results
  t.grid, -- see results
  t.params, -- see results
  1e3 * t.median AS median_ms, -- see results
  c.coo_atomic / c.time AS over_coo_atomic, -- how many times as fast as coo_atomic
  c.cpu_coo / c.time AS over_cpu_coo, -- how many times as fast as cpu_coo
  c.best_single / c.time AS over_best_single, -- how many times as fast as the kernel that is the best single choice for all matrices
  c.cusparse / c.time AS over_cusparse, -- how many times as fast as the fastest of cuSPARSE's algorithms
  1e3 * c.time AS time_ms -- see results
FROM compared c
  JOIN trial t ON t.id = c.id
  JOIN device d ON d.id = c.device
  JOIN matrix m ON m.id = c.matrix;

-- docs/database.md has the formulas.
CREATE VIEW features AS -- each matrix
SELECT
  name AS matrix, -- name of the matrix
  class, -- family of the matrix; relatives are not used to judge a rule
  hash, -- digest of its content
  source, -- where it comes from: a file, a generator with its arguments, the SuiteSparse collection
  field, -- of its file: real, integer, pattern or complex
  symmetry, -- of its file: general, symmetric, skew-symmetric or hermitian
  rows, -- rows
  cols, -- columns
  nonzeros, -- stored entries, symmetric matrices expanded
  row_mean, -- mean number of entries in a row
  row_std, -- standard deviation of the row lengths
  row_min, -- length of the shortest row
  row_p25, -- length that a quarter of the rows does not exceed
  row_median, -- length that half of the rows do not exceed
  row_p75, -- length that three quarters of the rows do not exceed
  row_p90, -- length that 90% of the rows do not exceed
  row_p99, -- length that 99% of the rows do not exceed
  row_max, -- length of the longest row
  empty_rows, -- rows without entries
  cols_used, -- columns with an entry
  bandwidth, -- largest distance of an entry from the diagonal
  bandwidth_mean, -- mean distance of the entries from the diagonal
  row_skewness, -- skewness of the row lengths
  row_gini, -- Gini coefficient of the row lengths: 0 if all rows are equally long
  row_max_over_mean, -- longest row over the mean
  share_above_32, -- share of the entries that lie in rows of more than 32
  share_above_256, -- share of the entries that lie in rows of more than 256
  share_above_1024, -- share of the entries that lie in rows of more than 1024
  row_span_mean, -- mean distance from a row's first column to its last
  profile, -- size of the envelope: the distances from each row's first column to the diagonal, added up
  col_gap_mean, -- mean distance from an entry to the next in its row
  neighbour_rate, -- mean number of entries right beside an entry in its row: 0 to 2
  row_similarity, -- mean share of a row's entries that have an entry at most a column away in the next row
  diagonals, -- diagonals with an entry
  pattern_symmetry, -- share of the entries off the diagonal whose mirror image is stored
  twin_of, -- the published matrix that a twin imitates; null for other matrices
  twin_scale -- rows of a twin over those of the published matrix
FROM matrix;

-- docs/measuring.md says more.
CREATE VIEW telemetry AS -- each trial
SELECT
  m.sweep, -- see results
  m.device, -- see results
  m.matrix, -- see results
  m.kernel, -- see results
  m.precision, -- see results
  m.block, -- see results
  m.grid, -- see results
  m.params, -- see results
  m.cache, -- see results
  m.status, -- see results
  m.median_ms, -- see results
  nullif(o.node, '') AS node, -- name of the host
  nullif(o.uuid, '') AS uuid, -- of the GPU, as `nvidia-smi -L` prints it; null for a processor
  nullif(o.job, '') AS job, -- Slurm's job, with the task of an array: 12_3; null outside of Slurm
  r.sm_clock AS sm_mhz, -- lowest clock of the multiprocessors during the trial, MHz
  r.memory_clock AS memory_mhz, -- lowest clock of the memory during the trial, MHz
  r.temperature AS celsius, -- highest temperature during the trial, °C
  r.power / 1e3 AS watts, -- highest power during the trial, W
  r.energy AS joules, -- energy of the board for a product, J; of long warm trials only
  CASE WHEN r.clock_reasons IS NOT NULL THEN ltrim(
    CASE WHEN r.clock_reasons & 0x002 THEN ' applications_clocks' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x004 THEN ' sw_power_cap' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x008 THEN ' hw_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x010 THEN ' sync_boost' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x020 THEN ' sw_thermal_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x040 THEN ' hw_thermal_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x080 THEN ' hw_power_brake' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x100 THEN ' display_clocks' ELSE '' END)
    END AS clock_reasons, -- why clocks were reduced, names with blanks between; empty: they were not
  r.repeated, -- samples that were dropped because the card throttled, and taken again
  r.throttled, -- samples that were kept although the card throttled
  t.warnings, -- JSON array of texts
  m.measured_at, -- see results
  ifnull(t.host_others, 0) / t.host_cores AS others, -- share of the processor's time that other processes took
  ifnull(t.host_stolen, 0) / t.host_cores AS stolen, -- share of the processor's time that the hypervisor took
  ifnull(t.host_switches, 0) / t.host_own AS switches, -- how often the system took a core away from the worker, in a second of its processor time
  t.host_load AS load -- load average of the machine over one minute
FROM measured m
  JOIN trial t ON t.id = m.id
  LEFT JOIN origin o ON o.id = t.origin
  LEFT JOIN reading r ON r.trial = t.id;

-- docs/profiling.md has the profilers' names.
CREATE VIEW profile AS -- each trial that a profiler counted
SELECT
  m.sweep, -- see results
  m.device, -- see results
  m.matrix, -- see results
  m.kernel, -- see results
  m.precision, -- see results
  m.block, -- see results
  m.grid, -- see results
  m.params, -- see results
  m.cache, -- see results
  m.median_ms, -- see results
  c.occupancy, -- resident warps over the most that a multiprocessor holds, while it was active
  c.warp_efficiency, -- threads that take part in an instruction, over the 32 of a warp
  c.load_efficiency, -- bytes that threads ask for over those that global loads move
  c.instructions, -- instructions of a product: of warps on a GPU, of threads on a processor
  c.data_refs, -- processor: data references of a product
  c.d1_misses, -- processor: misses of the first cache level in a product
  c.ll_misses, -- processor: misses of the last cache level in a product
  c.launches, -- kernels that a product launches
  1e3 * c.seconds AS kernel_ms, -- time of a product's kernels under the profiler, ms
  c.dram_read_bytes, -- bytes that a product reads from the device's memory
  c.dram_write_bytes, -- bytes that a product writes to the device's memory
  c.dram_fraction, -- memory bandwidth over its peak
  c.l2_read_bytes, -- bytes that a product asks of the L2 cache
  c.l2_hit_rate, -- share of sectors found in the L2 cache
  c.l1_hit_rate, -- share of sectors found in the L1 cache
  c.sectors_per_request, -- sectors of 32 bytes that a global load of a warp moves
  c.issue_fraction, -- share of the cycles in which a scheduler issues
  c.balance, -- busy cycles of a multiprocessor: the mean over those of the busiest
  c.registers, -- registers of a thread
  (SELECT substr(name, 7) FROM counter WHERE trial = m.id AND name GLOB 'stall_*' ORDER BY value DESC LIMIT 1)
    AS stall, -- the most frequent reason for which resident warps issue nothing
  (SELECT max(value) FROM counter WHERE trial = m.id AND name GLOB 'stall_*')
    AS stall_fraction -- share of the warps' time for that reason
FROM (
  SELECT trial,
    max(CASE name WHEN 'occupancy' THEN value END) AS occupancy,
    max(CASE name WHEN 'warp_efficiency' THEN value END) AS warp_efficiency,
    max(CASE name WHEN 'load_efficiency' THEN value END) AS load_efficiency,
    max(CASE name WHEN 'instructions' THEN value END) AS instructions,
    max(CASE name WHEN 'data_refs' THEN value END) AS data_refs,
    max(CASE name WHEN 'd1_misses' THEN value END) AS d1_misses,
    max(CASE name WHEN 'll_misses' THEN value END) AS ll_misses,
    max(CASE name WHEN 'launches' THEN value END) AS launches,
    max(CASE name WHEN 'seconds' THEN value END) AS seconds,
    max(CASE name WHEN 'dram_read_bytes' THEN value END) AS dram_read_bytes,
    max(CASE name WHEN 'dram_write_bytes' THEN value END) AS dram_write_bytes,
    max(CASE name WHEN 'dram_fraction' THEN value END) AS dram_fraction,
    max(CASE name WHEN 'l2_read_bytes' THEN value END) AS l2_read_bytes,
    max(CASE name WHEN 'l2_hit_rate' THEN value END) AS l2_hit_rate,
    max(CASE name WHEN 'l1_hit_rate' THEN value END) AS l1_hit_rate,
    max(CASE name WHEN 'sectors_per_request' THEN value END) AS sectors_per_request,
    max(CASE name WHEN 'issue_fraction' THEN value END) AS issue_fraction,
    max(CASE name WHEN 'balance' THEN value END) AS balance,
    max(CASE name WHEN 'registers' THEN value END) AS registers
  FROM counter GROUP BY trial) c CROSS JOIN measured m ON m.id = c.trial;
