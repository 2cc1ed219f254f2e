-- What separate passes have weighed: memory, start-up, installed size and the like. A weight's readings are a JSON
-- list with a number for each process.
CREATE TABLE weighing (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    started  TEXT NOT NULL,
    command  TEXT NOT NULL,
    plan     TEXT NOT NULL,
    machine  TEXT NOT NULL,
    versions TEXT NOT NULL,
    serbench TEXT NOT NULL
);
CREATE TABLE weight (
    weighing    INTEGER NOT NULL REFERENCES weighing (number),
    workload    TEXT NOT NULL,
    records     INTEGER NOT NULL,
    depth       INTEGER NOT NULL,
    seed        INTEGER NOT NULL,
    library     TEXT NOT NULL,
    variant     TEXT NOT NULL,
    codec       TEXT NOT NULL,
    format      TEXT NOT NULL,
    environment TEXT NOT NULL,
    version     TEXT,
    python      TEXT,
    metric      TEXT NOT NULL,
    quantity    TEXT NOT NULL,
    unit        TEXT NOT NULL,
    readings    TEXT NOT NULL,
    status      TEXT NOT NULL,
    reason      TEXT
);
CREATE INDEX weight_by_weighing ON weight (weighing);
-- Where several machines have measured a run: which of them a cell is from, and their facts by name (JSON).
ALTER TABLE cell ADD COLUMN machine TEXT;
ALTER TABLE run ADD COLUMN machines TEXT NOT NULL DEFAULT '{}';
