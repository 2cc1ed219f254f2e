"""Verifies classes of public packages as they are: `tests/data/public_classes.toml` names the packages and classes.

It makes an environment for each group of packages, once, and verifies and measures each class in it with a bound:

    python3 tests/scripts/public_classes.py
    python3 tests/scripts/public_classes.py --quick no --seconds 30 openai lsprotocol
    python3 tests/scripts/public_classes.py --checkout ../other --output before.txt

A line for each class has its outcome and seconds; the counts come last.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[2]
LISTED = ROOT / "tests" / "data" / "public_classes.toml"
PAYLOADS = ROOT / "tests" / "data" / "public_payloads.json"
CACHE = Path(tempfile.gettempdir()) / "serbench-public-classes"
COMPARED = ("--library", "msgspec", "--format", "json/json,orjson/json,msgspec/json,pydantic/json", "--records", "5")
MEASURED = (
    "--library",
    "msgspec",
    "--format",
    "json/json",
    "--records",
    "5",
    "--effort",
    "quick",
    "--precision",
    "50%",
)
FINE = ("ok", "unresolved")
OVER_TIME = 124
WALL = 10  # seconds that may pass for each second of CPU time that is allowed
TIMED = f"""
import os, resource, signal, subprocess, sys
started = subprocess.Popen(sys.argv[2:], start_new_session=True)
try:
    code = started.wait(float(sys.argv[1]) * {WALL})
except subprocess.TimeoutExpired:
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    code = {OVER_TIME}
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
sys.stderr.write(f"\\n{{seconds}}")
sys.exit({OVER_TIME} if seconds > float(sys.argv[1]) else code)
"""
OURS = ("json", "pickle", "marshal")  # codecs that no other library has: a fault there may be serbench's
NO_FAULT = (*FINE, "unsupported", "unavailable")


@dataclass(frozen=True)
class PublicClass:
    """A class of the list: the versions of its package and what that needs, the group of its environment, whether it is a model."""

    pins: tuple[str, ...]
    group: str
    name: str
    model: bool


@dataclass(frozen=True)
class Outcome:
    """What came of a class in so many seconds: a word that is counted, and the line that says why."""

    word: str
    seconds: float
    line: str = ""


def listed(names: Sequence[str] = ()) -> list[PublicClass]:
    """Return the classes of the list; of some packages or groups if these are named."""
    packages = tomllib.loads(LISTED.read_text(encoding="utf-8"))["package"]
    return [
        PublicClass((one["pin"], *one.get("with", ())), one["group"], name, key == "classes")
        for one in packages
        for key in ("classes", "others")
        for name in one.get(key, ())
        if not names or {one["pin"].partition("==")[0], one["group"], name} & set(names)
    ]


def interpreter(group: str, folder: Path) -> Path:
    """Return the interpreter of a group's environment, which has its packages and serbench; make it if it is missing."""
    pins = sorted({pin for one in listed() if one.group == group for pin in one.pins})
    place = folder / f"{group}-{hashlib.sha256(repr(pins).encode()).hexdigest()[:8]}"
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "-q", "--clear", "-p", sys.executable, str(place)], check=True)
        subprocess.run([*uv, "pip", "install", "-q", "-p", str(python), "-e", str(ROOT), *pins], check=True)
        (place / "complete").touch()
    return python


def command(
    python: Path, checkout: Path, arguments: Iterable[str], seconds: float
) -> tuple[subprocess.CompletedProcess[str] | None, float]:
    """Run serbench of a checkout; return the finished process, None if it took too long, and its seconds of CPU time.

    CPU time, that of its workers included, says the same on a busy machine.
    """
    with tempfile.TemporaryDirectory() as scratch:
        variables = {"PYTHONPATH": str(checkout), "SERBENCH_STORE": f"{scratch}/store.db", "TMPDIR": scratch}
        timed = [python, "-c", TIMED, str(seconds), python, "-m", "serbench", *arguments]
        done = subprocess.run(
            timed, capture_output=True, text=True, cwd=scratch, env={**os.environ, **variables}, check=False
        )
    told, _, used = done.stderr.rpartition("\n")
    return None if done.returncode == OVER_TIME else subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout, told
    ), float(used)


def outcome(done: Any, seconds: float) -> Outcome:
    """Return what came of verifying a class."""
    if done is None:
        return Outcome("over time", seconds)
    if "Traceback (most recent call last)" in done.stderr:
        return Outcome("traceback", seconds, done.stderr.strip().splitlines()[-1])
    if done.returncode == 2 or not done.stdout.strip():
        return Outcome("refused", seconds, (done.stderr.strip().splitlines() or ["nothing was said"])[-1])
    rows = [row for row in json.loads(done.stdout)["rows"] if row["library"].startswith("yours")]
    wrong = [row for row in rows if row["status"] not in NO_FAULT and not died(row)]
    fine = [row for row in rows if row["status"] in FINE]
    reasons = (f"{row['codec']}{' itself' * died(row)}: {row['reason']}" for row in rows if row["reason"])
    told = "; ".join(dict.fromkeys(reasons))
    if wrong:
        return Outcome("failed", seconds, told)
    if not fine:
        return Outcome("unsupported", seconds, told)
    if len({row["workload"] for row in fine}) < len({row["workload"] for row in rows}):
        return Outcome("one direction", seconds, told)
    return Outcome("all rows" if len(fine) == len(rows) else "in part", seconds, told if len(fine) < len(rows) else "")


def died(row: Any) -> bool:
    """Return whether a row says that another library's codec ended the process, as one written in C can."""
    return bool(row["status"] == "crashed" and row["codec"] not in OURS)


def others(done: Any) -> str:
    """Return what the rows say of other libraries' faults."""
    if done is None or done.returncode == 2 or not done.stdout.strip():
        return ""
    rows = [row for row in json.loads(done.stdout)["rows"] if died(row) or not row["library"].startswith("yours")]
    return "; ".join(
        f"{r['library']} {r['codec']} {r['status']}: {r['reason']}" for r in rows if r["status"] not in NO_FAULT
    )


def measured(done: Any, seconds: float) -> Outcome:
    """Return what came of a quick run."""
    if done is None:
        return Outcome("over time", seconds)
    told = (done.stderr.strip().splitlines() or [""])[-1]
    if "Traceback (most recent call last)" in done.stderr:
        return Outcome("traceback", seconds, told)
    rows = json.loads(done.stdout)["rows"] if done.stdout.strip() else []
    fine = any(row["library"].startswith("yours") and row["status"] in FINE for row in rows)
    return Outcome("measured", seconds) if fine else Outcome("not measured", seconds, told)


def main() -> None:
    """Verify and measure the classes, and print a line for each and the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="packages, groups or classes; all if none is named")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the checkout whose serbench is tried")
    parser.add_argument("--environments", type=Path, default=CACHE, help="folder of the environments")
    parser.add_argument("--seconds", type=float, default=30.0, help="bound of a command, in seconds of CPU time")
    parser.add_argument("--jobs", type=int, default=2, help="classes at once")
    parser.add_argument("--quick", choices=("yes", "no"), default="yes", help="whether classes are measured too")
    parser.add_argument("--output", type=Path, help="file for what is printed")
    given = parser.parse_args()
    chosen = listed(given.names)
    pythons = {group: interpreter(group, given.environments) for group in sorted({one.group for one in chosen})}
    payloads = json.loads(PAYLOADS.read_text(encoding="utf-8")) if PAYLOADS.exists() else {}

    def line(*words: object) -> None:
        text = "\t".join(map(str, words))
        print(text, flush=True)
        if given.output:
            with given.output.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    def tried(one: PublicClass) -> dict[str, Outcome]:
        def run(*arguments: str) -> tuple[Any, float]:
            return command(pythons[one.group], given.checkout, [*arguments, "--json"], given.seconds)

        done, seconds = run("verify", "--model", one.name, *COMPARED)
        outcomes = {"verify": outcome(done, seconds)}
        if fault := others(done):
            outcomes["others"] = Outcome("fault of another library", 0.0, fault)
        if given.quick == "yes" and outcomes["verify"].word in ("all rows", "in part", "one direction"):
            outcomes["run"] = measured(*run("run", "--model", one.name, *MEASURED))
        if one.name in payloads:
            with tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch) / "document.json"
                path.write_text(json.dumps(payloads[one.name]), encoding="utf-8")
                outcomes["payload"] = outcome(
                    *run("verify", "--model", one.name, "--payload", str(path), *COMPARED[:4])
                )
        for what, found in outcomes.items():
            line(what, one.name, found.word, f"{found.seconds:.1f} s", found.line)
        return outcomes

    with ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(tried, chosen))
    for what in ("verify", "run", "payload", "others"):
        some = [(one, each[what]) for one, each in zip(chosen, found, strict=True) if what in each]
        for kind, is_model in (("models", True), ("other classes", False)):
            counts = Counter(each.word for one, each in some if one.model == is_model)
            if counts:
                line(f"{what}, {kind}:", ", ".join(f"{word} {count}" for word, count in counts.most_common()))
        times = [each.seconds for _, each in some]
        if times:
            line(f"{what}:", f"median {median(times):.1f} s, longest {max(times):.1f} s")


if __name__ == "__main__":
    main()
