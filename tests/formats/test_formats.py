"""Byte formats: found by listing, and read independently of the codec under test."""

from __future__ import annotations

import importlib
import math
import sys

import pytest

from serbench.formats import codecs, formats

_DOCUMENT = [{"text": 'é"\\\n', "int": 2**40, "float": -0.0, "nested": [None, True, {"k": [1.5]}]}]


def called(template: str, name: str, modules: dict) -> object:
    """What a codec's call gives, evaluated as a rendered module would."""
    return eval(template.format(name), modules)


def test_names_are_unique():
    """No format has two codecs of one name."""
    pairs = [(codec.format, codec.name) for codec in codecs()]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("codec", codecs(), ids=lambda c: f"{c.format}/{c.name}")
def test_builtins_come_back(codec):
    """What a codec writes it reads, and so does each independent reader of its format."""
    if codec.only:
        assert (codec.dumps, codec.loads) == ("", "")
        return
    scope = {name: importlib.import_module(name) for name in codec.imports}
    for template in (codec.encoder, codec.decoder):
        exec(template.format(""), scope)
    blob = called(codec.dumps, "document", {**scope, "document": _DOCUMENT})
    assert type(blob) is bytes
    back = called(codec.loads, "blob", {**scope, "blob": blob})
    assert back == _DOCUMENT
    assert math.copysign(1, back[0]["float"]) == -1
    for read in formats()[codec.format].readers.values():
        assert read(blob) == _DOCUMENT


@pytest.mark.parametrize("format_", formats().values(), ids=lambda f: f.name)
def test_each_codec_has_an_independent_reader(format_):
    """No codec's bytes are checked by that codec alone, unless its format says why."""
    for codec in format_.codecs:
        assert set(format_.readers) - {codec.name} or format_.reader_in_worker or format_.unread


@pytest.mark.parametrize("format_", formats().values(), ids=lambda f: f.name)
def test_bad_inputs_can_be_written(format_):
    """What a format writes for a bad input is read back as it was meant."""
    if format_.write is None:
        assert format_.reader_in_worker or format_.unread
        return
    for read in format_.readers.values():
        assert read(format_.write(_DOCUMENT)) == _DOCUMENT


@pytest.mark.parametrize("codec", codecs(), ids=lambda c: f"{c.format}/{c.name}")
def test_facts(codec):
    """A codec has a page of documentation, and comes with a distribution or with Python."""
    assert codec.docs.startswith("https://")
    assert codec.distribution or set(codec.imports) <= sys.stdlib_module_names
    assert codec.decodes <= codec.encodes
