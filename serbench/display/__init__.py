"""Results as tables, sentences and figures: pure functions of rows."""
