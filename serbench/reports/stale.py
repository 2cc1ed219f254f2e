"""Which published results newer versions of the libraries have made old."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from serbench.environments import main_environment
from serbench.environments.build import BuildError, newest
from serbench.names import PlanError
from serbench.reports.published import Published


@dataclass(frozen=True)
class Stale:
    """One distribution of a published run of which there is a newer version.

    Attributes:
        result: the published run's name.
        measured: its date.
        distribution, version: what was measured.
        newer: the version that there is now.
        where: "installed" or "index".
    """

    result: str
    measured: str
    distribution: str
    version: str
    newer: str
    where: str


def stale(runs: Sequence[Published], *, index: bool = False) -> list[Stale]:
    """What is old, against what is installed here and, if asked, against what the package index has.

    Versions in environments of their own were asked for by number, and do not age.

    Raises:
        PlanError: the index cannot be asked.
    """
    measured = {name for one in runs for name in one.run.info.versions if name != "python" and ": " not in name}
    installed = {name: main_environment().installed(name) for name in sorted(measured)}
    found = _against(runs, installed, "installed")
    if index:
        try:
            found += _against(runs, newest(sorted(measured)), "index")
        except BuildError as error:
            raise PlanError(f"the package index cannot be asked: {error}; leave --index out") from None
    return found


def _against(runs: Sequence[Published], present: Mapping[str, str | None], where: str) -> list[Stale]:
    return [
        Stale(one.name, one.run.info.started[:10], name, str(version), newer, where)
        for one in runs
        for name, version in one.run.info.versions.items()
        for newer in [present.get(name)]
        if newer and _newer(newer, str(version))
    ]


def _newer(one: str, other: str) -> bool:
    try:
        return Version(one) > Version(other)
    except InvalidVersion:
        return one != other
