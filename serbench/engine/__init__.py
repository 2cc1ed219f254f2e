"""Plans a run, proves each case, sizes its batches, and measures all of them in waves of fresh processes."""
