-- Facts that had to be read from texts get columns, and each trial tells which version of
-- the measurement took its samples: times of different versions are not compared. The
-- program fills the columns of what is there already, where it takes more than SQL.

-- The version of the measurement; null: measured elsewhere, with another program. All
-- that was recorded before is of version 1, except what was imported.
ALTER TABLE trial ADD COLUMN measurement INTEGER DEFAULT 1;
ALTER TABLE trial ADD COLUMN version TEXT;      -- of the program that measured it; null: not known

DROP TRIGGER trial_updated; -- ties stay as they are decided
UPDATE trial SET measurement = NULL WHERE device IN (SELECT id FROM device WHERE backend = 'imported');
CREATE TRIGGER trial_updated AFTER UPDATE ON trial BEGIN
  DELETE FROM tie_set WHERE matrix = NEW.matrix AND device = NEW.device AND precision = NEW.precision AND cache = NEW.cache;
END;

ALTER TABLE matrix ADD COLUMN twin_of TEXT;     -- the published matrix that a twin is a likeness of; null: no twin
ALTER TABLE matrix ADD COLUMN twin_scale REAL;  -- the size of a twin as a multiple of it

-- What the protocol and the search of a sweep say.
ALTER TABLE sweep ADD COLUMN warmup INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN samples_min INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN samples_max INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweep ADD COLUMN target REAL NOT NULL DEFAULT 0;         -- half width of the interval as a fraction; 0: not known
ALTER TABLE sweep ADD COLUMN budget REAL NOT NULL DEFAULT 0;         -- seconds of a trial
ALTER TABLE sweep ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;        -- unsigned, with the same bits
ALTER TABLE sweep ADD COLUMN slow REAL NOT NULL DEFAULT 0;           -- 0: no trial is cut short
ALTER TABLE sweep ADD COLUMN strategy TEXT NOT NULL DEFAULT '';
ALTER TABLE sweep ADD COLUMN search_trials INTEGER NOT NULL DEFAULT 0; -- the most trials of a matrix; 0: no bound
ALTER TABLE sweep ADD COLUMN search_rule TEXT NOT NULL DEFAULT '';

-- superseded means from now on that a trial does not count: another one of its
-- configuration is in force, a search measured it only briefly, or its place has good
-- trials of a newer version of the measurement.

DROP VIEW features;
CREATE VIEW features AS
SELECT name AS matrix, class, hash, source, field, symmetry, rows, cols, nonzeros,
  row_mean, row_std, row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max,
  empty_rows, cols_used, bandwidth, bandwidth_mean, row_skewness, row_gini, row_max_over_mean,
  share_above_32, share_above_256, share_above_1024, row_span_mean, profile, col_gap_mean,
  neighbour_rate, row_similarity, diagonals, pattern_symmetry, twin_of, twin_scale
FROM matrix;

DROP VIEW results;
CREATE VIEW results AS
SELECT m.sweep, m.device, m.matrix, m.rows, m.cols, m.nnz, m.kernel, m.format, m.precision, m.block,
  m.grid, m.params, m.cache, m.status, m.median_ms, m.low_ms, m.high_ms, m.samples, m.gflops, m.gbps,
  m.roof_fraction, m.prepare_ms, m.max_error, m.message, m.measured_at,
  t.stop, t.measurement, t.version, 1 - t.superseded AS in_force
FROM measured m JOIN trial t ON t.id = m.id;
