-- A random sample of trials is measured again, to see how much repeating moves a trial.
ALTER TABLE sentinel ADD COLUMN spread INTEGER NOT NULL DEFAULT 0; -- 1: measured for that
