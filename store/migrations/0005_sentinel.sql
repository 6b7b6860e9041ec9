-- Trials that were measured again, to see how the device drifts. The first
-- measurement is the trial's own.
CREATE TABLE sentinel (
  identity  TEXT NOT NULL,      -- of the trial; a merge may meet it later than this
  at        INTEGER NOT NULL,
  origin    INTEGER REFERENCES origin,
  median    REAL NOT NULL,
  low       REAL NOT NULL,
  high      REAL NOT NULL,
  throttled INTEGER NOT NULL,   -- samples that were kept though the device throttled
  data      BLOB NOT NULL,      -- samples, as in the table sample
  PRIMARY KEY (identity, at)
);
