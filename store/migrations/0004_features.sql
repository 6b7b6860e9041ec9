-- What a matrix has to say about kernels besides its row lengths and bandwidth.
-- Null: the matrix has not been met since.

ALTER TABLE matrix ADD COLUMN row_skewness REAL;
ALTER TABLE matrix ADD COLUMN row_gini REAL;
ALTER TABLE matrix ADD COLUMN row_max_over_mean REAL;
ALTER TABLE matrix ADD COLUMN share_above_32 REAL;
ALTER TABLE matrix ADD COLUMN share_above_256 REAL;
ALTER TABLE matrix ADD COLUMN share_above_1024 REAL;
ALTER TABLE matrix ADD COLUMN row_span_mean REAL;
ALTER TABLE matrix ADD COLUMN profile REAL;
ALTER TABLE matrix ADD COLUMN col_gap_mean REAL;
ALTER TABLE matrix ADD COLUMN neighbour_rate REAL;
ALTER TABLE matrix ADD COLUMN row_similarity REAL;
ALTER TABLE matrix ADD COLUMN diagonals REAL;
ALTER TABLE matrix ADD COLUMN pattern_symmetry REAL;

DROP VIEW features;

CREATE VIEW features AS
SELECT name AS matrix, class, hash, source, field, symmetry, rows, cols, nonzeros,
  row_mean, row_std, row_min, row_p25, row_median, row_p75, row_p90, row_p99, row_max,
  empty_rows, cols_used, bandwidth, bandwidth_mean, row_skewness, row_gini, row_max_over_mean,
  share_above_32, share_above_256, share_above_1024, row_span_mean, profile, col_gap_mean,
  neighbour_rate, row_similarity, diagonals, pattern_symmetry
FROM matrix;
