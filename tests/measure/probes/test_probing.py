"""Probes tell what is kept, changed and refused, and a codec that kills its process costs one cell."""

from __future__ import annotations

import re
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from serbench.measure.plan import as_built
from serbench.measure.probes.probing import ProbedCase, _greatest, _Probing, behaviours, each, each_probed
from serbench.measure.probes.values import GROUPS
from serbench.measure.probes.wrong import WRONG
from serbench.measure.session import Fault, RequestLimits
from serbench.render.library import libraries
from serbench.render.selection import ChosenCase, selection

LIBRARIES = ("dataclasses", "msgspec", "pydantic", "cattrs")
MORE = ("dacite", "dataclass-factory", "dataclass-wizard", "mashumaro", "pyserde", "serpyco-rs")
MORE_FORMATS = ("fastavro", "ormsgpack", "plistlib", "thriftpy2", "yaml-rs")
FORMATS = (
    "json/json",
    "orjson",
    "cbor2",
    "pymongo",
    "tomllib",
    "protobuf",
    *(["yyjson"] if find_spec("yyjson") else []),
)


@pytest.fixture(scope="module")
def found():
    """What a few cases do with every probe, by library and codec."""
    choices = [*selection(LIBRARIES[:1], FORMATS), *selection(LIBRARIES[1:], FORMATS[:2])]
    choices += [*selection(LIBRARIES[:1], MORE_FORMATS), *selection(MORE, FORMATS[:1])]
    made = behaviours(choices, as_built({choice.recipe for choice in choices}), RequestLimits(seconds=20))
    return {(one.library, one.codec): one for one in made}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize("interrupts", [pytest.param(False, marks=pytest.mark.full), True])
def test_an_interrupt_ends_the_probing_at_once(interrupts):
    """After Ctrl-C no further case is probed, even if the signal cannot end a wait: some event loops leave it so."""
    choices = selection(LIBRARIES[:2], FORMATS)
    heard = []

    def interrupt(*_):
        heard.append(1)
        if len(heard) == 1:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    signal.siginterrupt(signal.SIGINT, interrupts)
    try:
        with pytest.raises(KeyboardInterrupt):
            behaviours(choices, as_built({choice.recipe for choice in choices}), heard=interrupt)
    finally:
        signal.siginterrupt(signal.SIGINT, True)
    assert len(heard) <= 4 < len(choices)


KEPT = [
    ("dataclasses", "json", "Decimal 1.10", "exact"),
    ("dataclasses", "json", "str that looks like 2024-06-15T09:41:23Z", "exact"),
    ("dataclasses", "json", "dict with int keys", "changed"),
    ("dataclasses", "json", "int 10^40", "exact"),
    ("dataclasses", "json", "dict keeps the order of its keys", "exact"),
    ("dataclasses", "json", "an object of a subclass", "changed"),
    ("dataclasses", "json", "tuple where anything may stand", "changed"),
    ("dataclasses", "orjson", "int 2^64", "refused"),
    ("dataclasses", "orjson", "float nan", "changed"),
    ("dataclasses", "orjson", "str with a lone surrogate", "refused"),
    ("dataclasses", "orjson", "time with 32 milliseconds", "exact"),
    ("cattrs", "orjson", "time with 32 milliseconds", "exact"),
    ("dataclasses", "yyjson", "str non-ASCII", "changed"),
    ("dataclasses", "cbor2", "bytes of every value", "exact"),
    ("dataclasses", "pymongo", "datetime UTC with microseconds", "changed"),
    ("dataclasses", "pymongo", "int 2^64", "refused"),
    ("dataclasses", "tomllib", "None in place of text", "refused"),
    ("dataclasses", "protobuf", "dict with int keys", "unsupported"),
    ("dataclasses", "json", "untagged union of records, first", "unsupported"),
    ("msgspec", "json", "tagged union, second member with the same fields", "exact"),
    ("msgspec", "json", "absent fields get their defaults", "exact"),
    ("msgspec", "json", "an absent optional field is None", "refused"),
    ("msgspec", "orjson", "float nan", "changed"),
    ("msgspec", "json", "an unknown key is ignored", "exact"),
    ("cattrs", "json", "fields stay in their order in the bytes", "exact"),
    ("cattrs", "json", "of a duplicate key the last one counts", "exact"),
    ("pydantic", "json", "str of 10 MB", "exact"),
    ("dataclasses", "plistlib", "float 0.0 beside -0.0", "changed"),
    ("dataclasses", "thriftpy2", "bytes of every value", "exact"),
    ("dataclasses", "yaml-rs", "str that looks like 1_000", "changed"),
    ("dataclasses", "yaml-rs", "str that looks like 0x1F", "exact"),
    ("dataclasses", "fastavro", "datetime of date | datetime", "exact"),
    ("dataclasses", "fastavro", "date of datetime | date", "exact"),
    ("dataclasses", "json", "dict with an int and a text that read alike as keys", "changed"),
    ("dataclasses", "json", "float that is written as 1e400", "exact"),
    ("dataclasses", "orjson", "float that is written as 1e400", "refused"),
    ("dataclasses", "orjson", "str of a subclass", "exact"),
    ("dataclasses", "orjson", "float of a subclass", "refused"),
    ("msgspec", "json", "str of list[str] | str", "exact"),
    ("pyserde", "json", "str of list[str] | str", "unsupported"),
    ("pyserde", "json", "str of str | list[str]", "exact"),
    ("dataclass-wizard", "json", "list of list[str] | str", "unsupported"),
    ("mashumaro", "json", "str of list[str] | str", "unsupported"),
    ("dataclass-factory", "json", "str of list[str] | str", "unsupported"),
]
REFUSED = [
    ("dataclasses", "json", "basics: number for text", "let through"),
    ("dataclasses", "json", "basics: field missing", "rejected"),
    ("msgspec", "json", "basics: number for text", "rejected"),
    ("msgspec", "json", "structure: unknown key", "ignored"),
    ("msgspec", "json", "bytes: last byte missing", "rejected"),
    ("pydantic", "json", "basics: digits in a text for int", "coerced"),
    ("pydantic", "json", "datetime: text that is no datetime", "rejected"),
    ("cattrs", "json", "structure: digits in a text for list", "coerced"),
    ("cattrs", "json", "enum: text that is no member", "rejected"),
    ("msgspec", "json", "structure: whole float for int", "rejected"),
    ("msgspec", "json", "structure: int for float", "coerced"),
    ("dacite", "json", "structure: int for float", "let through"),
    ("serpyco-rs", "json", "structure: int for float", "let through"),
    ("pyserde", "json", "structure: int for float", "rejected"),
    ("dataclasses", "json", "bytes: trailing blank", "let through"),
    ("dataclasses", "json", "bytes: another document behind it", "rejected"),
    ("dataclasses", "ormsgpack", "bytes: another document behind it", "let through"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("library", "codec", "probe", "outcome"), [*KEPT, *REFUSED])
def test_what_is_known_is_found(found, library, codec, probe, outcome):
    """Values are known to be kept, changed, refused or deadly, and wrong inputs to be refused, converted or taken."""
    if codec == "yyjson":
        pytest.importorskip("yyjson")
    case = found[library, codec]
    finding = {**case.fidelity, **case.strictness}[probe]
    assert outcome == finding.outcome, finding


def test_the_matrices_are_complete(found):
    """Every case has an outcome for every probe; what cannot be tried says why."""
    names = {probe.name for group in GROUPS for probe in group.probes}
    assert {frozenset(names)} == {frozenset(one.fidelity) for one in found.values()}
    undecided = ("unsupported", "unprobed", "refused", "changed", "crashed")
    findings = [f for one in found.values() for f in (*one.fidelity.values(), *one.strictness.values())]
    assert [finding for finding in findings if finding.outcome in undecided and not finding.detail] == []


def test_depths_are_found_by_bisection(found):
    """A refused depth says how deep the case goes, and a case that reads more than it writes says both."""
    said = found["dataclasses", "orjson"].fidelity["lists 1,000 deep"].detail
    assert re.fullmatch(r"up to 25\d; encode: TypeError: Recursion limit reached; it reads up to 1,02\d", said or ""), (
        said
    )
    assert "up to 399; decode: " in (found["dataclasses", "cbor2"].fidelity["lists 1,000 deep"].detail or "")


def test_errors_that_name_the_field(found):
    """Msgspec says where the wrong value is and stops at the first, pydantic names all, a constructor names none."""
    one, two = "basics: text for int", "structure: two fields wrong at once"
    said = {library: found[library, "json"].strictness for library in ("msgspec", "pydantic", "cattrs")}
    assert {"msgspec": True, "pydantic": True, "cattrs": True} == {name: m[one].names for name, m in said.items()}
    assert {"msgspec": False, "pydantic": True, "cattrs": True} == {name: m[two].names for name, m in said.items()}
    assert not found["dataclasses", "json"].strictness["enum: text that is no member"].names


def test_work_classes_follow(found):
    """The work class of a case is what its strictness matrix says."""
    assert "objects, coercing" == found["pydantic", "json"].work_class
    assert "objects, typed" == found["dataclasses", "protobuf"].work_class


def test_what_serbench_declares_is_shown_beside(found):
    """What a codec's file says that it lacks is tried all the same, and told beside the outcome."""
    finding = found["dataclasses", "orjson"].fidelity["int 10^40"]
    assert ("refused", True) == (finding.outcome, "64 bits" in (finding.declared or ""))


def test_what_a_library_is_said_to_lack_is_tried_all_the_same():
    """A kind of value that its file declares as a fault is rendered for the probes, so that a new version is judged anew."""
    reason = "dataclasses 0.1 loses it: https://example.org"
    library = replace(libraries()["dataclasses"], lacks={"uuid": reason})
    codec = selection(("dataclasses",), ("json/json",))[0].codec
    probed = ProbedCase(library, "default", codec, SimpleNamespace(environment=None))
    schema = next(group.schema for group in GROUPS if "uuid" in group.schema.features)
    case, declared = probed.case(schema)
    assert ("", reason) == (case.reason or "", declared)
    assert case.source


def test_a_library_that_has_nothing_for_a_kind_is_tried_as_it_is():
    """Marshmallow has no field for bytes, and lacks them by its own word: its probes say so, and end nothing."""
    (choice,) = selection(["marshmallow"], ["csv/csv"])
    probed = ProbedCase(choice.library, "default", choice.codec, SimpleNamespace(environment=None, end=lambda: None))
    case, declared = probed.case(next(group.schema for group in GROUPS if "bytes" in group.schema.features))
    assert case.reason == declared is not None


def test_names_are_unique():
    """No two probes, and no two inputs of a trial, have one name; no two groups one schema."""
    names = Counter(probe.name for group in GROUPS for probe in group.probes)
    names += Counter(f"{trial.name}: {wrong.name}" for trial in WRONG for wrong in trial.wrong)
    names += Counter(str(group.schema.root) for group in GROUPS)
    assert [name for name, count in names.items() if count > 1] == []


def test_a_listener_hears_of_a_case_before_it_is_tried():
    """While the first case is tried, the line says so, and not that an environment is being built."""
    chosen = selection(["msgspec"], ["msgspec/json"])
    heard, known = [], []
    each_probed(
        chosen, as_built({chosen[0].recipe}), lambda _: known.extend(heard), None, lambda *told: heard.append(told)
    )
    assert [("msgspec", 0, 1)] == known


def test_what_a_module_registers_changes_no_other_outcome():
    """A serializer that jsons gets for naive datetimes does not write the aware ones of a later module."""
    chosen = selection(["jsons"], ["orjson"])
    found = {
        tried: each_probed(chosen, as_built({chosen[0].recipe}), partial(_outcomes, tried))
        for tried in (("aware datetime",), ("naive datetime", "aware datetime"))
    }
    alone, later = found.values()
    of_year_1 = "changed" if sys.version_info < (3, 14) else "exact"  # strftime gives years four digits from 3.14 on
    assert of_year_1 == alone[0]["datetime of the year 1"]
    assert alone == later


def _outcomes(names, probed):
    """The outcomes of the last of these groups, tried in this order."""
    for name in names:
        group = next(one for one in GROUPS if one.name == name)
        found = {probe: finding.outcome for probe, finding in _Probing(probed).group(group)}
    return found


PLANTED = """def planted(blob: bytes) -> Any:
    data = json.loads(blob)
    text = str(data[0].get("subject")) if isinstance(data, list) else ""
    {}
    return data"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        ('if text == "12":\n        os.kill(os.getpid(), 11)', "crashed"),
        pytest.param('if text == "12":\n        time.sleep(60)', "timeout", marks=pytest.mark.full),
        ('if text == "12":\n        bytearray(1 << 40)', "memory"),
        ('if text == "12":\n        raise ValueError(text)', "refused"),
        ('if text == "12":\n        data[0]["subject"] = "13"', "changed"),
    ],
)
def test_one_bad_value_costs_one_cell(then, outcome):
    """A codec that kills, hangs or fails its process at one value has that for an outcome, and all others theirs."""
    (choice,) = selection(["typeddict"], ["json/json"])
    codec = choice.codec.changed(
        loads="planted({})",
        imports=("json", "os", "time", "typing:Any"),
        functions=(PLANTED.format(then),),
    )
    planted = ChosenCase(choice.library, choice.variant, codec, choice.recipe)
    environments = as_built({choice.recipe})
    limits = RequestLimits(seconds=4 if outcome == "timeout" else 20, memory_bytes=2 << 30)
    (one,) = behaviours([planted], environments, limits, matrices=["fidelity"])
    texts = {name: f.outcome for name, f in one.fidelity.items() if name.startswith("str that looks like")}
    assert {"str that looks like 12": outcome} == {name: found for name, found in texts.items() if found != "exact"}


@pytest.mark.parametrize(("fits", "fails"), [(0, 1), (0, 2), (100, 1000), (100, 109), (7, 8)])
def test_the_greatest_size_is_found(fits, fails):
    """Wherever the limit lies between the two, it is found exactly."""
    for limit in range(fits, fails):
        assert limit == _greatest(lambda sizes, limit=limit: [size <= limit for size in sizes], fits, fails)


def test_the_culprit_is_found_by_halves():
    """Where a batch ends its process, every innocent item still gets its answer, and the culprit its fault."""
    asked = []

    def work(items):
        asked.append(len(items))
        if 5 in items:
            raise Fault("crashed", "gone", fatal=True)
        return [item * 10 for item in items]

    answers = each(list(range(8)), work)
    assert [0, 10, 20, 30, 40, 60, 70] == [answer for answer in answers if not isinstance(answer, Fault)]
    assert isinstance(answers[5], Fault)
    assert len(asked) == 7
