"""Data: schemas and their readers, workloads, users' files, and the equality of values."""
