"""A case is a module's text, or the reason why there is none."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from serbench.model.records import Field, List, Record, Ref, Schema, Union
from serbench.model.scalars import BYTES, DATETIME, STR, TIMEDELTA
from serbench.render.case import combinations, render
from serbench.render.codec import codec_named
from serbench.render.library import libraries

CLIENT = Schema(
    List(Ref("Client")),
    (
        Record("User", (Field("fullname", STR), Field("email", STR))),
        Record("Client", (Field("user", Ref("User")), Field("last_contact", STR))),
    ),
)


@pytest.mark.full
def test_operations_are_in_the_source():
    """The operations that a case names are the functions that its module defines."""
    for library, codec_ in combinations():
        case = render(library, "default", codec_, CLIENT)
        for name in ("encode", "decode", "dump", "dumps", "loads", "load"):
            assert (f"\ndef {name}(" in case.source) is (name in case.operations)


@pytest.mark.slow
def test_every_case_encodes_and_decodes():
    """A case without a reason has both directions, but for what its library or codec says it cannot."""
    for library, codec_ in combinations():
        case = render(library, "default", codec_, CLIENT)
        able = [name for name in ("encode", "decode") if name not in case.cannot]
        assert case.reason or list(case.operations[: len(able)]) == able


def test_a_long_name_of_an_environment_makes_a_name_that_a_file_can_have():
    """However many packages it names, cases of two environments have two modules."""
    case = render(libraries()["msgspec"], "default", codec_named("orjson/json"), CLIENT)
    names = {replace(case, environment=replace(case.environment, name="x" * 300 + end)).module_name for end in "ab"}
    assert 2 == len(names)
    assert all(len(name) < 250 and name.isidentifier() for name in names)


@pytest.mark.full
def test_module_names_are_unique_and_flat():
    """Each case has a module name of its own, which pickle and import take."""
    names = [
        render(library, variant, codec_, CLIENT).module_name
        for library, codec_ in combinations()
        for variant in ("default", *library.variants)
    ]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def test_the_codec_of_a_library_serves_it_alone():
    """The JSON of pydantic itself is combined with pydantic only."""
    served = {library.name for library, codec_ in combinations() if codec_.name == "pydantic"}
    assert served == {"pydantic"}


def test_combinations_can_be_chosen():
    """Chosen libraries and codecs are combined, and no others."""
    chosen = list(combinations([libraries()["class"]], [codec_named("orjson/json")]))
    assert [(library.name, codec_.name) for library, codec_ in chosen] == [("class", "orjson")]


def test_what_is_lacking_is_the_reason():
    """A feature that a library lacks is its reason, and there is no source."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", BYTES),)),))
    case = render(libraries()["marshmallow"], "default", codec_named("json/json"), schema)
    assert (case.source, case.operations) == ("", ())
    assert case.reason == libraries()["marshmallow"].lacks["bytes"]


def test_a_codec_that_asks_annotations_refuses_lookalikes_that_its_bytes_tell_apart():
    """A union of bytes and text is refused for msgspec's types in MessagePack too, not for pydantic, which reads plain values there."""
    schema = Schema(Ref("Held"), (Record("Held", (Field("key", Union((BYTES, STR))),)),))
    reasons = {
        name: render(libraries()[name], "default", codec_named("msgspec/msgpack"), schema).reason
        for name in ("msgspec", "dataclasses", "pydantic")
    }

    refused = "in msgpack, bytes and str are both text: their union needs a tag"
    assert {"msgspec": refused, "dataclasses": refused, "pydantic": None} == reasons


def test_a_library_that_only_encodes():
    """Its module encodes, with no decoder beside, and needs no writer; the reason for the rest is at hand."""
    case = render(libraries()["serpy"], "default", codec_named("msgspec/json"), CLIENT)
    assert ("encode", "dump", "dumps") == case.operations
    assert "decoder" not in case.source
    assert case.writer is None
    assert {"decode", "loads", "load"} == set(case.cannot)


def test_a_library_that_only_decodes():
    """Its module decodes, with no encoder beside, and dicts converted by hand write the bytes."""
    case = render(libraries()["voluptuous"], "default", codec_named("msgspec/msgpack"), CLIENT)
    assert ("decode", "loads", "load") == case.operations
    assert "encoder" not in case.source
    assert ("typeddict", "msgspec") == (case.writer.library.name, case.writer.codec.name)


def test_the_writer_writes_what_an_untyped_decoder_reads():
    """A datetime is text in its bytes, which the codec would write otherwise if it took the TypedDict as it is."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", DATETIME), Field("y", TIMEDELTA))),))
    for format_ in ("json", "msgpack"):
        source = render(libraries()["voluptuous"], "default", codec_named(f"msgspec/{format_}"), schema).writer.source
        assert 'row["y"].total_seconds()' in source
    assert 'row["x"].isoformat()' in source


def test_directions_that_do_not_meet():
    """A library that only encodes and a codec that only decodes have nothing to do, and the reason names both."""
    reads = codec_named("json/json").changed(cannot={"encode": "it reads"})
    writes = codec_named("json/json").changed(cannot={"decode": "it writes"})
    assert "it reads; serpy" in (render(libraries()["serpy"], "default", reads, CLIENT).reason or "")
    assert "; it writes" in (render(libraries()["voluptuous"], "default", writes, CLIENT).reason or "")


def test_bytes_that_nothing_would_read():
    """A library that only encodes is not combined with a format that only its own environment reads."""
    case = render(libraries()["serpy"], "default", codec_named("pickle/pickle"), CLIENT)
    assert (case.reason or "").endswith("only decoding proves pickle")


def test_the_hash_is_of_the_text():
    """The hash in a result row is that of the text that was measured."""
    case = render(libraries()["class"], "default", codec_named("json/json"), CLIENT)
    assert case.source_sha256 == hashlib.sha256(case.source.encode()).hexdigest()
    assert case.source_sha256 != replace(case, source=case.source + "#").source_sha256


@pytest.mark.parametrize("root", [List(Ref("Client")), Ref("Client")])
def test_the_document_is_named_after_its_record(root):
    """A list of clients is `clients`, and one is `client`."""
    case = render(libraries()["class"], "default", codec_named("json/json"), Schema(root, CLIENT.records))
    assert ("def encode(clients: list[Client])" in case.source) is isinstance(root, List)
    assert ("def encode(client: Client)" in case.source) is isinstance(root, Ref)
