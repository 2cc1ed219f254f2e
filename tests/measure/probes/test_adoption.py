"""How a module is proven with files: what it refuses, reads or writes wrongly is found, whatever it does to its process."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.measure.probes.adoption import UserFile, returned
from serbench.measure.session import RequestLimits, Watchdog, scratch_session
from serbench.model.data.files import FileBytes
from serbench.model.records import Field, Record, Ref, Schema
from serbench.model.scalars import INT
from serbench.render.case import render
from serbench.render.environments import main_environment
from serbench.render.selection import find_case

ROW = Schema(Ref("Row"), (Record("Row", (Field("id", INT),)),))
LINES = FileBytes("json", True, b'{"id": 1}\n{"id": 2}\n')
WHOLE = FileBytes("json", False, b'{"id": 1}')
READ = "import json\ndef decode(blob):\n    return json.loads(blob)\n"
WRITE = "def encode(row):\n    return json.dumps(row).encode()\n"
STREAM = "def read_stream(file):\n    for line in file:\n        yield decode(line)\n"


@pytest.fixture(scope="module")
def session():
    """A worker process; a fault replaces it."""
    with Watchdog() as watchdog, scratch_session(main_environment(), watchdog, RequestLimits(60, 1 << 30)) as one:
        yield one


def planted(source: str, *operations: str):
    """A case with another module than was rendered."""
    install, variant, codec = find_case("typeddict", "json/json")
    case = render(install.library, variant, codec, ROW)
    return replace(case, source=source, operations=operations or ("encode", "decode"))


def proof(session, case, content=WHOLE, values=({"id": 1},)):
    """What comes back of a file."""
    return returned(session, case, ROW, UserFile("x.json", content, values))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import os\ndef decode(blob):\n    os._exit(3)\n", "the process ended: exit code 3"),
        (f"{READ}raise ImportError('no such thing')\n", "ImportError: no such thing"),
        ("def decode(blob):\n    raise ValueError('a\\nb') from KeyError('c')\n", "ValueError: a b: KeyError: 'c'"),
        (f"{READ}def encode(row):\n    raise TypeError('no')\n", "TypeError: no"),
    ],
)
def test_a_module_that_fails_refuses_the_file(session, source, told):
    """A module that cannot be imported, raises or ends its process refuses the file, and the reason is told."""
    proven = proof(session, planted(source))
    assert (1, True) == (proven.refusals, told in proven.refusal), proven.refusal


def test_the_first_refused_line_is_told(session):
    """Lines that are refused are counted, the first is told by its number, and the others are compared."""
    picky = READ + "def encode(row):\n    assert row['id'] != 2, 'two'\n    return json.dumps({'id': 7}).encode()\n"
    content = FileBytes("json", True, b'{"id": 1}\n{"id": 2}\n{"id": 2}')
    proven = proof(session, planted(picky), content, [{"id": 1}, {"id": 2}, {"id": 2}])
    assert (3, 2, "line 2: AssertionError: two") == (proven.documents, proven.refusals, proven.refusal)
    assert ["[0].id: 1, comes back as 7"] == list(map(str, proven.losses))


def test_what_is_decoded_is_compared_as_well(session):
    """A module that decodes another value and writes the right one again is no proof."""
    wrong = "import json\ndef decode(blob):\n    return {'id': json.loads(blob)['id'] + 1}\n"
    wrong += "def encode(row):\n    return json.dumps({'id': row['id'] - 1}).encode()\n"
    (loss,) = proof(session, planted(wrong)).losses
    assert str(loss) == ".id: decoded to another value: expected 1, got 2"


def test_what_is_written_is_json(session):
    """A module whose bytes cannot be parsed loses everything."""
    (loss,) = proof(session, planted(f"{READ}def encode(row):\n    return b'{{'\n")).losses
    assert "what is written is not json" in str(loss)


@pytest.mark.parametrize(
    ("stream", "losses"), [(STREAM, 0), ("def read_stream(file):\n    yield decode(file.readline())\n", 1)]
)
def test_the_way_through_a_file_is_tried(session, stream, losses):
    """`read_stream` must give as many documents as the file has lines."""
    case = planted(READ + WRITE + stream, "encode", "decode", "stream")
    assert losses == len(proof(session, case, LINES, [{"id": 1}, {"id": 2}]).losses)


def test_a_file_without_values_is_compared_by_its_text(session):
    """A file that the schema does not describe is proven by what is written alone."""
    assert () == proof(session, planted(READ + WRITE), values=None).changes
