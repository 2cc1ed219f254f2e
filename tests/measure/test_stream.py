"""A stream has as many documents as its limits say, in an order that mixes their sizes, in a file that workers read."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from datetime import date
from enum import StrEnum
from io import BytesIO
from itertools import chain, count, islice, repeat

import pytest

from serbench.measure import stream
from serbench.measure.stream import Conditions, evenly, names_in
from serbench.measure.worker.prepared_case import Documents
from serbench.model.records import Field, List, Record, Ref, Schema, Union
from serbench.model.scalars import INT, STR


@pytest.fixture(scope="module")
def published():
    """The module with the limits of published results; the tests of other things have shorter streams."""
    spec = importlib.util.spec_from_file_location("published_stream", stream.__file__)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # where dataclasses look for it
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def length(published, tmp_path):
    """The number of documents that a stream takes of these."""

    def measured(values, conditions="varied", **more):
        return len(published.Stream(values, Conditions.parse(conditions), tmp_path / "documents", **more))

    return measured


KIB = 1024
OVERHEAD = len(pickle.dumps([bytes(500), "12345678"], protocol=4)) - 500


def document(text, size=KIB):
    """A document of so many pickled bytes with one text of eight characters."""
    found = [bytes(size - OVERHEAD), text]
    assert size == len(pickle.dumps(found, protocol=4))
    return found


def texts(first=0):
    """Texts of eight characters, all different."""
    return (f"{number:08}" for number in count(first))


def test_a_first_text_in_the_second_half_is_no_reason_to_end(length):
    """Whoever has no text in the first half of the least bytes, and one in the second, may have more to come."""
    assert 7 == length([bytes(300 * KIB), *repeat([bytes(300 * KIB), "the same"], 9)])


def test_enough_documents_are_no_more_unless_a_number_is_asked_for(length):
    """A stream of data of which some documents are enough has these; one of which conditions say the number has that."""
    values = [document(text) for text, _ in zip(texts(), range(40), strict=False)]
    assert 16 == length(values, enough=16)
    assert 20 == length(values, "documents=20+fresh+kept", enough=16)


def test_a_stream_ends_at_half_a_mebibyte(length):
    """If no new texts come, the documents end at the first with which they have 512 KiB."""
    assert 512 == length(map(document, repeat("the same")))
    smaller = document("the same", KIB - 1)
    assert 513 == length([smaller, *map(document, islice(repeat("the same"), 600))])


def test_a_stream_of_new_texts_ends_at_two_mebibytes(length):
    """As long as new texts come, the documents end at the first with which they have 2 MiB."""
    assert 2048 == length(map(document, texts()))
    assert 2049 == length([document("shorter.", KIB - 1), *map(document, islice(texts(), 2100))])


@pytest.mark.parametrize(("late", "documents"), [(50, 512), (51, 2048)])
def test_a_stream_goes_on_if_a_quarter_more_texts_came(length, late, documents):
    """The texts of the first 256 KiB are the measure, to the document that fills them."""
    early = [*islice(texts(), 199)]
    first = [*early, *repeat(early[0], 56), "the last"]
    second = [*repeat(early[0], 256 - late), *islice(texts(1000), late)]
    assert (256, 256) == (len(first), len(second))
    assert documents == length(map(document, chain(first, second, texts(2000))))


@pytest.mark.parametrize(("missing", "documents"), [(0, 96), (1, 97)])
def test_a_stream_ends_with_49_152_different_texts(length, missing, documents):
    """If they already have 512 KiB, the documents end with the text that makes them that many."""
    many = (f"{number:016}" for number in count())
    sizes = [512 - missing, *repeat(512, 120)]
    assert documents == length([[*islice(many, size)] for size in sizes])


@pytest.mark.parametrize(("conditions", "documents"), [("varied", 16_384), ("documents=20000", 20_000)])
def test_a_stream_has_at_most_16_384_documents(length, conditions, documents):
    """Unless a number of documents is asked for."""
    assert documents == length(repeat(1), conditions)


@pytest.mark.parametrize(("conditions", "documents"), [("documents=1", 1), ("documents=3", 3), ("documents=700", 700)])
def test_a_stream_has_the_number_that_is_asked_for(length, conditions, documents):
    """Whatever their size."""
    assert documents == length(map(document, repeat("the same")), conditions)


def test_a_stream_takes_no_more_values_than_it_needs(length):
    """Values are drawn one by one, and drawing costs time."""
    values = iter(range(10))
    assert 3 == length(values, "documents=3")
    assert 3 == next(values)
    assert 6 == length(values, "documents=50")


def sized(size):
    """A value of so many pickled bytes."""
    value = bytes(2 * size - len(pickle.dumps(bytes(size), protocol=4)))
    assert size == len(pickle.dumps(value, protocol=4))
    return value


@pytest.mark.parametrize(
    ("size", "span"),
    [(KIB, 64), (KIB + 1, 63), (40, 320), (204, 320), (206, 318), (32 * KIB, 2), (32 * KIB + 1, 1), (80 * KIB, 1)],
)
def test_documents_of_64_kib_are_timed_together(published, tmp_path, size, span):
    """And at most 320 of them, at least one; the mean size counts."""
    path = tmp_path / "documents"
    assert span == published.Stream([sized(size)], Conditions(1), path).request["span"]
    assert span == published.Stream([sized(size - 10), sized(size + 10)], Conditions(2), path).request["span"]


@pytest.mark.parametrize(("kept", "most"), [(0, 0), (8, 8), (63, 63), (64, 64), (65, 64), (1000, 64)])
def test_results_of_64_mib_are_kept(published, tmp_path, kept, most):
    """As many as the conditions say, and no more than have 64 MiB of documents."""
    made = published.Stream([sized(1 << 20)], Conditions(1, kept=kept), tmp_path / "documents")
    assert most == made.request["kept"]
    larger = published.Stream([sized((1 << 20) + 1)], Conditions(1, kept=kept), tmp_path / "documents")
    assert min(most, 63) == larger.request["kept"]


@pytest.mark.parametrize(("kept", "most"), [(0, 0), (1, 1), (8, 1)])
def test_one_result_is_kept_however_large(published, tmp_path, monkeypatch, kept, most):
    """A document that is larger than the limit is kept by itself, if any are to be kept."""
    monkeypatch.setattr(published, "KEPT_BYTES", 1000)
    made = published.Stream([sized(1001)], Conditions(1, kept=kept), tmp_path / "documents")
    assert most == made.request["kept"]


def test_the_order_of_thirteen_documents():
    """Their ranks are those of the multiples of the golden section, which for 13 are the multiples of 8, modulo 13."""
    ranks = [8 * turn % 13 for turn in range(13)]
    assert ranks == evenly([*range(13)])
    assert [12 - rank for rank in ranks] == evenly([*range(13, 0, -1)])
    assert [] == evenly([])


@pytest.mark.parametrize("fresh", [False, True])
def test_a_worker_reads_the_documents_in_their_order(tmp_path, fresh):
    """The first stays the first, the others are mixed by size; each says where it was among the values."""
    values = [[{"name": "x" * length, "size": length}] for length in (30, 90, 10, 70, 50, 20)]
    made = stream.Stream(iter(values), Conditions(6, fresh=fresh, kept=2), tmp_path / "documents", ["name", "size"])
    mixed = [0, *(number + 1 for number in evenly([90, 10, 70, 50, 20]))]
    assert mixed == made.positions
    assert [values[number] for number in mixed] == made.documents
    assert {"path": str(tmp_path / "documents"), "span": 320, "fresh": fresh, "kept": 2} == made.request
    read = Documents(**made.request)
    assert made.documents == [read.value(number) for number in range(len(made))]


def test_names_are_no_texts_of_a_document(tmp_path):
    """The keys of records are pickled as numbers in the order of the names, and do not count as new texts."""
    found = set()
    pickled = stream._pickled([{"name": "a", "size": "b"}, 1, b"a", None], {"name": 0, "size": 1}, found)
    assert {"a", "b"} == found
    assert b"name" not in pickled
    read = type("Read", (pickle.Unpickler,), {"persistent_load": lambda _, number: ("name", "size")[number]})
    assert [{"name": "a", "size": "b"}, 1, b"a", None] == read(BytesIO(pickled)).load()
    stream.Stream([{"name": "a"}], Conditions(), tmp_path / "documents", ["size", "name"])
    assert ["size", "name"] == pickle.loads((tmp_path / "documents").read_bytes())[0]


def test_documents_of_builtins_are_copied_as_from_their_pickles(tmp_path):
    """Their names are those of the program, their texts are new in each copy; what occurs twice in one does so in both."""
    twice = "written twice"
    values = [[{"name": twice, "of": [twice, 1.5, -0.0, 2**70, None, True, b"b"]}, {"name": "ä" * n}] for n in range(9)]
    made = stream.Stream(iter(values), Conditions(9, fresh=True, kept=2), tmp_path / "documents", ["name", "of"])
    fast = Documents(**made.request)
    names, _, (pickled, marshalled), slim = pickle.loads((tmp_path / "documents").read_bytes())
    assert len(pickled) == len(marshalled) == 9
    slow_file = tmp_path / "slow"
    slow_file.write_bytes(pickle.dumps((names, "another Python", (pickled, [b"no marshal form"] * 9), slim)))
    slow = Documents(**{**made.request, "path": str(slow_file)})
    for number, value in enumerate(made.documents):
        copies = [fast.value(number), fast.value(number), slow.value(number)]
        assert [repr(value)] * 3 == list(map(repr, copies))
        assert 3 == len({id(copy[0]["name"]) for copy in copies})
        assert all(copy[0]["name"] is copy[0]["of"][0] for copy in copies)
        assert 1 == len({tuple(map(id, copy[0])) for copy in copies})
        assert 1 == len({sys.getsizeof(copy[1]["name"]) for copy in copies})


def test_documents_of_more_than_builtins_are_pickles(tmp_path):
    """There is no marshal form of a date."""
    made = stream.Stream([[{"day": date(2026, 1, 2)}]], Conditions(), tmp_path / "documents", ["day"])
    assert [] == pickle.loads((tmp_path / "documents").read_bytes())[2][1]
    assert made.documents == [Documents(**made.request).value(0)]


def test_a_subclass_of_text_is_no_name(tmp_path):
    """An enumeration's member that equals a key comes back as a member."""
    value = Level.LOW
    made = stream.Stream([[value]], Conditions(), tmp_path / "documents", ["low"])
    assert value is Documents(**made.request).value(0)[0]


class Level(StrEnum):
    LOW = "low"


def test_the_names_in_a_schema():
    """They are the keys that are written, what a record computes, and the tags of a union with their texts, sorted."""
    schema = Schema(
        List(Union((Ref("Circle"), Ref("Square")), tag="kind")),
        (
            Record("Circle", (Field("radius", INT, alias="r"),), tag_value="circle", computed=("area",)),
            Record("Square", (Field("side", INT),), tag_value=2),
            Record("Other", (Field("note", STR), Field("side", INT))),
        ),
    )
    assert ["area", "circle", "kind", "note", "r", "side"] == names_in(schema)
