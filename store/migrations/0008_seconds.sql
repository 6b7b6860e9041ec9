-- What a trial took, so that a plan can say how long the next ones will.
ALTER TABLE trial ADD COLUMN seconds REAL; -- that the worker was busy with it; null: not known
