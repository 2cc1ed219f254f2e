"""Starts processes and talks to them: workers with time limits, other programs, conductors on cores of their own."""
