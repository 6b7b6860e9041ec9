-- What a profiler counted in the launches of a trial. A table of its own, since most
-- trials have none of it. What was not counted is null.
CREATE TABLE counted (
  trial           INTEGER PRIMARY KEY REFERENCES trial,
  occupancy       REAL,   -- achieved: resident warps, of the most that a multiprocessor holds
  warp_efficiency REAL,   -- threads that took part in an instruction, of those of a warp
  load_efficiency REAL    -- bytes that were asked for, of those in the sectors that global loads moved
);

CREATE VIEW profile AS
SELECT m.sweep, m.device, m.matrix, m.kernel, m.precision, m.block, m.grid, m.params, m.cache, m.median_ms,
  c.occupancy, c.warp_efficiency, c.load_efficiency
FROM counted c JOIN measured m ON m.id = c.trial;
