"""How long and how much memory `serbench show FILE` takes for a large file: a benchmark to be run by hand, not a test."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MEGABYTES = 100
KINDS = {"click": {"x": 10, "y": 20}, "key": {"code": "Enter"}, "scroll": {"by": -1.5}}


def post(number: int, draw: random.Random, depth: int = 2) -> dict[str, Any]:
    """A post with an author, tags, events told apart by a tag, a map, and comments within comments."""
    kinds = draw.choices(list(KINDS), k=3)
    return {
        "id": number,
        "key": f"{number:08x}-0000-4000-8000-{number:012x}",
        "created_at": f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:{number % 60:02}:00Z",
        "author": {"login": f"user{number % 997}", "score": draw.random(), "bio": "日本語" if number % 5 else None},
        "tags": draw.choices(["a", "b", "c"], k=number % 4),
        "events": [{"type": kind, **KINDS[kind]} for kind in kinds],
        "counts": {f"2024-01-{day:02}": day for day in range(1, number % 6)},
        "comments": [post(number + 1, draw, depth - 1)] * (number % 2) if depth else [],
    }


def main() -> None:
    """Write the file, run the command as users do, and print its time and peak memory."""
    draw, size = random.Random(0), 0
    with TemporaryDirectory() as folder:
        path = Path(folder) / "posts.json"
        with path.open("w", encoding="utf-8") as file:
            size += file.write("[")
            for number in range(sys.maxsize):
                size += file.write(("," if number else "") + json.dumps(post(number, draw), ensure_ascii=False))
                if size > MEGABYTES << 20:
                    break
            file.write("]")
        began = time.monotonic()
        subprocess.run(
            [sys.executable, "-c", "from serbench.ask.command_line.program import main; main()", "show", str(path)],
            check=True,
        )
        seconds = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        said = f"{path.stat().st_size / 1e6:.0f} MB: {seconds:.1f} s, {cpu:.1f} s of them CPU time"
        sys.stdout.write(f"{said}, {peak:.0f} MiB at most\n")


if __name__ == "__main__":
    main()
