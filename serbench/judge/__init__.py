"""From samples to rows, intervals, ranks, comparisons and advice as numbers: pure functions."""
