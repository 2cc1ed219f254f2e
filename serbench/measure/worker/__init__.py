"""All code that runs in the measured process: the standard library only."""
