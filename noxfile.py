"""What is run to check serbench, in the environment that CONTRIBUTING makes: `nox -s tests`; `nox -l` lists the sessions."""

from __future__ import annotations

import sys

import nox

nox.options.default_venv_backend = "none"  # the sessions share one environment, which need not be made again
nox.options.sessions = ["tests"]

PYTEST = (
    "pytest",
    "-q",
    "-n",
    "2",
)  # two cores; each process imports all tests, and the more it runs, the more it holds


def python(session: nox.Session, *arguments: str) -> None:
    """Run a module of this environment."""
    session.run(sys.executable, "-m", *arguments)


@nox.session
def tests(session: nox.Session) -> None:
    """The tests of every part, as the README's line runs them."""
    python(session, *PYTEST, *session.posargs)


@nox.session
def full(session: nox.Session) -> None:
    """These, then the tests marked `full`, and the sizes: what `.ci/run` runs. In one call a process would hold more than 1 GB."""
    python(session, *PYTEST, *session.posargs)
    python(session, *PYTEST, "-m", "full", *session.posargs)
    size(session)


@nox.session
def every(session: nox.Session) -> None:
    """All tests, those included of which the other sessions draw some, in two calls and more processes, so that none holds too much."""
    for selected, processes in (("every and not full", "6"), ("every and full", "8")):
        python(session, *PYTEST, "-n", processes, "-m", selected, "--hypothesis-profile", "every", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Small changes to the modules that decide, which their tests must notice: `nox -s mutants -- MODULE … --number 60`."""
    session.run(sys.executable, "tests/scripts/mutants.py", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint and types."""
    python(session, "ruff", "check")
    python(session, "ruff", "format", "--check")
    python(session, "mypy")


@nox.session
def size(session: nox.Session) -> None:
    """Lines of each room and each feature beside the last release: `nox -s size -- COMMIT` takes another. It fails nothing."""
    session.run(sys.executable, "tests/scripts/size.py", *session.posargs)
