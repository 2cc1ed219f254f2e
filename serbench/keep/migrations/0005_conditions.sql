-- What was measured before had one document repeated.
ALTER TABLE cell ADD COLUMN conditions TEXT NOT NULL DEFAULT 'hot';
ALTER TABLE weight ADD COLUMN conditions TEXT NOT NULL DEFAULT 'hot';
ALTER TABLE cell ADD COLUMN size_spread_bytes INTEGER;
