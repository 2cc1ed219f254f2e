"""The machine: cores and clocks, processes that end, files written whole."""
