"""The PostgreSQL of claims: it starts as whoever asks, and leaves nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from waits import until

from serbench.claims.reading import SOURCES, snippet

STARTS = """
import time
folder, server = started()
print(folder, server.pid, flush=True)
time.sleep(60)
"""


def text_of():
    return snippet(SOURCES / "003" / "server.py")


def test_without_postgresql_there_is_a_reason(monkeypatch):
    """Where no program of PostgreSQL is, the error says what to install."""
    names = {}
    exec(compile(text_of(), "server.py", "exec"), names)
    monkeypatch.setattr(names["shutil"], "which", lambda _: None)
    monkeypatch.setattr(names["Path"], "glob", lambda *_: [])
    with pytest.raises(names["Unavailable"], match="PostgreSQL is not installed: apt-get install postgresql"):
        names["started"]()


@pytest.mark.full
def test_a_server_ends_with_whoever_started_it(tmp_path):
    """Its process is killed, and then there is neither a server nor its folder."""
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        pytest.skip("PostgreSQL is not installed")
    script = tmp_path / "starts.py"
    script.write_text(text_of() + STARTS, encoding="utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as starter:
        folder, pid = starter.stdout.readline().split()
        server = psutil.Process(int(pid))
        assert any(one.name() == "postgres" for one in server.children(recursive=True))
        starter.send_signal(signal.SIGKILL)
    until(lambda: not Path(folder).exists() and not server.is_running(), "the server has ended")
