"""The files that a worker reads say what the conductor meant."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from planted import case

from serbench.measure.session import write_module, write_values
from serbench.model.records import Field, Record, Ref, Schema
from serbench.model.scalars import INT


def test_values_are_pickled_for_any_python(tmp_path):
    """They come back as they were, in a protocol that Python 3.4 reads; the path is given back."""
    value = {"a": [1, None, b"x", "é"]}
    path = write_values(tmp_path / "values.pickle", value)
    assert tmp_path / "values.pickle" == path
    assert value == pickle.loads(path.read_bytes())
    assert b"\x80\x04" == path.read_bytes()[:2]


def test_a_module_is_a_file_of_its_name(tmp_path):
    """The worker is told its name and path; nobody writes for it, and there is no class of the user's."""
    one = case("any", "text = 'é'\n", unique=False)
    parts = write_module(one, tmp_path, "name")
    assert {"module": "name", "path": str(tmp_path / "name.py"), "writer": None} == parts
    assert "text = 'é'\n" == (tmp_path / "name.py").read_text(encoding="utf-8")


def test_the_module_that_writes_for_another_lies_beside_it(tmp_path):
    """Its source is in a file whose name says for whom it writes."""
    one = replace(case("any"), writer=case("writer", "text = 'ü'\n", unique=False))
    parts = write_module(one, tmp_path, "name")
    assert str(tmp_path / "writer_of_name.py") == parts["writer"]
    assert "text = 'ü'\n" == (tmp_path / "writer_of_name.py").read_text(encoding="utf-8")
    assert one.source == (tmp_path / "name.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("writes", "to_read", "told"), [(True, "file", "file"), (False, "file", None), (True, None, None)]
)
def test_a_class_of_the_user_s_has_a_file_that_says_how_it_is_made(tmp_path, writes, to_read, told):
    """What the class reads for each document is told only if the class writes nothing else."""
    schema = Schema(Ref("Model"), (Record("Model", (Field("x", INT),), absent=("x",)),))
    facts = {"class": "Model", "writes": writes, "lacking": schema}
    one = replace(case("any"), user_facts=facts)
    parts = write_module(one, tmp_path, "name", None if to_read is None else Path(to_read))
    assert str(tmp_path / "user_name.pickle") == parts["user"]
    assert {**facts, "lacking": schema.as_data(), "to_read": told} == pickle.loads(
        (tmp_path / "user_name.pickle").read_bytes()
    )
