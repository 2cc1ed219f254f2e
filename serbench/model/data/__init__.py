"""Data sets: generated, of files and objects, scaled and sampled."""
