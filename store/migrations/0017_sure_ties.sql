-- Ties were told at a lower level, and without what two runs differ by as a whole.
DELETE FROM tie_set;
