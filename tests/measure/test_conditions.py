"""Conditions have names, a stream's documents differ and are proved one by one, and what remembers a document is found out."""

from __future__ import annotations

import pickle
import statistics
from functools import partial
from itertools import chain, pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import GOOD, block, case, further, measured

from serbench.errors import PlanError
from serbench.measure import case_waves, conduct
from serbench.measure.rounds import (
    MOST_CALLS_OF_STREAM,
    ROUNDS_OF_SLOW,
    WARM_LEAST,
    WARM_LEAST_NS,
    calibrate,
    size_batch,
)
from serbench.measure.stream import AS_NEEDED, KEPT, MOST_DOCUMENTS, Conditions, Stream, evenly, names_in
from serbench.measure.subjects import Subject
from serbench.measure.worker.prepared_case import Documents, PreparedCase, read_blobs, write_blobs
from serbench.model.data.dataset import generate, workload_names
from serbench.model.fidelity import slim

pytestmark = pytest.mark.drawn(part=8, of="conditions of a run")

REMEMBERS = (
    GOOD
    + """

known = {}
good_decode = decode


def decode(blob):
    if known.get("blob") != blob:
        known.update(blob=blob, items=good_decode(blob))
    return known["items"]
"""
)
CONDITIONS = st.builds(
    Conditions, st.just(AS_NEEDED) | st.integers(1, 100), fresh=st.booleans(), kept=st.integers(0, 100)
)


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("hot", Conditions()),
        ("varied", Conditions(AS_NEEDED, fresh=True, kept=KEPT)),
        ("documents", Conditions(AS_NEEDED)),
        ("documents=64+fresh", Conditions(64, fresh=True)),
        ("kept=4", Conditions(kept=4)),
    ],
)
def test_conditions_have_names(text, conditions):
    """Each text means these conditions, and is how they are told."""
    assert conditions == Conditions.parse(text)
    assert text == str(conditions)


@given(CONDITIONS)
def test_what_is_told_is_read_again(conditions):
    """The text of any conditions gives the same ones."""
    assert conditions == Conditions.parse(str(conditions))


@pytest.mark.parametrize(
    "text", ["", "warm", "hot+fresh", "fresh=2", "kept=-1", "kept=", "documents=0", "fresh+fresh", "documents=9999999"]
)
def test_what_are_no_conditions_is_one_line(text):
    """The message names the conditions that there are, or the number that can be."""
    with pytest.raises(PlanError, match=r"name hot, varied, or parts such as|documents must be from 1 to") as told:
        Conditions.parse(text)
    assert "\n" not in str(told.value)


@given(st.lists(st.integers(1, 10_000), min_size=64, max_size=300), st.integers(0, 63))
def test_a_few_documents_have_about_the_mean_size(sizes, first):
    """Of any 16 that follow each other, the mean rank by size is near the middle, as that of random ones is not."""
    order = evenly(sizes)
    assert sorted(order) == list(range(len(sizes)))
    ranks = {position: rank for rank, position in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__))}
    few = [ranks[position] for position in order[first % (len(sizes) - 16) :][:16]]
    assert abs(statistics.mean(few) / (len(sizes) - 1) - 0.5) < 0.1


@pytest.mark.parametrize("name", workload_names())
def test_documents_of_a_workload_differ(name, tmp_path):
    """The first is that of the data set; there are enough of them, each another, and the same again for the same seed."""
    stream = Stream(generate(name, 2).stream(), Conditions.parse("documents=100"), tmp_path / "documents")
    assert generate(name, 2).value == stream.documents[0]
    texts = {pickle.dumps(document) for document in stream.documents}
    assert len(texts) > 0.9 * len(stream)  # two tiny ones may be the same
    few = Stream(generate(name, 2).stream(), Conditions.parse("documents=8"), tmp_path / "few")
    assert len(few) == 8
    assert {pickle.dumps(document) for document in few.documents} <= texts


@pytest.mark.parametrize(
    ("name", "records", "ends"),
    [("tiny", 1, "documents"), ("client", 200, "texts"), ("numbers", 100, "least"), ("text", 100, "most")],
)
def test_there_are_enough_documents(tmp_path, monkeypatch, name, records, ends):
    """They end at a number of documents, once no cache holds their texts, once no new texts come, or at a size."""
    least, most = 512 << 10, 2 << 20
    monkeypatch.setattr("serbench.measure.stream.LEAST_BYTES", least)
    monkeypatch.setattr("serbench.measure.stream.MOST_BYTES", most)
    data = generate(name, records)
    stream = Stream(data.stream(), Conditions.parse("varied"), tmp_path / "documents", names_in(data.schema))
    sizes = [len(text) for text in pickle.loads((tmp_path / "documents").read_bytes())[2][0]]
    assert len(stream) == len(sizes)
    size, before = sum(sizes), sum(sizes) - max(sizes)
    found = {"documents": len(sizes) == MOST_DOCUMENTS, "least": before < least <= size, "most": before < most <= size}
    assert [name for name, true in found.items() if true] == ([] if ends == "texts" else [ends])
    assert ends != "texts" or least < size < most


def documents(tmp_path, text: str) -> tuple[Stream, Documents]:
    """The stream of the planted block, and what a worker reads of it."""
    data = block().dataset
    stream = Stream(data.stream(), Conditions.parse(text), tmp_path / "documents", names_in(data.schema))
    return stream, Documents(**stream.request)


def test_a_copy_of_a_document_is_new_but_for_its_keys(tmp_path):
    """Each copy has texts of its own, whose hashes nobody has asked for; the keys of records are a program's names."""
    stream, found = documents(tmp_path, "documents=5+fresh")
    assert stream.documents == [found.value(index) for index in range(5)]
    one, other = found.value(2)[0], found.value(7)[0]
    assert one == other
    assert one["name"] is not other["name"]
    assert all(mine is its for mine, its in zip(one, other, strict=True))


def test_objects_are_made_of_slim_documents(tmp_path):
    """A case whose objects can be made of tuples gets these, which are the same data; another gets whole documents."""
    data = block().dataset
    tuples = partial(slim, data.spec, data.spec["root"])
    stream = Stream(data.stream(), Conditions.parse("documents=5+fresh"), tmp_path / "documents", slim=tuples)
    found = Documents(**stream.request)
    prepared = PreparedCase(SimpleNamespace(), "values", None, found)
    assert prepared.objects_of(2) == stream.documents[2]
    prepared.make_of_slim = list
    assert prepared.objects_of(2) == [tuple(record.values()) for record in stream.documents[2]]
    assert prepared.objects_of(2) is not prepared.objects_of(2)


def test_objects_of_documents_that_are_never_slim(tmp_path):
    """If one document has no such form, all are whole, however their objects could be made."""

    def some(value):
        if value == 3:
            raise ValueError
        return (value,)

    stream = Stream([1, 2, 3], Conditions.parse("documents=3+fresh"), tmp_path / "documents", slim=some)
    prepared = PreparedCase(SimpleNamespace(), "values", None, Documents(**stream.request))
    prepared.make_of_slim = list
    assert [prepared.objects_of(index) for index in range(3)] == stream.documents


@pytest.mark.parametrize(("text", "alive"), [("documents=5", 0), ("documents=5+kept=3", 3), ("varied", KEPT)])
def test_calls_get_documents_in_turn(tmp_path, text, alive):
    """The calls of a batch get consecutive documents from the one that is asked for; the last results stay alive."""
    _, found = documents(tmp_path, text)

    class Module:
        @staticmethod
        def encode(items):
            return [items]

    prepared = PreparedCase(Module, "values", None, found)
    calls = 2 * found.span + 1
    parts = [(list(before), list(timed)) for before, timed in prepared.spans("encode", calls, 4, 2)]
    spans = [timed for _, timed in parts]
    assert [found.value(index) for index in range(4, 4 + calls)] == [*chain(*spans)]
    again = [one for _, timed in prepared.spans("encode", 5, 4, 0) for one in timed]
    assert (again[0] is spans[0][0]) == ("documents=5" in text)  # else made anew
    results = prepared.last_results("encode")
    for arguments in spans:
        results.extend(map(prepared.function("encode"), arguments))
    assert len(results) == alive


def test_each_part_is_warmed_by_what_comes_before_it(tmp_path):
    """Parts are alike, and the untimed calls of each have the documents before its own."""
    _, found = documents(tmp_path, "documents=500+fresh")
    prepared = PreparedCase(None, "values", None, found)
    found.span = 100
    parts = [tuple(map(list, both)) for both in prepared.spans("build", 201, 40, 30)]
    assert [(30, 67), (8, 67), (8, 67)] == [(len(before), len(timed)) for before, timed in parts]
    starts = [40, 107, 174]
    for start, (before, timed) in zip(starts, parts, strict=True):
        assert [found.value(index) for index in range(start - 8, start + 67)] == before[:8] + timed
        assert all(one in before[:8] for one in before[8:])  # there are more calls than arguments


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_encoded_documents_are_read_as_they_were_written(tmp_path_factory, blobs):
    """A file of them gives the same ones, empty ones too."""
    path = str(tmp_path_factory.getbasetemp() / "blobs")
    write_blobs(path, blobs)
    assert blobs == read_blobs(path)


WRONG_ONCE = (
    GOOD
    + """

good_decode = decode


def decode(blob):
    found = good_decode(blob)
    if found[0].name == "further 3":
        found[0].name = "Further 3"
    return found
"""
)
ALWAYS_THE_FIRST = (
    GOOD
    + """

encode_now, first = encode, []


def encode(items):
    first.append(encode_now(items))
    return first[0]
"""
)
LIES = (
    GOOD
    + """

encode_now, decode_now = encode, decode


def encode(items):
    return encode_now(items).replace(b"further 3", b"Further 3")


def decode(blob):
    return decode_now(blob.replace(b"Further 3", b"further 3"))
"""
)


@pytest.mark.parametrize(
    ("source", "told"), [(WRONG_ONCE, "document "), (ALWAYS_THE_FIRST, "document 2: decode: value")]
)
def test_every_document_is_proved(source, told):
    """A fault with one document of many fails the case, and the reason names the document; with one document it is not seen."""
    heard = measured(case("good"), case("planted", source), conditions=("hot", "documents=8"))
    found = {cell.conditions: cell for cell in heard.known.values() if cell.library == "planted" and not cell.control}
    assert ("ok", "failed") == (found["hot"].status, found["documents=8"].status)
    assert told in found["documents=8"].reason


def test_the_same_wrong_bytes_fail_twice():
    """Bytes that an independent reader found wrong are wrong for every case that writes them."""
    heard = measured(case("good"), case("one", LIES), case("two", LIES), conditions=("documents=8",))
    found = {cell.library: (cell.status, cell.reason) for cell in heard.known.values() if not cell.control}
    assert ("ok", None) == found["good"]
    assert found["one"] == found["two"]
    assert "failed" == found["one"][0]
    assert ": the bytes, read by " in found["one"][1]


def test_what_remembers_its_last_input_is_found_out():
    """A decoder with a cache is by far the fastest with one document, and gains nothing with varied ones."""
    heard = measured(case("good"), case("remembers", REMEMBERS), conditions=("hot", "varied"), operations=("decode",))
    times = {
        (cell.library, cell.conditions): statistics.median(
            s.cpu_ns / cell.loops for s in heard.all_samples if s.cell == cell.id
        )
        for cell in heard.known.values()
        if not cell.control
    }
    assert times["remembers", "hot"] < 0.3 * times["good", "hot"]
    assert times["remembers", "varied"] > 0.7 * times["good", "varied"]


def test_untimed_calls_come_before_the_batches_of_a_stream(monkeypatch):
    """However few calls a batch has, a process has made others right before: the first of them are slow."""
    asked, ask = [], Subject.ask

    def spied(subject, do, **arguments):
        if do == "measure":
            asked.append((subject.each_ns[arguments["operation"]], arguments["warmup"]))
        return ask(subject, do, **arguments)

    monkeypatch.setattr(Subject, "ask", spied)
    measured(case("good"), conditions=("varied",), operations=("decode",))
    assert asked
    assert all(warmup >= min(WARM_LEAST, int(WARM_LEAST_NS / each_ns)) > 1 for each_ns, warmup in asked)


def test_no_round_of_a_visit_has_the_documents_of_another(monkeypatch):
    """Untimed calls, too, get documents that no other round has: what was met shortly before would be remembered."""
    visits, ask, visit = [], Subject.ask, case_waves.visit

    def spied(subject, do, **arguments):
        if do == "measure":
            first = arguments["start"] - arguments["warmup"]
            visits[-1].setdefault(subject, []).append(range(first, arguments["start"] + arguments["loops"]))
        return ask(subject, do, **arguments)

    def begun(*arguments, **options):
        visits.append({})
        return visit(*arguments, **options)

    monkeypatch.setattr(conduct, "visit", begun)
    monkeypatch.setattr(case_waves, "visit", begun)
    monkeypatch.setattr(Subject, "ask", spied)
    measured(case("good"), conditions=("varied",), operations=("decode",))
    batches = [each for one in visits for each in one.values()]
    assert all(len(each) >= ROUNDS_OF_SLOW for each in batches)
    assert all(before.stop <= after.start for each in batches for before, after in pairwise(each))


def test_batches_of_the_same_code_have_the_same_length(monkeypatch):
    """A call takes less time in a longer batch, and the speed at which the first sizes were found is another for each case."""
    speeds = iter([1, 0.25, 4, 0.5, 2])

    def calibrated(subject, operation):
        found = calibrate(subject, operation)
        size_batch(subject, operation, subject.each_ns[operation] * next(speeds))
        return found

    monkeypatch.setattr(conduct, "calibrate", calibrated)
    heard = measured(*(case(f"good_{n}") for n in range(4)), conditions=("varied",), operations=("decode",))
    reference, *others = sorted(heard.known.values(), key=lambda cell: not cell.reference)
    assert len(others) >= 4  # with hidden duplicates
    assert all(0.5 < cell.loops / reference.loops < 2 for cell in others), {c.library: c.loops for c in others}


def test_planted_calls_are_among_those_of_a_batch():
    """A case that makes more calls than it counts makes no more than others: a batch in two parts would be another."""
    for each_ns, factor in ((100.0, 1.02), (100.0, 1.2), (1900.0, 1.2), (40_000.0, 1.05), (9e9, 1.2)):
        cell = SimpleNamespace(loops=0)
        subject = SimpleNamespace(
            cells={"encode": cell}, each_ns={}, data=SimpleNamespace(documents="some"), requested=False
        )
        subject.calls = lambda _, cell=cell, factor=factor: round(cell.loops * factor)
        size_batch(subject, "encode", each_ns)
        assert cell.loops >= 1
        assert subject.calls("encode") <= MOST_CALLS_OF_STREAM
        assert each_ns > 2000 or subject.calls("encode") > 0.98 * MOST_CALLS_OF_STREAM


def test_untimed_calls_stay_in_cache(tmp_path):
    """Many untimed calls share a few documents that lie before those of the batch, so that all of them fit in the cache."""
    path = tmp_path / "documents"
    path.write_bytes(pickle.dumps(([], "", ([pickle.dumps(number) for number in range(1000)], []), ([], []))))
    prepared = PreparedCase(SimpleNamespace(decode=int), "", documents=Documents(str(path), 30, True, 4))
    prepared.blobs = [str(number).encode() for number in range(1000)]
    for loops, warmup in ((1, 0), (1, 200), (12, 200), (12, 16), (30, 3), (70, 200), (256, 32)):
        parts = [
            (list(map(int, before)), list(map(int, span)))
            for before, span in prepared.spans("decode", loops, 500, warmup)
        ]
        assert list(chain.from_iterable(span for _, span in parts)) == list(range(500, 500 + loops))
        assert len(parts[0][0]) == warmup
        for before, span in parts:
            different = sorted(set(before))
            assert different == list(range(span[0] - len(different), span[0]))
            assert len(different) + len(span) <= 30 + 30 // 8, (loops, warmup)


def test_sizes_are_means_with_their_spread():
    """The size of a stream's documents is their mean, and the spread says how much they differ."""
    heard = measured(case("good"), conditions=("hot", "documents=200"))
    hot, many = (next(c for c in heard.known.values() if c.conditions == name) for name in ("hot", "documents=200"))
    lengths = [len(str(further(number))) for number in range(1, 200)]
    assert (hot.size_spread_bytes, hot.size_bytes) == (0, len(b'[{"name": "a", "size": 1}, {"name": "b", "size": 2}]'))
    assert (
        abs(many.size_bytes - hot.size_bytes - statistics.mean(map(len, (f"further {n}" for n in range(1, 200))))) < 2
    )
    assert abs(many.size_spread_bytes - statistics.pstdev(lengths)) < 1
