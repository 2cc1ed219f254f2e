"""The command line: the public functions as commands, with errors of one line and exit codes."""

from serbench.cli.program import main, program

__all__ = ["main", "program"]
