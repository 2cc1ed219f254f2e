"""Runs as values, and the SQLite store, the published files and the machines that they are measured on."""
