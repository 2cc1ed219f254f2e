"""The schema of a document, inferred from its values."""
