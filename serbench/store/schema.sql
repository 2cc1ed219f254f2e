-- Version 5 of the store; what came later is in migrations/, applied in order of their numbers.
-- Times are ISO 8601 in UTC; columns named after JSON things hold JSON text.

CREATE TABLE migration (
    version  INTEGER PRIMARY KEY,
    name     TEXT NOT NULL,
    applied  TEXT NOT NULL,
    serbench TEXT NOT NULL
);

CREATE TABLE run (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    started  TEXT NOT NULL,
    finished TEXT,
    status   TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted')),
    command  TEXT NOT NULL,
    plan     TEXT NOT NULL,
    machine  TEXT NOT NULL,
    versions TEXT NOT NULL,
    serbench TEXT NOT NULL,
    warnings TEXT NOT NULL DEFAULT '[]',
    seconds  REAL,
    machines TEXT NOT NULL DEFAULT '{}' -- facts by name, where several machines have measured the run
);

CREATE TABLE source (
    sha256 TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE cell (
    run             INTEGER NOT NULL REFERENCES run (number),
    id              INTEGER NOT NULL,
    workload        TEXT NOT NULL,
    records         INTEGER NOT NULL,
    depth           INTEGER NOT NULL,
    seed            INTEGER NOT NULL,
    library         TEXT NOT NULL,
    variant         TEXT NOT NULL,
    codec           TEXT NOT NULL,
    format          TEXT NOT NULL,
    operation       TEXT NOT NULL,
    environment     TEXT NOT NULL,
    version         TEXT,
    control         INTEGER NOT NULL,
    reference       INTEGER NOT NULL,
    status          TEXT NOT NULL,
    reason          TEXT,
    work_class      TEXT,
    loops           INTEGER NOT NULL,
    size_bytes      INTEGER,
    size_gzip_bytes INTEGER,
    size_zstd_bytes INTEGER,
    source_sha256   TEXT,
    python          TEXT,    -- that a case ran on, as "PyPy 3.9.16"
    warmup_ns       INTEGER, -- at most, where the interpreter has a JIT
    gzip_ns         INTEGER, -- CPU time with gzip (level 6) and zstd (level 3)
    gunzip_ns       INTEGER,
    zstd_ns         INTEGER,
    unzstd_ns       INTEGER,
    machine         TEXT,    -- which of several
    same_as         TEXT,    -- the library and variant measured in its place, whose code is the very same
    takes_part      INTEGER NOT NULL DEFAULT 1, -- the code of the operation uses the library at all
    conditions      TEXT NOT NULL DEFAULT 'hot',
    size_spread_bytes INTEGER,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- The key is in the order in which samples are made, so that pages fill and a run is read in one scan.
CREATE TABLE sample (
    run        INTEGER NOT NULL,
    wave       INTEGER NOT NULL,
    cell       INTEGER NOT NULL,
    visit      INTEGER NOT NULL,
    round      INTEGER NOT NULL,
    cpu_ns     INTEGER NOT NULL,
    wall_ns    INTEGER NOT NULL,
    process_ns INTEGER NOT NULL,
    switches   INTEGER NOT NULL,
    PRIMARY KEY (run, wave, cell, visit, round)
) WITHOUT ROWID;

CREATE TABLE fact (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

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
    reason      TEXT,
    conditions  TEXT NOT NULL DEFAULT 'hot'
);
CREATE INDEX weight_by_weighing ON weight (weighing);
