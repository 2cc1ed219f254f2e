-- The Python that a case ran on, as "PyPy 3.9.16". How long a case was warmed up at most, where the interpreter has a JIT; and the CPU time that
-- compressing and decompressing its bytes takes, with gzip (level 6) and zstd (level 3).
ALTER TABLE cell ADD COLUMN python TEXT;
ALTER TABLE cell ADD COLUMN warmup_ns INTEGER;
ALTER TABLE cell ADD COLUMN gzip_ns INTEGER;
ALTER TABLE cell ADD COLUMN gunzip_ns INTEGER;
ALTER TABLE cell ADD COLUMN zstd_ns INTEGER;
ALTER TABLE cell ADD COLUMN unzstd_ns INTEGER;
