"""Other programs run as they were told, and none is left."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest
import waits

from serbench.render import environments
from serbench.render.environments import NEIGHBOURS, neighbour


@pytest.mark.parametrize(("kind", "core"), [("same core", 3), ("other core", 1), ("memory", 1)])
def test_a_neighbour_is_at_work_on_its_core_and_gone_afterwards(monkeypatch, kind, core):
    """The engine measures on the last core; the program ends with the block, also if that fails."""
    made, pins = [], []
    popen = environments.subprocess.Popen

    def started(command, **options):
        made.append(popen(command, **options))
        return made[-1]

    monkeypatch.setattr(environments, "subprocess", SimpleNamespace(Popen=started))
    monkeypatch.setattr(environments, "usable_cores", lambda: [1, 2, 3])
    monkeypatch.setattr(environments, "pin_process", lambda pid, core: pins.append((pid, core)))
    monkeypatch.setitem(NEIGHBOURS, kind, ("import time; time.sleep(60)", NEIGHBOURS[kind][1]))
    with suppress(ValueError), neighbour(kind):
        assert made[0].poll() is None
        assert [(made[0].pid, core)] == pins
        raise ValueError
    assert -signal.SIGKILL == made[0].returncode


def test_the_neighbour_of_memory_copies_more_than_a_cache_holds():
    """It goes back and forth between two buffers of 64 MiB."""
    once = NEIGHBOURS["memory"][0].replace("while True", "for _ in 'a'")
    done = waits.run([sys.executable, "-c", f"{once}\nprint(len(buffer), len(other))"])
    assert [64 << 20, 64 << 20] == [int(length) for length in done.stdout.split()]


def test_an_unknown_neighbour_is_refused():
    """Nothing is started for it."""
    with pytest.raises(KeyError), neighbour("nobody"):
        pass
