"""Processes and clocks: proves each case, sizes its batches, and times all of them in waves of fresh processes."""
