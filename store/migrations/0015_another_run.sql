-- Times that another run finds. The program settles both tables with the ties, from the
-- trials that were measured again.

-- How far two measurements of one configuration differ, in each place.
CREATE TABLE spread (
  matrix    INTEGER NOT NULL REFERENCES matrix,
  device    INTEGER NOT NULL REFERENCES device,
  precision TEXT NOT NULL,
  cache     TEXT NOT NULL,
  factor    REAL NOT NULL,     -- the ratio of the slower to the faster one is below it 82 times of 100
  pairs     INTEGER NOT NULL,  -- of measurements in the place itself; it also rests on other places
  PRIMARY KEY (matrix, device, precision, cache)
) WITHOUT ROWID;

-- What trials take that were measured again. The first measurement made some of them leaders,
-- and is left out where there are two others.
CREATE TABLE estimate (
  trial        INTEGER PRIMARY KEY REFERENCES trial,
  time         REAL NOT NULL,    -- geometric mean of medians, in seconds
  log_time     REAL NOT NULL,
  runs     INTEGER NOT NULL, -- their number
  factor       REAL              -- as in spread, between this mean and one measurement; null: not known
);

CREATE TRIGGER estimate_replaced AFTER UPDATE ON trial BEGIN
  DELETE FROM estimate WHERE trial = NEW.id;
END;
CREATE TRIGGER estimate_outdated AFTER INSERT ON sentinel BEGIN
  DELETE FROM estimate WHERE trial IN (SELECT id FROM trial WHERE identity = NEW.identity);
END;
CREATE TRIGGER estimate_deleted BEFORE DELETE ON trial BEGIN
  DELETE FROM estimate WHERE trial = OLD.id;
END;

-- Ties were told by samples within a run.
DELETE FROM tie_set;

DROP VIEW measured;
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
  1e3 * min(t.low, ifnull(e.time, t.median) / coalesce(e.factor, p.factor, 1)) AS low_ms,
  1e3 * max(t.high, ifnull(e.time, t.median) * coalesce(e.factor, p.factor, 1)) AS high_ms,
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

DROP VIEW results;
CREATE VIEW results AS
SELECT m.sweep, m.device, m.matrix, m.rows, m.cols, m.nnz, m.kernel, m.format, m.precision, m.block,
  m.grid, m.params, m.cache, m.status, m.median_ms, m.low_ms, m.high_ms, m.samples, m.gflops, m.gbps,
  m.roof_fraction, m.prepare_ms, m.max_error, m.message, m.measured_at,
  t.stop, t.measurement, t.version, 1 - t.superseded AS in_force,
  m.time_ms, m.runs, m.within_low_ms, m.within_high_ms, m.factor, e.tie_set IS NOT NULL AS tied
FROM measured m JOIN trial t ON t.id = m.id LEFT JOIN tie_member e ON e.trial = m.id;

DROP VIEW best;

-- Where ties are settled, what was settled. Elsewhere they are told by intervals alone:
--
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
  v.grid, v.params, v.cache, v.status, v.time_ms AS median_ms, v.low_ms, v.high_ms, v.samples, v.gflops, v.gbps,
  v.roof_fraction, v.prepare_ms, v.max_error, v.message, v.measured_at,
  s.margin, (SELECT count(*) FROM tie_member m WHERE m.tie_set = s.id) AS tie_size, v.runs, v.factor
FROM tie_set s CROSS JOIN measured v ON v.id = s.trial
UNION ALL
SELECT v.sweep, v.device, v.matrix, v.rows, v.cols, v.nnz, v.kernel, v.format, v.precision, v.block,
  v.grid, v.params, v.cache, v.status, v.time_ms AS median_ms, v.low_ms, v.high_ms, v.samples, v.gflops, v.gbps,
  v.roof_fraction, v.prepare_ms, v.max_error, v.message, v.measured_at,
  (SELECT o.median FROM trial o
   WHERE o.matrix = r.matrix AND o.device = r.device AND o.precision = r.precision AND o.cache = r.cache
     AND o.superseded = 0 AND o.median IS NOT NULL AND o.low > r.reach AND o.median > 1.01 * r.fastest
   ORDER BY o.median LIMIT 1) / r.fastest - 1 AS margin,
  r.tie_size, v.runs, v.factor
FROM ranked r CROSS JOIN measured v ON v.id = r.id
WHERE r.robust_rank = 1;

DROP VIEW speedup;

-- Each kernel at its best, and how many times as fast that is as other choices
-- on the same device, matrix, precision and cache state. The best single kernel
-- of a device, precision and cache state is, among those that have a time on the
-- most matrices, the one whose slowdown against the best of each matrix has the
-- lowest geometric mean.
CREATE VIEW speedup AS
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
SELECT d.name AS device, m.name AS matrix, c.precision, c.cache, c.kernel,
  t.block, t.grid, t.params, 1e3 * c.time AS median_ms,
  c.coo_atomic / c.time AS over_coo_atomic,
  c.cpu_coo / c.time AS over_cpu_coo,
  c.best_single / c.time AS over_best_single,
  c.cusparse / c.time AS over_cusparse
FROM compared c
  JOIN trial t ON t.id = c.id
  JOIN device d ON d.id = c.device
  JOIN matrix m ON m.id = c.matrix;

