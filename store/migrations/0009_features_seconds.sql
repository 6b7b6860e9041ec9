-- What reading the features of a matrix costs, to tell when choosing by them pays off.
ALTER TABLE matrix ADD COLUMN features_seconds REAL; -- null: not known
