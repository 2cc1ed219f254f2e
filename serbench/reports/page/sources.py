"""Where the code of a case comes from: the store that kept it, or rendered again where it is still the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from serbench import verbs
from serbench.analysis import Row
from serbench.reports.page.content import Sources
from serbench.store import Store, StoreError, default_path


@contextmanager
def kept_or_rendered(store: str | Path | None = None) -> Iterator[Sources]:
    """Gives what looks for a row's module in the store and else renders its case; the sha256 must be the row's."""
    path = Path(store) if store is not None else default_path()
    with Store(path, read_only=True) if path.is_file() else nullcontext() as opened:

        def source(row: Row) -> str | None:
            return _kept(opened, row.source_sha256) or _rendered(row)

        yield source


def _kept(opened: Store | None, sha256: str | None) -> str | None:
    try:
        return opened.source(sha256) if opened and sha256 else None
    except StoreError:
        return None


def _rendered(row: Row) -> str | None:
    try:
        case = verbs.show(
            f"{row.library}[{row.variant}]",
            f"{row.codec}/{row.format}",
            row.workload,
            records=row.records,
            depth=row.depth,
        )
    except ValueError:  # a library, a codec or data that is not here
        return None
    return case.source if case.source_sha256 == row.source_sha256 else None
