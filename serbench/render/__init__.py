"""From a schema to a module of code: one case for each library, variant and codec."""
