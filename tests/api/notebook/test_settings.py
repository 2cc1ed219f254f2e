"""The explorer's state: a short string that says what every control is set to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.api.notebook.explorer import Explorer
from serbench.api.notebook.settings import DECLARED, TYPES, VIEWS, Settings, from_state
from serbench.errors import PlanError
from serbench.measure.plan import EFFORTS

names = st.lists(st.from_regex(r"[a-z]{1,8}(\[[a-z_]+=True\])?(@1\.2)?", fullmatch=True), max_size=4).map(tuple)
choices = st.builds(
    Settings,
    workload=st.sampled_from(["client", "client-rich", "tiny"]),
    records=st.integers(1, 100_000),
    depth=st.integers(1, 1000),
    seed=st.integers(),
    libraries=names,
    formats=names,
    validating=st.booleans(),
    effort=st.sampled_from(list(EFFORTS)),
    view=st.sampled_from(list(VIEWS)),
    contains=st.text(max_size=10),
    bandwidth=st.sampled_from([100.0, 1e3, 1e4]),
)


def test_the_usual_choice_is_its_workload():
    """What is not chosen is not said."""
    assert "client-rich" == Settings().state
    assert "tiny?records=100&view=scaling" == Settings(workload="tiny", records=100, view="scaling").state


def test_the_name_of_a_file_may_be_any_bytes():
    """A state tells such a name, and a half of a character is refused before there is a state."""
    choice = Settings(payload="/caf\udce9.json", as_text=("\udce9",))
    assert choice == from_state(choice.state)
    with pytest.raises(PlanError, match="as_text has half of a character; omit it"):
        Explorer(payload="orders.json", as_text="\ud800")


def test_a_control_for_one_value_does_not_offer_several():
    """The help of a setting that takes one value is not that of an argument that takes several."""
    helps = {name: DECLARED[name].help for name, kind in TYPES.items() if kind is not tuple}
    assert {} == {name: text for name, text in helps.items() if "several" in text or text.startswith("Operations")}


@pytest.mark.slow
@given(choices)
def test_a_state_recreates_the_choice(settings):
    """The string gives the same settings again, and so do its data, which are JSON."""
    assert settings == from_state(settings.state)
    assert settings == Settings().changed(settings.as_data())


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("clientt", "unknown workload 'clientt': did you mean client?"),
        ("client?vew=table", "unknown setting 'vew': did you mean view?"),
        ("client?records=many", "records must be a number, not 'many'"),
        ("client?records=0", "records must be at least 1, not 0"),
        ("client?view=bars", "unknown view 'bars'"),
        ("client?budget=-1", "budget must be at least 0, not -1"),
        ("client?bandwidth=nan", "unknown bandwidth nan: known are 100.0, 1000.0, 10000.0"),
        ("client?bandwidth=500", "unknown bandwidth 500.0"),
        ("client?cores=3", "unknown cores 3"),
    ],
)
def test_a_state_that_cannot_be_is_refused(state, told):
    """One line says what is wrong, and what it could be."""
    with pytest.raises(PlanError) as refused:
        from_state(state)
    assert told in str(refused.value)
