"""Published results that are older than the current versions of their libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from serbench.ask.matrices import PUBLISHED, Matrices
from serbench.ask.reports.published import Published
from serbench.errors import PlanError
from serbench.render.environments.build import BuildError, newest
from serbench.render.environments.environment import main_environment


class Dated(NamedTuple):
    """A published result: its name, the date, and the versions of what it is of, by distribution."""

    result: str
    date: str
    versions: Mapping[str, str]


def dated(runs: Sequence[Published], matrices: Matrices) -> list[Dated]:
    """The published results that can become outdated."""
    results = [Dated(one.name, one.run.info.started[:10], one.run.info.versions) for one in runs]
    return [*results, Dated(PUBLISHED, matrices.date[:10], matrices.versions)] if matrices else results


@dataclass(frozen=True)
class Stale:
    """One distribution of a published result of which there is a newer version.

    Attributes:
        result: the published result's name.
        measured: its date.
        distribution, version: the measured distribution and its version.
        newer: the version that there is now.
        where: "installed" or "index".
    """

    result: str
    measured: str
    distribution: str
    version: str
    newer: str
    where: str


def stale(results: Sequence[Dated], *, index: bool = False) -> list[Stale]:
    """The outdated results, compared with the versions installed here and, if asked, on the package index.

    Versions in environments of their own were asked for by number, and do not age.

    Raises:
        PlanError: the index cannot be asked.
    """
    measured = {name for one in results for name in one.versions if name != "python" and ": " not in name}
    installed = {name: main_environment().installed(name) for name in sorted(measured)}
    outdated = _against(results, installed, "installed")
    if index:
        try:
            outdated += _against(results, newest(sorted(measured)), "index")
        except BuildError as error:
            raise PlanError(f"the package index cannot be asked: {error}; omit --index") from None
    return outdated


def _against(results: Sequence[Dated], present: Mapping[str, str | None], where: str) -> list[Stale]:
    return [
        Stale(one.result, one.date, name, str(version), newer, where)
        for one in results
        for name, version in one.versions.items()
        for newer in [present.get(name)]
        if newer and is_newer(newer, str(version))
    ]


def is_newer(one: str, other: str) -> bool:
    """Whether one version is newer than the other; any other one if they are no versions."""
    try:
        return Version(one) > Version(other)
    except InvalidVersion:
        return one != other
