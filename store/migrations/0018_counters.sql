-- What a profiler counted in the products of a trial, by name. Which counters there are depends
-- on the device and on the profiler: what was not counted has no row.
CREATE TABLE counter (
  trial INTEGER NOT NULL REFERENCES trial,
  name  TEXT NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (trial, name)
) WITHOUT ROWID;

INSERT INTO counter
  SELECT trial, 'occupancy', occupancy FROM counted WHERE occupancy IS NOT NULL
  UNION ALL SELECT trial, 'warp_efficiency', warp_efficiency FROM counted WHERE warp_efficiency IS NOT NULL
  UNION ALL SELECT trial, 'load_efficiency', load_efficiency FROM counted WHERE load_efficiency IS NOT NULL;

DROP VIEW profile;
DROP TABLE counted;

CREATE VIEW profile AS
SELECT m.sweep, m.device, m.matrix, m.kernel, m.precision, m.block, m.grid, m.params, m.cache, m.median_ms,
  max(CASE c.name WHEN 'occupancy' THEN c.value END) AS occupancy,
  max(CASE c.name WHEN 'warp_efficiency' THEN c.value END) AS warp_efficiency,
  max(CASE c.name WHEN 'load_efficiency' THEN c.value END) AS load_efficiency,
  max(CASE c.name WHEN 'instructions' THEN c.value END) AS instructions,
  max(CASE c.name WHEN 'data_refs' THEN c.value END) AS data_refs,
  max(CASE c.name WHEN 'd1_misses' THEN c.value END) AS d1_misses,
  max(CASE c.name WHEN 'll_misses' THEN c.value END) AS ll_misses
FROM counter c CROSS JOIN measured m ON m.id = c.trial
GROUP BY c.trial;
