"""The example run that tests of numbers and of their display share."""

from example_run import cells, info, rows, samples  # noqa: F401
