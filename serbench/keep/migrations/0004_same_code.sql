-- The library and variant that was measured in a cell's place, because their code is the very same; and whether the
-- code of the operation uses the library at all.
ALTER TABLE cell ADD COLUMN same_as TEXT;
ALTER TABLE cell ADD COLUMN takes_part INTEGER NOT NULL DEFAULT 1;
