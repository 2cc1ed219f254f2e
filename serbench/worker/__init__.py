"""Everything that runs in the measured process: imports the standard library and nothing of serbench."""
