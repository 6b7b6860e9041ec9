-- What Nsight Compute counts: docs/profiling.md describes the counters.
DROP VIEW profile;
CREATE VIEW profile AS
SELECT m.sweep, m.device, m.matrix, m.kernel, m.precision, m.block, m.grid, m.params, m.cache, m.median_ms,
  c.occupancy, c.warp_efficiency, c.load_efficiency, c.instructions, c.data_refs, c.d1_misses, c.ll_misses,
  c.launches, 1e3 * c.seconds AS kernel_ms, c.dram_read_bytes, c.dram_write_bytes, c.dram_fraction, c.l2_read_bytes,
  c.l2_hit_rate, c.l1_hit_rate, c.sectors_per_request, c.issue_fraction, c.balance, c.registers,
  (SELECT substr(name, 7) FROM counter WHERE trial = m.id AND name GLOB 'stall_*' ORDER BY value DESC LIMIT 1) AS stall,
  (SELECT max(value) FROM counter WHERE trial = m.id AND name GLOB 'stall_*') AS stall_fraction
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
