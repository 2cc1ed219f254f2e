"""Whatever is written is whole or not there: a full disk is one line that names it, and the same command works once there is room."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from waits import run

import serbench
from serbench.ask.calling import kept
from serbench.ask.matrices import Matrices
from serbench.ask.notebook.lab import copy_notebooks
from serbench.ask.notebook.user_data import uploaded
from serbench.claims.ledger import ledger
from serbench.errors import SerbenchError
from serbench.judge.outcomes import Limit
from serbench.render.environments.added import Added, add
from serbench.render.environments.files import write_file

linux = pytest.mark.skipif(sys.platform != "linux", reason="a full device, and small file systems, are Linux's")
WRITES = {
    "adopt": ("adopt", "pydantic", "json", "-o", "module.py"),
    "show": ("show", "data.json", "-o", "types.txt"),
    "page": ("report", "--html", "page", "--run", "latest"),
    "site": ("report", "--site", "site", "--run", "latest"),
    "run": ("run", "-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson", "-e", "quick", "--store", "own.sqlite"),
    "export": ("run", "--stored", "latest", "--to", "json", "--output", "run.json"),
    "verify": ("verify", "-w", "tiny", "-l", "msgspec", "-f", "orjson", "--output", "outcomes.md"),
    "weigh": ("weigh", "-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson", "--metric", "start", "--output", "w.json"),
}  # fmt: skip

MOST_BYTES = 9_000
DEEP = {"records in one another": Limit(most=252, outcome="refused", detail="x" * MOST_BYTES, far="")}
LARGE = [{"id": number, "note": "x" * 20} for number in range(500)]


WRITERS = {
    "a result": lambda folder: Matrices((replace(next(iter(serbench.probed())), limits=DEEP),)).limits().write(folder),
    "claims": lambda folder: ledger().write(folder),
    "notebooks": copy_notebooks,
    "an upload": lambda folder: uploaded("orders.json", json.dumps(LARGE).encode(), folder),
    "an object": lambda _: kept(LARGE),
    "an environment": lambda _: add(Added("pydantic==2.5", "x" * MOST_BYTES)),
}


@pytest.mark.skipif(os.name != "posix", reason="this platform does not limit files")
@pytest.mark.parametrize("writer", WRITERS)
def test_what_cannot_be_written_whole_is_not_there(writer, tmp_path, monkeypatch):
    """Whoever writes leaves no part of a file where there is no room, and writes what was asked as soon as there is."""
    import resource

    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "own" / "runs.sqlite"))
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, usual[1]))
    try:
        with pytest.raises((OSError, SerbenchError), match="File too large"):
            WRITERS[writer](tmp_path / "own")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    left = {path: path.read_bytes() for path in (tmp_path / "own").rglob("*") if path.is_file()}
    WRITERS[writer](tmp_path / "own")
    assert left == {path: path.read_bytes() for path in left}
    assert any(path.stat().st_size > MOST_BYTES for path in (tmp_path / "own").rglob("*"))


def test_a_file_is_whole_or_not_there(tmp_path, cli, monkeypatch):
    """A disk that is full while a new file is written leaves nothing, and the next try succeeds."""
    usual = Path.write_text

    def full(path, *values, **named):
        if path.parent != tmp_path:
            return usual(path, *values, **named)
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    to = tmp_path / "module.py"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        code, _, err = cli("adopt", "msgspec", "json", "-o", to)
    assert 2 == code
    assert f"serbench: {to} cannot be written (No space left on device)" in err
    assert not list(tmp_path.iterdir())
    assert 0 == cli("adopt", "msgspec", "json", "-o", to)[0]
    code, _, err = cli("adopt", "msgspec", "json", "-o", to)
    assert (2, True) == (code, "exists already" in err)


def test_what_a_killed_process_has_begun_is_removed(tmp_path):
    """The part of a file that it left beside is removed by the next who writes that file; one at work is left alone."""
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait(100)
    left, alive = tmp_path / f".a[1].txt.{gone.pid}", tmp_path / f".a[1].txt.{os.getppid()}"
    left.touch()
    alive.touch()
    write_file(tmp_path / "a[1].txt", "whole")
    assert [alive, tmp_path / "a[1].txt"] == sorted(tmp_path.iterdir())


@linux
def test_a_full_output_is_named():
    """Where standard output takes no more, the line says so, and no disk is blamed."""
    command = f"{sys.executable} -m serbench show workloads > /dev/full"
    done = run(["sh", "-c", command], check=False)
    assert 2 == done.returncode
    assert (
        "serbench: what standard output is sent to is full; free some space there, and give the command again\n"
        == done.stderr
    )


@linux
@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root makes small file systems")
@pytest.mark.parametrize("command", WRITES)
def test_full_disks_of_many_sizes(command, tmp_path):
    """On small file systems, filled to many degrees, each command that writes ends well or in one line; then it works."""
    store = tmp_path / "runs.sqlite"
    serbench.run("tiny", records=2, libraries="msgspec", formats="orjson", effort="quick", store=store)
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], check=True, timeout=60)
    try:
        (disk / "data.json").write_text('[{"a": 1}, {"a": 2}]')
        before = {"data.json", "fill"}
        variables = {**os.environ, "SERBENCH_STORE": str(store)}
        for free_kb in (0, 4, 40, 400):
            fill = disk / "fill"
            with fill.open("wb", buffering=0) as file:
                while os.statvfs(disk).f_bavail * 4 > free_kb:
                    file.write(bytes(4096))
            done = run([sys.executable, "-m", "serbench", *WRITES[command]], check=False, cwd=disk, env=variables)
            assert "Traceback" not in done.stderr
            assert done.returncode in (0, 2), done.stderr
            if done.returncode:
                assert "serbench: " in done.stderr.splitlines()[-1]
                written = {one.name for one in disk.rglob("*") if one.is_file() and one.suffix != ".sqlite"}
                assert {one for one in written if "sqlite" not in one} <= before
            fill.write_bytes(b"")
            for one in ("module.py", "types.txt") if done.returncode == 0 else ():
                (disk / one).unlink(missing_ok=True)
            again = run([sys.executable, "-m", "serbench", *WRITES[command]], check=False, cwd=disk, env=variables)
            assert 0 == again.returncode, again.stderr
            for one in disk.iterdir():
                if one.name not in before:
                    subprocess.run(["rm", "-rf", one], check=True, timeout=60)
    finally:
        subprocess.run(["umount", disk], check=True, timeout=60)
