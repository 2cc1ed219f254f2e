"""Takes files, or all JSON files and notebooks of folders, through everything: inferred, verified with all core libraries, ranked.

    python3 tests/scripts/payloads.py [--library LIBRARY] [--verify] [--budget SECONDS] FILE|FOLDER …

prints a line for each file and ends with 1 where a case failed or fewer than two rows could be ranked. `--verify` does not measure.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import serbench
from serbench.errors import PlanError, WorkloadError

FINE = {"ok", "unresolved", "unsupported"}


def outcome(path: Path, library: str | None, budget: float | None) -> tuple[str, bool]:
    """What became of a file, in a line, and whether that is fine; it is measured for a budget of seconds, or not at all."""
    try:
        cells = serbench.verify(payload=path, libraries=library)
        rows = serbench.run(payload=path, libraries=library, effort="quick", budget=budget).rows if budget else []
    except (PlanError, WorkloadError) as error:
        return f"refused: {error}", True
    verified = Counter(cell.status for cell in cells)
    said = ", ".join(f"{count} {status}" for status, count in verified.items())
    ranked = sum(row.rank is not None for row in rows)
    said += f"; {ranked} rows ranked" if budget else ""
    bad = [f"{cell.library} {cell.codec}: {cell.reason}" for cell in cells if cell.status not in FINE]
    return "; ".join([said, *bad[:3]]), not bad and (ranked > 1 or not budget)


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted([*path.rglob("*.json"), *path.rglob("*.ipynb")]) if path.is_dir() else [path]


def main() -> int:
    """1 where a file did not come through."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--library", help="as for `serbench run`")
    parser.add_argument("--verify", action="store_true", help="do not measure")
    parser.add_argument("--budget", type=float, default=300.0, help="seconds for each file, which few need")
    parser.add_argument("paths", nargs="+", type=Path)
    choice = parser.parse_args()
    failed = 0
    for path in _files(choice.paths):
        said, fine = outcome(path, choice.library, None if choice.verify else choice.budget)
        sys.stdout.write(f"{path.name}: {said}\n")
        sys.stdout.flush()
        failed += not fine
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
