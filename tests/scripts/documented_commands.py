"""Run every command that the documentation shows, as a user has serbench, and write down how each ended.

`python3 tests/scripts/documented_commands.py FOLDER [PATTERN] [--seconds 240] [--jobs 2]`

FOLDER gets a user's files and `commands.jsonl`: a line for each command with its exit code, seconds and output.
What has a line there already is not run again, so the next call goes on where this one ended.
Pages for maintainers are run in the repository itself. A command over its time is ended as by Ctrl-C.
Two at a time may disturb each other: one removes an environment, or publishes, what the other reads. `--jobs 1` tells.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from user_folder import MODELS, PAGES, ROOT, fill, shown

FOR_MAINTAINERS = {"CONTRIBUTING.md", "maintaining.md", "adding-a-claim.md", "outcomes.md"}
APP_SECONDS = 25
"""After this time an app, which never ends by itself, is ended."""


def commands() -> dict[str, Path]:
    """Each command once, with the first page that shows it."""
    found: dict[str, Path] = {}
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for line in shown(page):
            found.setdefault(" ".join(line.split()), page)
    left_out = (". ", "python3 -m venv", f"python3 tests/scripts/{Path(__file__).name}")  # the last is this program
    return {line: page for line, page in found.items() if not line.startswith(left_out)}


def outcome(line: str, page: Path, folder: Path, seconds: float) -> dict[str, object]:
    """Run one command in a group of processes of its own."""
    place = ROOT if page.name in FOR_MAINTAINERS else folder
    if "-o models.py" in line:
        (place / "models.py").unlink(missing_ok=True)
    elif " models.py:" in line:
        (place / "models.py").write_text(MODELS, encoding="utf-8")
    limit = APP_SECONDS if line.startswith("serbench app") else seconds
    began = time.monotonic()
    process = subprocess.Popen(
        ["bash", "-c", f"exec env {line}" if "&&" not in line and "|" not in line else line],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    ended = True
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        ended = False
        os.killpg(process.pid, signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
    return {
        "command": line,
        "page": page.name,
        "code": process.returncode,
        "ended": ended,
        "seconds": round(time.monotonic() - began, 1),
        "output": output[-4000:],
    }


def main(chosen: Namespace) -> None:
    """Run what has no line yet, and print one line for each."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would leave it ignored
    folder = chosen.folder.resolve()
    if not (folder / "shop").exists():
        fill(folder)
        (folder / ".venv").symlink_to(sys.prefix)
    record = folder / "commands.jsonl"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    done = {json.loads(line)["command"] for line in lines}
    todo = {
        line: page
        for line, page in commands().items()
        if line not in done and re.search(chosen.pattern, f"{page.name}: {line}")
    }
    with ThreadPoolExecutor(chosen.jobs) as pool, record.open("a", encoding="utf-8") as file:
        for ended in as_completed(
            pool.submit(outcome, line, page, folder, chosen.seconds) for line, page in todo.items()
        ):
            result = ended.result()
            file.write(f"{json.dumps(result)}\n")
            file.flush()
            code = result["code"] if result["ended"] else "over its time"
            print(f"{code:>4} {result['seconds']:6} s  {result['page']}: {result['command']}", flush=True)
    print(f"{len(todo)} run now, {len(done)} before, of {len(commands())}")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pattern", nargs="?", default="", help="a regular expression of `PAGE: COMMAND`")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--jobs", type=int, default=2)
    if not shutil.which("bash"):
        raise SystemExit("bash is needed")
    main(parser.parse_args())
