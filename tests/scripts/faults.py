"""Shows that nothing finished is lost and no wrong number stored, whatever is killed, stopped, locked, full or broken.

    python3 tests/scripts/faults.py --kills 100 --seed 1

Runs of `serbench run` are killed at random moments, conductor or worker by turns of a die, and resumed until they
are whole. After each kill the store is held against what it held before; at the end every run against one that
nobody disturbed. Then come the faults that one time is enough for. Exit code 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median

CHOICE = ["-w", "tiny", "-n", "5", "-l", "msgspec,dataclasses,attrs", "-f", "orjson,msgpack", "-e", "quick"]
COMMAND = [sys.executable, "-c", "from serbench.ask.command_line.program import main; main()", "run", *CHOICE]
WAVES = {1, 2, 3, 4}  # of the effort
problems: list[str] = []
FASTEST: dict[tuple, float] = {}
"""Library, codec and operation → the least ns per call that an undisturbed run has seen."""


def check(right: bool, text: str) -> None:
    """Note what is wrong."""
    if not right:
        problems.append(text)
        print(f"WRONG: {text}", flush=True)


def environment(store: Path) -> dict[str, str]:
    return {**os.environ, "SERBENCH_STORE": str(store), "TMPDIR": str(store.parent)}


def start(store: Path, *more: str) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, *more], env=environment(store), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def rows(store: Path, query: str) -> list[tuple]:
    """What a query gives, through a connection of its own; nothing where there is no store yet."""
    if not store.exists():
        return []
    connection = sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:  # no table yet
        return []
    finally:
        connection.close()


def samples(store: Path) -> set[tuple]:
    return set(rows(store, "SELECT * FROM sample"))


def workers(conductor: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{conductor}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:
            continue
    return found


def kills(count: int, folder: Path, seconds: float) -> dict[str, int]:
    """So many kills, each within the time that a run takes, over as many runs as that takes; what was killed how often."""
    killed: Counter[str] = Counter()
    store = folder / "kills.sqlite"
    running = start(store)
    while killed.total() < count or running.poll() is None:
        if running.poll() is not None:
            running = start(store)
        deadline = time.monotonic() + random.uniform(0.2, seconds)
        while time.monotonic() < deadline and running.poll() is None:
            time.sleep(0.02)
        if running.poll() is not None:
            check(running.returncode == 0, f"a run ended with {running.returncode}: {running.stderr.read()[-300:]}")
            continue
        if killed.total() >= count:  # enough: the last run ends in peace
            running.wait()
            continue
        before = samples(store)
        found = workers(running.pid)
        if found and random.random() < 0.7:
            victim = "worker"
            try:
                os.kill(random.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
        else:
            victim = "conductor"
            running.kill()
            running.wait()
        killed[victim] += 1
        after = samples(store)
        check(before <= after, f"{len(before - after)} samples were lost by the kill of a {victim}")
        if victim == "conductor":
            check([("ok",)] == (rows(store, "PRAGMA integrity_check") or [("ok",)]), "the store is damaged")
            unfinished = rows(store, "SELECT id FROM run WHERE status != 'finished'")
            running = start(store, "--resume") if unfinished else start(store)
        print(f"{killed.total()}: {victim}, {len(after):,} samples", end="\r", flush=True)
    return dict(killed)


def whole(store: Path) -> dict[str, dict[tuple, float]]:
    """Every run's ratios, by cell and to one that all have, after checking that nothing is missing, double or impossible."""
    found: dict[str, dict[tuple, float]] = {}
    for number, name, status in rows(store, "SELECT number, id, status FROM run"):
        check(status == "finished", f"run {name} is {status}")
        cells = rows(
            store,
            "SELECT id, library, codec, operation, control, status, reason, loops, reference FROM cell"
            f" WHERE run = {number}",
        )
        taken: dict[int, dict[tuple[int, int], list[tuple]]] = defaultdict(lambda: defaultdict(list))
        for cell, wave, visit, turn, cpu, wall in rows(
            store, f"SELECT cell, wave, visit, round, cpu_ns, wall_ns FROM sample WHERE run = {number}"
        ):
            taken[cell][wave, visit].append((turn, cpu, wall))
        found[name] = {}
        for id_, library, codec, operation, control, state, reason, loops, reference in cells:
            what = f"run {name}, {library} + {codec}, {operation}{', control' if control else ''}"
            check(state in ("ok", "unresolved"), f"{what}: {state}, {reason}")
            visits = taken[id_]
            check({wave for wave, _ in visits} == WAVES, f"{what}: waves {sorted({w for w, _ in visits})}")
            check(reference or len(visits) == len(WAVES), f"{what}: {len(visits)} visits in {len(WAVES)} waves")
            for place, batch in visits.items():
                full = range(8 if loops > 1 else 4)
                check([turn for turn, *_ in sorted(batch)] == list(full), f"{what}: rounds of visit {place}")
            each = [cpu / loops for batch in visits.values() for _, cpu, _ in batch]
            key = (library, codec, operation)
            floor = 0.6 * FASTEST.setdefault(key, min(each))  # of the first run; with kills nobody has disturbed that
            check(min(each) >= floor, f"{what}: {min(each):.0f} ns a call, far less than {floor / 0.6:.0f}")
            check(all(cpu > 0 and wall > 0 for b in visits.values() for _, cpu, wall in b), f"{what}: no time")
            beside = next(c for c in cells if c[8] and c[3] == operation)
            per_call = {
                (place, turn): cpu / beside[7] for place, batch in taken[beside[0]].items() for turn, cpu, _ in batch
            }
            ratios = [
                cpu / loops / per_call[place, turn]
                for place, batch in visits.items()
                for turn, cpu, _ in batch
                if (place, turn) in per_call
            ]
            found[name][library, codec, operation, control] = median(ratios)
        for operation in ("encode", "decode"):
            base = found[name]["dataclasses", "orjson", operation, 0]
            for key in found[name]:
                found[name][key] /= base if key[2] == operation else 1.0
    return found


def agreement(killed: dict, quiet: dict) -> tuple[int, int, float]:
    """Of all ratios of runs that were killed, how many are beyond those of undisturbed runs by 10 %, of how many; the furthest."""
    apart = [
        max(ratio / max(run[key] for run in quiet.values()), min(run[key] for run in quiet.values()) / ratio) - 1
        for cells in killed.values()
        for key, ratio in cells.items()
    ]
    return sum(one > 0.1 for one in apart), len(apart), max(apart)


def ended(process: subprocess.Popen, seconds: float = 300) -> tuple[int, str]:
    _, errors = process.communicate(timeout=seconds)
    return process.returncode, errors.strip().splitlines()[-1] if errors.strip() else ""


def measuring(process: subprocess.Popen, store: Path) -> None:
    """Wait until the first samples are there."""
    known = len(samples(store))
    while process.poll() is None and len(samples(store)) <= known:
        time.sleep(0.05)


def disturbed(folder: Path, name: str, disturb: Callable[[subprocess.Popen, Path], None], *options: str) -> None:
    """Measure, let something happen in mid-run, and see that the run ends well and is whole."""
    store = folder / f"{name}.sqlite"
    running = start(store, *options)
    measuring(running, store)
    disturb(running, store)
    code, last = ended(running)
    check(code == 0, f"{name}: exit code {code}, {last!r}")
    whole(store)


def stopped_worker(folder: Path) -> str:
    """SIGSTOP of a worker, for ever: the time limit replaces it, and no row says that it failed."""

    def stop(running: subprocess.Popen, _: Path) -> None:
        for worker in workers(running.pid)[:1]:
            os.kill(worker, signal.SIGSTOP)

    disturbed(folder, "stopped", stop, "--time-limit", "3s")
    return "a worker is stopped for ever: replaced, its visit repeated"


def stopped_conductor(folder: Path) -> str:
    """SIGSTOP of the conductor for longer than its time limit: it goes on as if nothing had been."""

    def pause(running: subprocess.Popen, _: Path) -> None:
        os.kill(running.pid, signal.SIGSTOP)
        time.sleep(8)
        os.kill(running.pid, signal.SIGCONT)

    disturbed(folder, "paused", pause, "--time-limit", "3s")
    return "the conductor is stopped for 8 s with a time limit of 3 s: nobody times out"


def two_resumes(folder: Path) -> str:
    """Several processes resume one run at the same moment: one goes on with it."""
    store = folder / "resumes.sqlite"
    running = start(store)
    measuring(running, store)
    running.kill()
    running.wait()
    several = [start(store, "--resume") for _ in range(4)]
    codes = sorted(ended(one)[0] for one in several)
    check(codes == [0, 2, 2, 2], f"four resumes at once end with {codes}")
    check(len(rows(store, "SELECT id FROM run")) == 1, "resuming has made another run")
    whole(store)
    return "four processes resume one run at once: one does, three are told so"


def locked(folder: Path) -> str:
    """Another process holds the store's lock for 8 s: the run waits, and then goes on."""

    def lock(_: subprocess.Popen, store: Path) -> None:
        connection = sqlite3.connect(store, timeout=30, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        time.sleep(8)
        connection.execute("ROLLBACK")
        connection.close()

    disturbed(folder, "locked", lock)
    return "the store is locked for 8 s in mid-run: the run waits"


def corrupted(folder: Path) -> str:
    """A page in the middle of the store is overwritten: one line says so, and nothing is written."""
    store = folder / "corrupted.sqlite"
    ended(start(store))
    with store.open("r+b") as file:
        file.seek(0, 2)
        size = file.tell()
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    before = store.read_bytes()
    code, last = ended(start(store))
    check(code == 2 and "damaged" in last, f"a damaged store: exit code {code}, {last!r}")
    check(store.read_bytes() == before, "a damaged store was written to")
    return "the store is damaged: refused in one line"


def full_disk(folder: Path) -> str:
    """The disk is full in mid-run: one line, and after some room was made the run goes on."""
    place = folder / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        return "SKIPPED: a full disk (mounting a small one takes root)"
    try:
        store = place / "s.sqlite"
        running = start(store)
        measuring(running, store)
        filler = place / "filler"
        try:
            with filler.open("wb") as file:
                while True:
                    file.write(b"\0" * 4096)
                    file.flush()
        except OSError:
            pass
        code, last = ended(running)
        check(code == 2 and "full" in last, f"a full disk: exit code {code}, {last!r}")
        before = samples(store)
        filler.unlink()
        code, last = ended(start(store, "--resume"))
        check(code == 0, f"after the disk was full: exit code {code}, {last!r}")
        check(before <= samples(store), "samples were lost with the full disk")
        whole(store)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
    return "the disk is full in mid-run: one line, and --resume goes on"


def clock_steps(folder: Path) -> str:
    """The clock of the day jumps back and forth between samples: no figure rests on it."""
    store = folder / "clock.sqlite"
    program = """
import datetime, itertools, sys, time
steps = itertools.cycle([0, -86400, 3600, -7, 86400 * 365])
real = time.time
time.time = lambda: real() + next(steps)
import serbench.keep.store as store
class Unsteady(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(time.time(), tz)
store.datetime = Unsteady
from serbench.ask.command_line.program import main
main(sys.argv[1:])
"""
    for more in ([], ["--resume"]):
        command = [sys.executable, "-c", program, "run", *CHOICE, *more]
        running = subprocess.Popen(
            command, env=environment(store), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if not more:
            measuring(running, store)
            running.kill()
        code, last = ended(running)
        check(code == (0 if more else -9), f"a clock that steps: exit code {code}, {last!r}")
    whole(store)
    return "the clock of the day steps by seconds, an hour, a day and a year: the run and its resume are whole"


def out_of_memory(folder: Path) -> str:
    """Workers have less memory than they need: rows with that reason, no numbers, and exit code 0."""
    store = folder / "memory.sqlite"
    code, last = ended(start(store, "--memory-limit", "25M"))
    statuses = {status for (status,) in rows(store, "SELECT DISTINCT status FROM cell")}
    check(code == 0, f"too little memory: exit code {code}, {last!r}")
    check((bool(statuses) and not samples(store)) or "ok" in statuses, f"too little memory: {statuses}")
    return f"workers with 25 MB: rows are {', '.join(sorted(statuses))}, and every number is of a whole case"


FAULTS = (stopped_worker, stopped_conductor, two_resumes, locked, corrupted, full_disk, clock_steps, out_of_memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    random.seed(asked.seed)
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        if asked.kills:
            quiet_store = folder / "quiet.sqlite"
            for _ in range(2):
                began = time.monotonic()
                ended(start(quiet_store))
            killed = kills(asked.kills, folder, time.monotonic() - began)
            undisturbed = whole(quiet_store)
            disturbed = whole(folder / "kills.sqlite")
            outside, total, widest = agreement(disturbed, undisturbed)
            said = ", ".join(f"{count} of a {victim}" for victim, count in killed.items() if count)
            print(f"\n{sum(killed.values())} kills ({said}) over {len(disturbed)} runs, all whole")
            print(
                f"ratios beyond those of two undisturbed runs by more than 10 %: {outside} of {total} (furthest {widest:.0%})"
            )
        for fault in FAULTS:
            print(f"- {fault(folder)}", flush=True)
    print(f"{len(problems)} problems" if problems else "nothing lost, nothing wrong")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
