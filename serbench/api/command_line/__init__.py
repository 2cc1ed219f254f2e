"""The public functions as commands, with errors of one line and exit codes."""
