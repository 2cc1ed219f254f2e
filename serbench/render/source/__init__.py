"""Python source from a schema: layout, models, and conversions written by hand."""
