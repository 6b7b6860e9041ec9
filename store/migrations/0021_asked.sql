-- When a run last planned a trial that was known but not in force, or another database had it last, in milliseconds
-- since 1970. Null: not after it was measured.
ALTER TABLE trial ADD COLUMN asked INTEGER;
