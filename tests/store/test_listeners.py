"""Whoever listens behind another hears every event, also one that is added later."""

import inspect

import pytest

from serbench.api.judging import Awaiting
from serbench.measure.listener import Forwarder, Paced
from serbench.store.active_run import Announcer
from serbench.store.progress import Watcher
from serbench.store.recorder import Recorder, RunListener

FORWARDERS = {
    Announcer: {"path": None, "run": "", "cancel": None},
    Awaiting: {"library": "msgspec"},
    Paced: {},
    Recorder: {},
    Watcher: {},
}
"""Each, and what it needs beside the listener."""


class Newer(RunListener):
    """Has one event more."""

    heard = ""

    def renamed(self, name):
        """Keep the name."""
        self.heard = name


@pytest.mark.parametrize("forwarder", FORWARDERS)
def test_a_new_event_reaches_the_listener_behind(forwarder):
    """Nobody has to name it."""
    made = type("More", (forwarder, Newer), {})
    last = Newer()
    made(**FORWARDERS[forwarder], listener=last).renamed("client")
    assert "client" == last.heard


def test_no_event_is_dropped():
    """No forwarder inherits the method that does nothing, and there is no other forwarder."""
    inherited = [
        (forwarder.__name__, event)
        for forwarder in FORWARDERS
        for event, nothing in inspect.getmembers(RunListener, inspect.isfunction)
        if not event.startswith("_") and getattr(forwarder, event, None) is nothing
    ]
    assert [] == inherited
    assert set(FORWARDERS) == {one for one in Forwarder.__subclasses__() if one.__module__.startswith("serbench.")}
