-- What reading at random gives, and what trials cost.

ALTER TABLE device ADD COLUMN roof_gather REAL; -- GB/s; null: not measured
