"""What a format does not keep is named, field by field, and nothing else is let through."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import yaml_rs

from serbench.measure.conduct import conduct
from serbench.measure.plan import Block, Plan
from serbench.model.data.dataset import Dataset
from serbench.model.fidelity import LOSSES
from serbench.model.records import Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import DATETIME, INT, STR
from serbench.render.case import render
from serbench.render.codec import Codec, codec_named, codecs
from serbench.render.library import libraries
from serbench.results import Point
from serbench.store.recorder import Recorder

SCHEMA = Schema(
    List(Ref("Row")),
    (Record("Row", (Field("id", INT), Field("created", DATETIME), Field("note", Optional(STR)))),),
)
EXACT = [{"id": 1, "created": datetime(2024, 3, 1, 12, 0, 0, 123000, tzinfo=UTC), "note": "x"}]
FINE = [{**EXACT[0], "created": datetime(2024, 3, 1, 12, 0, 0, 123456, tzinfo=UTC), "note": None}]


def verified(
    chosen: Codec, value: list, schema: Schema = SCHEMA, operation: str = "decode"
) -> tuple[str, str | None, str | None]:
    """Status, work class of the operation and reason of a dataclass case for this value."""
    case = render(libraries()["dataclasses"], "default", chosen, schema)
    dataset = Dataset(name="planted", records=1, depth=1, seed=0, schema=schema, value=value)
    recorder = Recorder(None)
    conduct(Plan(operations=(operation,)), [Block(Point("planted", 1, 1, 0), dataset, [case])], recorder, timed=False)
    (cell,) = recorder.known.values()
    return cell.status, cell.work_class, cell.reason


def test_a_declared_loss_is_named_with_its_field():
    """BSON cuts microseconds: its row says so, and which field that was."""
    status, found, _ = verified(codec_named("pymongo/bson"), FINE)
    assert ("ok", "objects, unchecked, lossy (created: microseconds and offset)") == (status, found)


def test_data_that_loses_nothing_is_not_lossy():
    """The same case is exact for data without microseconds."""
    assert ("ok", "objects, unchecked", None) == verified(codec_named("pymongo/bson"), EXACT)


def test_none_as_text_is_named():
    """With rtoml, None is written as the text "null", and its row names the field; with `none_value` it comes back."""
    assert "lossy (note: None, as the text 'null')" in (verified(codec_named("rtoml/toml"), FINE)[1] or "")
    assert ("ok", "objects, unchecked", None) == verified(codec_named("rtoml[none_value]/toml"), FINE)


def test_a_loss_that_is_not_declared_fails():
    """The same codec without its declaration fails, with what differs."""
    status, _, reason = verified(codec_named("pymongo/bson").changed(loses={}), FINE)
    assert status == "failed"
    assert "[0].created: expected" in (reason or "")


def test_another_loss_than_the_declared_one_fails():
    """A codec that loses more than it says is found out: a planted one drops the whole time of day."""
    json_ = codec_named("json/json")
    planted = json_.changed(
        imports=("json", "re"),
        dumps='re.sub(r"T[^\\"]*", "T00:00:00+00:00", json.dumps({})).encode()',
        loses=codec_named("pymongo/bson").limits.loses,
    )
    status, _, reason = verified(planted, FINE)
    assert status == "failed"
    assert "created" in (reason or "")


SPOILED = {
    "lxml/xml": "bell\x07",
    "elementtree/xml": "bell\x07",
    "plistlib[FMT_XML]/plist": "bell\x07",
    "rtoml[none_value]/toml": "null",
    "yaml-rs/yaml": "2024-06-15",
    "yaml-rs[parse_datetime=False]/yaml": "1_000",
    "ruamel/yaml": "a " * 20 + "\x07" + "x" * 29 + "\x07b c d e f g h i j",
}
"""A text that each codec says it spoils."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"{c.name}/{c.format}" for c in codecs() if c.limits.spoils])
def test_a_spoiled_text_is_told_with_its_reason(name):
    """A case whose codec spoils a text of the data is not supported, for the reason declared; without it, it fails."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("note", STR),)),))
    value, chosen = [{"note": SPOILED[name]}], codec_named(name)
    status, _, reason = verified(chosen, value, schema, "encode")
    assert (status, reason) == ("unsupported", chosen.spoiled(value))
    assert verified(chosen.changed(spoils={}), value, schema, "encode")[0] == "failed"
    assert verified(chosen, [{"note": "line\tline"}], schema, "encode")[0] == "ok"


@pytest.mark.parametrize("text", ["1_000", "0o14", "0b11", "_1", "1e1_0", "0X1F", "+.inf", "1_0.5", "2024-06-15"])
def test_yaml_rs_writes_numbers_and_dates_of_text(text):
    """YAML-rs writes each of these texts without quotes; a version that quotes them no longer spoils them."""
    assert yaml_rs.dumps({"a": text}).endswith(f"a: {text}")
    assert codec_named("yaml-rs/yaml").spoiled(text)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_some_codec_s(name):
    """No loss is known that no codec declares."""
    assert name in {loss.becomes for c in codecs() for loss in c.limits.loses.values()} | {"milliseconds"}
