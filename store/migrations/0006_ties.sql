-- Configurations that can't be told apart, by their samples. The program settles them
-- after it has measured, merged or reported; what is recorded later unsettles its
-- place, so that nothing stale is seen.
CREATE TABLE tie_set (
  id        INTEGER PRIMARY KEY,
  matrix    INTEGER NOT NULL REFERENCES matrix,
  device    INTEGER NOT NULL REFERENCES device,
  precision TEXT NOT NULL,
  cache     TEXT NOT NULL,
  trial     INTEGER NOT NULL REFERENCES trial, -- that represents them
  winner    INTEGER NOT NULL REFERENCES trial, -- with the lowest median, drift taken out
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
END;
CREATE TRIGGER trial_deleted BEFORE DELETE ON trial BEGIN
  DELETE FROM tie_set WHERE matrix = OLD.matrix AND device = OLD.device AND precision = OLD.precision AND cache = OLD.cache;
END;
CREATE TRIGGER sentinel_inserted AFTER INSERT ON sentinel BEGIN
  DELETE FROM tie_set WHERE (matrix, device, cache) IN (SELECT matrix, device, cache FROM trial WHERE identity = NEW.identity);
END;

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
  v.grid, v.params, v.cache, v.status, v.median_ms, v.low_ms, v.high_ms, v.samples, v.gflops, v.gbps,
  v.roof_fraction, v.prepare_ms, v.max_error, v.message, v.measured_at,
  s.margin, (SELECT count(*) FROM tie_member m WHERE m.tie_set = s.id) AS tie_size
FROM tie_set s CROSS JOIN measured v ON v.id = s.trial
UNION ALL
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
