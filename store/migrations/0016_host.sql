-- What others did to the processor while a trial was measured. Null: nothing, or not known; of a
-- GPU that replays graphs the processor is in no time.
ALTER TABLE trial ADD COLUMN host_cores REAL;       -- seconds of the cores that the worker may use
ALTER TABLE trial ADD COLUMN host_others REAL;      -- seconds in which a core worked for another process
ALTER TABLE trial ADD COLUMN host_stolen REAL;      -- seconds in which the hypervisor gave a core to another machine
ALTER TABLE trial ADD COLUMN host_switches INTEGER; -- how often the system took a core away from the worker
ALTER TABLE trial ADD COLUMN host_own REAL;         -- seconds of processor time of the worker
ALTER TABLE trial ADD COLUMN host_load REAL;        -- load average of the machine, of one minute

DROP VIEW telemetry;
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
  r.repeated, r.throttled, t.warnings, m.measured_at,
  ifnull(t.host_others, 0) / t.host_cores AS others, ifnull(t.host_stolen, 0) / t.host_cores AS stolen,
  ifnull(t.host_switches, 0) / t.host_own AS switches, t.host_load AS load
FROM measured m
  JOIN trial t ON t.id = m.id
  LEFT JOIN origin o ON o.id = t.origin
  LEFT JOIN reading r ON r.trial = t.id;
