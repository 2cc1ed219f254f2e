"""The command line: the same public verbs, with plain-text errors and exit codes."""

from serbench.cli.program import app, main

__all__ = ["app", "main"]
