-- What a sweep says of a kernel of the user's own, with the texts of its source, as JSON; null:
-- the kernel is in the catalogue, or nothing is known of it.
ALTER TABLE kernel ADD COLUMN definition TEXT;
