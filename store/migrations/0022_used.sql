-- When a run last used a sweep, in milliseconds since 1970: it may have measured nothing, because all was measured.
-- Null: not after it was first run.
ALTER TABLE sweep ADD COLUMN used INTEGER;
