"""A user's class as one more library: found, read, given values, and measured as it is."""
