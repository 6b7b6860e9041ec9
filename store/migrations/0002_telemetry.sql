-- Where trials were measured, and what the device's sensors said meanwhile.

CREATE TABLE origin (
  id   INTEGER PRIMARY KEY,
  node TEXT NOT NULL,          -- host name; '' in all three: not told
  uuid TEXT NOT NULL,          -- of the device
  job  TEXT NOT NULL,          -- Slurm's, with the task of an array: 12_3
  UNIQUE (node, uuid, job)
);

ALTER TABLE trial ADD COLUMN origin INTEGER REFERENCES origin;

-- A table of its own, since most rows of a processor have none of it. What a
-- device does not tell is null.
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

CREATE VIEW telemetry AS
SELECT m.sweep, m.device, m.matrix, m.kernel, m.precision, m.block, m.grid, m.params, m.cache,
  m.status, m.median_ms,
  nullif(o.node, '') AS node, nullif(o.uuid, '') AS uuid, nullif(o.job, '') AS job,
  r.sm_clock AS sm_mhz, r.memory_clock AS memory_mhz, r.temperature AS celsius, r.power / 1e3 AS watts, r.energy AS joules,
  CASE WHEN r.clock_reasons IS NOT NULL THEN ltrim(
    CASE WHEN r.clock_reasons & 0x002 THEN ' applications_clocks' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x004 THEN ' sw_power_cap' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x008 THEN ' hw_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x010 THEN ' sync_boost' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x020 THEN ' sw_thermal_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x040 THEN ' hw_thermal_slowdown' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x080 THEN ' hw_power_brake' ELSE '' END ||
    CASE WHEN r.clock_reasons & 0x100 THEN ' display_clocks' ELSE '' END) END AS clock_reasons,
  r.repeated, r.throttled, t.warnings, m.measured_at
FROM measured m
  JOIN trial t ON t.id = m.id
  LEFT JOIN origin o ON o.id = t.origin
  LEFT JOIN reading r ON r.trial = t.id;
