"""Weighings are kept whole beside the runs, and answer to their names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.errors import StoreError
from serbench.judge.outcomes import Weight
from serbench.results import CaseId, Point
from serbench.store.store import Store, add_weights, load_weighing

WEIGHT = Weight(
    **vars(Point("client", 100, 2, 7, "varied")),
    **vars(CaseId("attrs", "default", "orjson", "json", "main", "25.3.0", "3.11")),
    metric="memory",
    quantity="retained",
    unit="bytes",
    readings=(1.5, 2.0),
)


@pytest.fixture
def store(tmp_path):
    """A new store."""
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened


def begin(store, **plan):
    facts = {"plan": plan, "machine": {"cpu": "Abacus"}, "versions": {"attrs": "25.3.0"}}
    return store.add_entry("weighing", "serbench weigh", facts)


def test_a_weighing_comes_back_as_it_was_made(store):
    """Its weights are in their order, with readings as exact as they were."""
    weights = [WEIGHT, replace(WEIGHT, readings=(), status="crashed", reason="SIGSEGV"), replace(WEIGHT, version=None)]
    weighing = begin(store, metric=["memory"])
    add_weights(store, weighing, weights[:2])
    add_weights(store, weighing, iter(weights[2:]))
    add_weights(store, begin(store), [replace(WEIGHT, library="other")])
    found = load_weighing(store, weighing)
    assert weights == found.weights
    assert (weighing, "serbench weigh", {"metric": ["memory"]}) == (found.id, found.command, found.plan)
    assert ({"cpu": "Abacus"}, {"attrs": "25.3.0"}) == (found.machine, found.versions)
    assert found.started.replace("-", "")[:8] == found.id[:8]


def test_weights_are_added_whole_or_not_at_all(store):
    """One that cannot be stored keeps those beside it out."""
    weighing = begin(store)
    with pytest.raises(TypeError):
        add_weights(store, weighing, [WEIGHT, replace(WEIGHT, readings=({1, 2},))])
    assert [] == load_weighing(store).weights


def test_a_weighing_answers_to_its_names(store):
    """To its id, a beginning that no other has, "latest" and "previous"; all else is one line that says what to do."""
    with pytest.raises(StoreError, match=r"no weighing .*`serbench weigh`"):
        load_weighing(store)
    first = begin(store)
    assert first == load_weighing(store, first[:3]).id
    with pytest.raises(StoreError, match="only one weighing, so there is no previous one"):
        load_weighing(store, "previous")
    second = begin(store)
    third = begin(store)
    assert third == load_weighing(store).id == load_weighing(store, "latest").id
    assert second == load_weighing(store, "previous").id == load_weighing(store, second).id
    assert first == load_weighing(store, first).id
    for name, problem in {"x": "no weighing has the id", first[:4]: "3 weighings begin with"}.items():
        with pytest.raises(StoreError, match=rf"^{problem} '{name}' in .*runs\.sqlite; `serbench weigh "):
            load_weighing(store, name)


def test_runs_are_no_weighings(store):
    """Each is listed among its own."""
    store.begin(command="", plan={}, machine={})
    with pytest.raises(StoreError, match="no weighing"):
        load_weighing(store)
    begin(store)
    assert 1 == len(store.runs())


def test_a_weighing_that_ended_before_its_first_figure_says_so(store, cli):
    """The command that shows it names the command to repeat, and does not say that nothing was chosen."""
    name = begin(store)
    error = f"serbench: weighing {name} was interrupted before its first figure; repeat it: serbench weigh\n"
    assert (2, "", error) == cli("weigh", "--stored", "latest", "--store", store.path)
