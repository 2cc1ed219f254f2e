"""`serbench.explain` times one case as conditions grow from one document to those of a service."""

from __future__ import annotations

import json
import re

import pytest

import serbench


@pytest.mark.full
def test_each_step_has_its_factor(cli):
    """The rows go from `hot`, whose ratio is 1, to `varied`; the printed board has the same figures."""
    code, out, _ = cli("explain", "msgspec", "json", "-w", "events", "-n", "2", "-o", "decode", "-e", "quick", "--json")
    found = json.loads(out)
    assert code == 0
    assert ["hot", "documents", "documents+fresh", "varied"] == [row["conditions"] for row in found["rows"]]
    assert found["title"].startswith("msgspec, events · 2 records")
    assert (1, None) == (found["rows"][0]["ratio"], found["rows"][0]["reason"])
    for row in found["rows"][1:]:
        assert 0 < row["ratio_low"] < row["ratio"] < row["ratio_high"]
        assert row["waves"] >= 4


@pytest.mark.full
def test_a_board_says_what_a_service_pays():
    """Each operation has its board, with the answer as its title."""
    text = str(serbench.explain("dataclasses", "json/json", "client", records=1, effort="quick", precision=0.5))
    titles = re.findall(
        r"^(\w+): (?:no proven difference between )?a service .*one repeated document", text, re.MULTILINE
    )
    assert ["encode", "decode"] == titles
    assert text.count("another document in each call") == 2


@pytest.mark.parametrize(
    ("codec", "told"), [("protobuf", "cannot be timed"), ("nosuch", "nosuch")], ids=["not rendered", "unknown"]
)
def test_what_cannot_be_explained_is_one_line(codec, told):
    """A case that cannot be rendered, or that nobody knows, is an error with its reason."""
    with pytest.raises(serbench.PlanError, match=told) as error:
        serbench.explain("jsons" if codec == "protobuf" else "msgspec", codec, "client-rich", records=1)
    assert "\n" not in str(error.value)


ORDERS = "from dataclasses import dataclass\n\n@dataclass\nclass Order:\n    id: int\n    tags: list[str]\n"
WRITTEN_OTHERWISE = "from pydantic import BaseModel, Field\n\nclass Order(BaseModel):\n    id: int = Field(validation_alias='in', serialization_alias='out')\n"


@pytest.fixture
def orders(tmp_path, monkeypatch):
    """A file with a class, in the present folder, and one whose class reads another document than it writes."""
    (tmp_path / "orders.py").write_text(ORDERS, encoding="utf-8")
    (tmp_path / "otherwise.py").write_text(WRITTEN_OTHERWISE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "library", "titles", "operations"),
    [
        ("orders", "yours", "yours (dataclass) via json, Order · 5 records", ["encode"] * 4 + ["decode"] * 4),
        (
            "orders",
            "yours via msgspec",
            "yours via msgspec and json, Order · 5 records",
            ["encode"] * 4 + ["decode"] * 4,
        ),
        ("orders", "msgspec", "msgspec via json, Order · 5 records", ["encode"] * 4 + ["decode"] * 4),
        ("otherwise", "yours", "Order (reads) · 5 records", ["decode"] * 4 + ["encode"] * 4),
    ],
)
def test_a_class_of_the_users_is_explained(orders, file, library, titles, operations):
    """By itself or through a library; a class with two documents is measured with both."""
    found = serbench.explain(library, "json/json", model=f"{file}.py:Order", records=5, effort="quick", precision=0.5)
    assert titles in found.title
    assert operations == [row.operation for row in found.rows]
    assert all(row.measured for row in found.rows)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["yours", "yours via msgspec", "dataclasses"])
def test_a_long_file_of_a_class_of_the_users(orders, tmp_path, library):
    """Its records come from a file of lines, and are written and read again as objects of the class."""
    lines = "".join(json.dumps({"id": number, "tags": ["a"]}) + "\n" for number in range(20))
    (tmp_path / "orders.jsonl").write_text(lines, encoding="utf-8")
    found = serbench.stream(
        model="orders.py:Order", payload=tmp_path / "orders.jsonl", libraries=library, formats="json/json", size=10_000
    )
    (streamed,) = [one for one in found if one.library.startswith(library)]
    assert ("ok", None) == (streamed.status, streamed.reason)
    assert 0 == streamed.records % 20
    assert streamed.size_bytes >= 10_000
