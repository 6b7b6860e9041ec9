-- Times are in seconds unless a name says otherwise; the views give
-- milliseconds. Moments are milliseconds since 1970, UTC.
--
-- Note: the tables are not STRICT, because an sqlite3 shell before 3.37, which
-- is what clusters have, can't open a file that has a STRICT table at all.

CREATE TABLE sweep (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  title    TEXT NOT NULL,
  text     TEXT NOT NULL,      -- the sweep file
  hash     TEXT NOT NULL,      -- of text
  protocol TEXT NOT NULL,      -- as it enters a trial's identity
  version  TEXT NOT NULL,      -- of the program that last ran it
  started  INTEGER NOT NULL,   -- when it first ran
  UNIQUE (name, hash)
);

CREATE TABLE device (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE, -- as users see it: the model, and more where that is not unique
  backend    TEXT NOT NULL,
  model      TEXT NOT NULL,
  driver     TEXT NOT NULL,
  units      INTEGER NOT NULL,
  max_block  INTEGER NOT NULL,
  memory     INTEGER NOT NULL,     -- bytes
  cache      INTEGER NOT NULL,     -- bytes
  properties TEXT NOT NULL,        -- JSON object
  roof_read  REAL NOT NULL,        -- GB/s, the highest of all runs; 0: not measured
  roof_copy  REAL NOT NULL,
  roof_triad REAL NOT NULL,
  UNIQUE (backend, model, driver)
);

CREATE TABLE matrix (
  id             INTEGER PRIMARY KEY,
  name           TEXT NOT NULL UNIQUE,
  class          TEXT NOT NULL,
  hash           TEXT NOT NULL UNIQUE, -- of the content
  source         TEXT NOT NULL,
  field          TEXT NOT NULL,
  symmetry       TEXT NOT NULL,
  rows           INTEGER NOT NULL,
  cols           INTEGER NOT NULL,
  nonzeros       INTEGER NOT NULL,
  row_mean       REAL,
  row_std        REAL,
  row_min        INTEGER NOT NULL,
  row_p25        INTEGER NOT NULL,
  row_median     INTEGER NOT NULL,
  row_p75        INTEGER NOT NULL,
  row_p90        INTEGER NOT NULL,
  row_p99        INTEGER NOT NULL,
  row_max        INTEGER NOT NULL,
  empty_rows     INTEGER NOT NULL,
  cols_used      INTEGER NOT NULL,
  bandwidth      INTEGER NOT NULL,
  bandwidth_mean REAL
);

CREATE TABLE kernel (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL,
  paper  TEXT NOT NULL,        -- the paper's own name
  format TEXT NOT NULL,
  digest TEXT NOT NULL,        -- of the source
  UNIQUE (name, digest)
);

CREATE TABLE trial (
  id           INTEGER PRIMARY KEY,
  identity     TEXT NOT NULL UNIQUE,
  sweep        INTEGER NOT NULL REFERENCES sweep,
  device       INTEGER NOT NULL REFERENCES device,
  matrix       INTEGER NOT NULL REFERENCES matrix,
  kernel       INTEGER NOT NULL REFERENCES kernel,
  precision    TEXT NOT NULL,
  block        INTEGER NOT NULL,
  grid         INTEGER NOT NULL,
  params       TEXT NOT NULL,  -- canonical: sorted by name
  cache        TEXT NOT NULL,
  status       TEXT NOT NULL,
  superseded   INTEGER NOT NULL DEFAULT 0, -- 1: the same configuration was recorded later under another identity
  median       REAL,           -- this and the next four only where status is ok
  low          REAL,
  high         REAL,
  log_median   REAL,           -- natural logarithm, for geometric means: not every SQLite has ln()
  samples      INTEGER,
  batch        INTEGER,
  stop         TEXT,
  prepare      REAL,
  max_error    REAL,
  worst_row    INTEGER,
  bytes_min    INTEGER,
  bytes_kernel INTEGER,
  properties   TEXT,           -- JSON object
  warnings     TEXT,           -- JSON array
  message      TEXT,
  measured_at  INTEGER NOT NULL,
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
  1e3 * t.low AS low_ms,
  1e3 * t.high AS high_ms,
  t.samples,
  2e-9 * m.nonzeros / t.median AS gflops,
  1e-9 * t.bytes_min / t.median AS gbps,
  1e-9 * t.bytes_min / t.median / nullif(max(d.roof_read, d.roof_copy, d.roof_triad), 0) AS roof_fraction,
  1e3 * t.prepare AS prepare_ms,
  t.max_error,
  t.message,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.measured_at / 1e3, 'unixepoch') AS measured_at
FROM trial t
  JOIN sweep s ON s.id = t.sweep
  JOIN device d ON d.id = t.device
  JOIN matrix m ON m.id = t.matrix
  JOIN kernel k ON k.id = t.kernel;

CREATE VIEW results AS
SELECT sweep, device, matrix, rows, cols, nnz, kernel, format, precision, block,
  grid, params, cache, status, median_ms, low_ms, high_ms, samples, gflops, gbps,
  roof_fraction, prepare_ms, max_error, message, measured_at
FROM measured;

-- Among the newest measurements of each configuration, per device, matrix,
-- precision and cache state ("place"):
--   winner  the one with the lowest median
--   tied    those that the data can't tell from it: the interval reaches down
--           to the winner's, or the median is within 1% of the winner's
--   robust  mean of a tied one's median with those of the next smaller and the
--           next larger block size, all else being the same, as far as measured
-- The tied one with the lowest robust mean represents them all. margin is how
-- much slower than the winner the fastest one is that is not tied.
CREATE VIEW best AS
WITH
place AS (
  SELECT DISTINCT matrix, device, precision, cache
  FROM trial WHERE superseded = 0 AND median IS NOT NULL
),
winner AS (
  SELECT p.matrix, p.device, p.precision, p.cache, w.median, w.high
  FROM place p CROSS JOIN trial w ON w.id = (
    SELECT f.id FROM trial f
    WHERE f.matrix = p.matrix AND f.device = p.device AND f.precision = p.precision
      AND f.cache = p.cache AND f.superseded = 0 AND f.median IS NOT NULL
    ORDER BY f.median, f.low, f.high, f.id LIMIT 1)
),
tied AS (
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
  FROM tied
)
SELECT v.sweep, v.device, v.matrix, v.rows, v.cols, v.nnz, v.kernel, v.format, v.precision, v.block,
  v.grid, v.params, v.cache, v.status, v.median_ms, v.low_ms, v.high_ms, v.samples, v.gflops, v.gbps,
  v.roof_fraction, v.prepare_ms, v.max_error, v.message, v.measured_at,
  (SELECT o.median FROM trial o
   WHERE o.matrix = r.matrix AND o.device = r.device AND o.precision = r.precision AND o.cache = r.cache
     AND o.superseded = 0 AND o.median IS NOT NULL AND o.low > r.reach AND o.median > 1.01 * r.fastest
   ORDER BY o.median LIMIT 1) / r.fastest - 1 AS margin,
  r.tie_size
FROM ranked r CROSS JOIN measured v ON v.id = r.id
WHERE r.robust_rank = 1;

-- Each kernel at its best, and how many times as fast that is as other choices
-- on the same device, matrix, precision and cache state. The best single kernel
-- of a device, precision and cache state is, among those that have a time on the
-- most matrices, the one whose slowdown against the best of each matrix has the
-- lowest geometric mean.
CREATE VIEW speedup AS
WITH
source AS ( -- the best of each source of a kernel, in the order of the index
  SELECT min(median) AS median, id, matrix, device, precision, cache, kernel
  FROM trial WHERE superseded = 0 AND median IS NOT NULL
  GROUP BY matrix, device, precision, cache, kernel
),
top AS (
  SELECT min(f.median) AS median, f.id, f.matrix, f.device, f.precision, f.cache, k.name AS kernel
  FROM source f CROSS JOIN kernel k ON k.id = f.kernel
  GROUP BY f.matrix, f.device, f.precision, f.cache, k.name
),
slowdown AS (
  SELECT top.device, top.precision, top.cache, top.kernel,
    t.log_median - min(t.log_median) OVER (PARTITION BY top.matrix, top.device, top.precision, top.cache) AS log_slowdown
  FROM top CROSS JOIN trial t ON t.id = top.id
),
single AS (
  SELECT device, precision, cache, kernel,
    row_number() OVER (PARTITION BY device, precision, cache
      ORDER BY count(*) DESC, avg(log_slowdown), kernel) AS single_rank
  FROM slowdown GROUP BY device, precision, cache, kernel
),
compared AS (
  SELECT top.*,
    min(CASE WHEN top.kernel = 'coo_atomic' THEN top.median END) OVER place AS coo_atomic,
    min(CASE WHEN top.kernel = 'cpu_coo' THEN top.median END) OVER place AS cpu_coo,
    min(CASE WHEN top.kernel = single.kernel THEN top.median END) OVER place AS best_single,
    min(CASE WHEN substr(top.kernel, 1, 9) = 'cusparse_' THEN top.median END) OVER place AS cusparse
  FROM top JOIN single ON single.device = top.device AND single.precision = top.precision
    AND single.cache = top.cache AND single.single_rank = 1
  WINDOW place AS (PARTITION BY top.matrix, top.device, top.precision, top.cache)
)
SELECT d.name AS device, m.name AS matrix, c.precision, c.cache, c.kernel,
  t.block, t.grid, t.params, 1e3 * c.median AS median_ms,
  c.coo_atomic / c.median AS over_coo_atomic,
  c.cpu_coo / c.median AS over_cpu_coo,
  c.best_single / c.median AS over_best_single,
  c.cusparse / c.median AS over_cusparse
FROM compared c
  JOIN trial t ON t.id = c.id
  JOIN device d ON d.id = c.device
  JOIN matrix m ON m.id = c.matrix;

CREATE VIEW features AS
SELECT name AS matrix, class, hash, source, field, symmetry, rows, cols, nonzeros,
  row_mean, row_std, row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max,
  empty_rows, cols_used, bandwidth, bandwidth_mean
FROM matrix;
