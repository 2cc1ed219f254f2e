"""The matrices of fidelity and strictness as a value, and those that are published."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from serbench.display.drawn import drawn
from serbench.display.matrices import Limits, Matrix, behaviours_data, matrix_figure, matrix_sentences
from serbench.display.matrix_tables import matrices_markdown
from serbench.display.style import ThemeName
from serbench.errors import PlanError, checked, parsed
from serbench.judge.outcomes import Behaviour, Finding, Limit
from serbench.judge.packed import finding_rows, packed_text, unpacked
from serbench.keep.archive import resources
from serbench.keep.run import Findings
from serbench.render.environments.files import schema, write_files

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

    from serbench.render.environments.files import Content

PUBLISHED = "fidelity"
PACKED = "matrices.json.gz"
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)  # whatever others wrote
COMMAND = "serbench verify --all && serbench report fidelity"
"""Measures everything that is published again."""


@dataclass(frozen=True)
class Matrices(Sequence[Behaviour]):
    """A sequence of cases, each with the outcome of every probe; it displays itself."""

    cases: tuple[Behaviour, ...]

    @classmethod
    def read(cls, folder: str | Path) -> Matrices:
        """Return what `write` has written into a folder; empty if nothing has been.

        Raises:
            PlanError: the file is damaged.
        """
        path = Path(folder, PACKED)
        if not path.exists():
            return cls(())
        try:
            cases = tuple(unpacked(parsed(gzip.decompress(path.read_bytes()), "matrices")))
            _check(cases)
        except (*_UNREADABLE, EOFError, zlib.error, IndexError) as error:
            raise PlanError(f"{path} has no readable matrices ({error}); `{COMMAND}` writes them") from None
        return cls(cases)

    @overload
    def __getitem__(self, index: int) -> Behaviour: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Behaviour]: ...

    def __getitem__(self, index: int | slice) -> Behaviour | Sequence[Behaviour]:
        return self.cases[index]

    def __len__(self) -> int:
        return len(self.cases)

    def figure(self, matrix: Matrix = "fidelity", *, probes: str = "", theme: ThemeName = "light") -> go.Figure:
        """The matrix as a heat map of Plotly, "fidelity" or "strictness": a column for each type of probe.

        Args:
            matrix: which of the two.
            probes: a type, such as "int" or "str"; each of its probes has a column then.

        Raises:
            PlanError: no probe is of that type.
        """
        return drawn(matrix_figure(self.cases, matrix, probes=probes, theme=theme))

    def findings(self) -> Findings:
        """Say in sentences what is changed, lost and let through."""
        return Findings(matrix_sentences(self.cases))

    def to_data(self) -> list[dict[str, Any]]:
        """The cases as JSON data."""
        return behaviours_data(self.cases)

    def to_markdown(self, command: str = COMMAND) -> str:
        """Return tables of what each codec and library keeps and refuses."""
        return matrices_markdown(self.cases, command)

    @property
    def date(self) -> str:
        """The date of the newest case, as ISO 8601 in UTC."""
        return max((one.date for one in self.cases), default="")

    @property
    def versions(self) -> dict[str, str]:
        """Versions that were probed in serbench's own installation, by distribution."""
        of_main = sorted((one for one in self.cases if one.environment == "main"), key=lambda one: one.date)
        versions = {name: version for one in of_main for name, version in one.versions.items()}
        return dict(sorted(versions.items()))

    def updated(self, newer: Iterable[Behaviour]) -> Matrices:
        """Return these cases with newer ones in their places, and those that are new."""
        by_case = {one.case: one for one in (*self.cases, *newer)}
        return Matrices(tuple(by_case[case] for case in sorted(by_case)))

    def write(self, folder: str | Path) -> list[Path]:
        """Write the cases and, if pyarrow is installed, their tables, into a folder: all of the files, or none.

        Raises:
            PlanError: the folder cannot be written.
        """
        text = packed_text(self.cases)
        contents: dict[str, Content] = {PACKED: gzip.compress(text.encode(), mtime=0)}
        kept = replace(self, cases=tuple(unpacked(json.loads(text))))  # in the order in which they will be read
        contents |= kept.tables()
        if find_spec("pyarrow"):
            contents["results.parquet"] = kept.parquet()
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            return write_files(Path(folder), contents)
        except OSError as error:
            raise PlanError(f"{folder} cannot be written: {error.strerror or error}; name another folder") from None

    def tables(self) -> dict[str, str]:
        """Return the text files that `write` adds, by their names."""
        return {"results.md": self.to_markdown()}

    def limits(self) -> Limits:
        """How deep, long, large and wide a value each case carries, as the matrix "limits" has found it."""
        return Limits(self.cases)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each case and probe, as a data frame."""
        import pandas as pd

        return pd.DataFrame(finding_rows(self.cases))

    def parquet(self) -> pa.Table:
        """A line for each case and probe, as a table of Arrow."""
        import pyarrow as pa

        shape = schema(Behaviour, Finding, about={"command": COMMAND, "versions": json.dumps(self.versions)})
        rows = finding_rows(self.cases)
        kinds = (
            {name: shape.field(name).type if name in shape.names else pa.string() for name in rows[0]} if rows else {}
        )
        return pa.Table.from_pylist(rows, pa.schema(list(kinds.items()), metadata=shape.metadata))

    def __str__(self) -> str:
        return str(self.findings())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The findings: plain for logs, Markdown for notebooks."""
        return self.findings()._repr_mimebundle_()


def published_matrices(data: str | Path | None = None) -> Matrices:
    """Return the matrices in a folder of results (default: serbench's own); empty if it has none.

    Raises:
        PlanError: the file is damaged.
    """
    return Matrices.read(Path(resources("data") if data is None else data, PUBLISHED))


def _check(cases: Iterable[Behaviour]) -> None:
    """Refuse what serbench does not write; each finding is looked at once, however many cases have it."""
    findings: dict[int, Finding] = {}
    for one in cases:
        checked(Behaviour, {**vars(one), "fidelity": {}, "strictness": {}, "limits": {}}, "case")
        checked(list[str], [*one.fidelity, *one.strictness, *one.limits], "probes")
        findings |= {id(finding): finding for known in (one.fidelity, one.strictness) for finding in known.values()}
        for limit in one.limits.values():
            checked(Limit, vars(limit), "limit")
    for finding in findings.values():
        checked(Finding, vars(finding), "finding")
