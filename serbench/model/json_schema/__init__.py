"""JSON Schema, read and written."""
