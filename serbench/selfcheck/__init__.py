"""The parts of the self-check, how far the figures of the engine can be believed, and the tests of installed plug-ins."""
