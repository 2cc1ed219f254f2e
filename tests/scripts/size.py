"""Prints how many lines each room and each feature has, beside those of the last release or of another commit.

`nox -s size`, or `nox -s size -- COMMIT`. It fails nothing. A feature is a row of `FEATURES`: globs of its files.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

TOTALS = {
    "serbench/, Python": ["serbench/**.py"],
    "serbench/, JavaScript, CSS, HTML": ["serbench/**.js", "serbench/**.css", "serbench/**.html", "serbench/**.j2"],
    "tests/": ["tests/**"],
    "docs/, Markdown": ["docs/**.md"],
}
FEATURES = {
    "inference of files": ["serbench/model/inference/*", "serbench/model/normalise.py", "serbench/model/data/*"],
    "JSON Schema": ["serbench/model/json_schema/*"],
    "the user's classes": [
        "serbench/model/classes/*",
        "serbench/render/user_class/*",
    ],
    "libraries": ["serbench/render/libraries/*"],
    "formats and their readers": ["serbench/render/formats/*", "serbench/render/reading/*"],
    "source of cases": ["serbench/render/source/*", "serbench/render/*.py"],
    "probes": ["serbench/measure/probes/**", "serbench/display/matri*.py", "serbench/judge/outcomes.py"],
    "weigh": ["serbench/**weigh*.py", "serbench/**starter.py"],
    "compare, gate, history": [
        *("serbench/**/compar*.py", "serbench/**/gate.py"),
        *("serbench/**/revisions.py", "serbench/measure/carried.py", "serbench/measure/answers.py"),
        *("serbench/measure/functions.py", "serbench/api/judging.py", "serbench/api/pytest_plugin.py"),
    ],
    "claims": ["serbench/claims/*.py", "serbench/api/claims.py"],
    "explorer and app": ["serbench/api/notebook/**"],
    "page": ["serbench/api/reports/page/**"],
    "reports": ["serbench/api/reports/*.py", "serbench/api/reports/templates/*"],
    "options and commands": [
        *("serbench/api/command_line/*", "serbench/api/*choices.py", "serbench/api/calling.py"),
        *("serbench/api/options.py", "serbench/measure/options.py"),
    ],
    "snapshots": ["tests/snapshots/*"],
    "scripts": ["tests/scripts/*"],
}
"""Feature → globs of its files; only `**` matches `/`. A file may belong to several features, or to none."""


def git(*arguments: str) -> str:
    """What git prints; nothing if it fails."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout


def lines(commit: str) -> dict[str, int]:
    """File → its lines, at a commit; those of the work tree for ""."""
    listed = git("grep", "-c", "", *filter(None, [commit]), "--", "serbench", "tests", "docs", "notebooks").splitlines()
    counts = (line.removeprefix(f"{commit}:").rpartition(":") for line in listed)
    return {name: int(count) for name, _, count in counts}


def last_release() -> str:
    """The commit that wrote the newest version into the changelog; "" if there is none."""
    heads = [
        line.split("]")[0] for line in Path("CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("## [")
    ]
    released = [head for head in heads if "Unreleased" not in head]
    return git("log", "-1", "--format=%h", f"-S{released[0]}]", "--", "CHANGELOG.md").strip() if released else ""


def counted(files: dict[str, int], globs: list[str]) -> int:
    """The lines of the files that a glob matches."""
    forms = (re.escape(glob).replace(r"\*\*", ".*").replace(r"\*", "[^/]*") for glob in globs)
    pattern = re.compile("|".join(forms))
    return sum(count for name, count in files.items() if pattern.fullmatch(name))


def room(name: str) -> str:
    """The folder of the file, at most two deep."""
    return "/".join(name.split("/")[:-1][:2])


def main(commit: str | None = None) -> None:
    """Print the three tables."""
    commit = commit or last_release()
    now, before = lines(""), lines(commit) if commit else {}
    rooms = [Counter(), Counter()]
    for counter, files in zip(rooms, (now, before), strict=True):
        for name, count in files.items():
            counter[room(name)] += count if name.endswith((".py", ".js", ".css")) else 0
    print(f"{'lines':<40}{'now':>8}" + (f"{commit[:10]:>12}{'':>8}" if commit else "    (no release to compare with)"))

    def row(name: str, new: int, old: int) -> None:
        print(f"{name:<40}{new:>8,}" + (f"{old:>12,}{new - old:>+8,}" if commit else ""))

    for title, table in (("", TOTALS), ("by feature", FEATURES)):
        print(title)
        for name, globs in table.items():
            counts = [counted(files, globs) for files in (now, before)]
            row(name, *counts)
    print("by room")
    for name in sorted({*rooms[0], *rooms[1]}):
        row(name, rooms[0][name], rooms[1][name])
    files = [sum(name.startswith("serbench/") and name.endswith(".py") for name in found) for found in (now, before)]
    print()
    row("Python files in serbench/", *files)


if __name__ == "__main__":
    main(*sys.argv[1:])
