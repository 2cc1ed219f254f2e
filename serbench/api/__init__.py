"""Public functions, and folders for the command line, notebooks and published pages."""
