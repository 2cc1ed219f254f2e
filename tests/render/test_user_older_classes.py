"""Models of pydantic 1 and serializers of Django REST framework as the user's own class."""

from __future__ import annotations

import json
import sys

import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.measure.plan import datasets
from serbench.model.records import Enum, Field
from serbench.model.scalars import DECIMAL, STR
from serbench.render.user_class.find import load_model, locate

PYDANTIC1 = """
    from typing import List
    from pydantic.v1 import BaseModel, Field, conlist, constr, root_validator, validator
    class Model(BaseModel):
        age: int = Field(ge=18)
        zip_code: str = Field("-", alias="zip")
        codes: conlist(int, max_items=9)
        short: constr(max_length=9)
        email: str | None
        children: List["Model"]
        @validator("age", "email")
        def good(cls, value):
            return value
        @root_validator
        def whole(cls, values):
            return values
    """
FIELD = "from rest_framework import serializers\nclass Row(serializers.Serializer):\n    x = serializers.{}\n"
needs_django = pytest.mark.usefixtures("rest_framework")


@pytest.fixture
def rest_framework():
    """Django REST framework, or the reason why a test cannot be."""
    return pytest.importorskip("rest_framework", reason="djangorestframework is not installed (the extra libraries)")


def test_the_configuration_of_a_model_of_pydantic_1(model):
    """Its alias generator, its encoders, enums held as values and examples are respected."""
    source = """
        from pydantic.v1 import BaseModel
        class Model(BaseModel):
            price: Decimal
            level: Level
            class Config:
                alias_generator = str.upper
                use_enum_values = True
                json_encoders = {Decimal: lambda value: f"{value:f}"}
                schema_extra = {"example": {"PRICE": "1.20", "LEVEL": "low"}}
        """
    text = model(source)
    fields = load_model(locate(text)).parsed.schema.record("Model").fields
    cells = serbench.verify(model=text, libraries="msgspec", formats=("json/json", "orjson/json", "pickle"))
    own = {(c.codec, c.status, c.reason) for c in cells if c.library == "yours (pydantic1)"}

    assert fields == (Field("price", DECIMAL, "PRICE"), Field("level", STR, "LEVEL"))
    assert {(codec, "ok", None) for codec in ("json", "orjson", "pickle")} == own
    assert {"ok"} == {cell.status for cell in cells}


def test_one_object_of_pydantic_1(model, tmp_path):
    """One object is written with the model's own `json`, whose encoders the class may have."""
    source = """
        from pydantic.v1 import BaseModel
        class Model(BaseModel):
            price: Decimal
            class Config:
                json_encoders = {Decimal: str}
        """
    path = tmp_path / "data.json"
    path.write_text('{"price": "1.20"}', encoding="utf-8")
    cells = serbench.verify(model=model(source), payload=path, libraries="msgspec", formats="json/json")

    assert {("msgspec", "ok"), ("yours (pydantic1)", "ok")} == {(c.library, c.status) for c in cells}


@needs_django
def test_a_serializer_and_a_payload(model, tmp_path):
    """A serializer is measured with a payload, and one that refuses a null says so."""
    field = 'CharField(required=False, source="text")\n    y = serializers.IntegerField()'
    text = model(FIELD.format(field), "Row")
    path = tmp_path / "data.json"
    found = {}
    for name, document in (("there", [{"x": "a", "y": 1}]), ("absent", {"y": 1})):
        path.write_text(json.dumps(document), encoding="utf-8")
        cells = serbench.verify(model=text, payload=path, libraries="msgspec", formats="orjson")
        found[name] = {cell.library: (cell.status, cell.reason) for cell in cells}

    assert {"msgspec": ("ok", None), "yours (djangorestframework)": ("ok", None)} == found["there"]
    status, reason = found["absent"]["yours (djangorestframework)"]
    assert "failed" == status
    assert "This field may not be null." in reason
    assert ("ok", None) == found["absent"]["msgspec"]


def test_values_of_a_generator_for_pydantic_1(model):
    """Where polyfactory is installed, made values are within the limits of a model of pydantic 1."""
    pytest.importorskip("polyfactory")
    text = model(PYDANTIC1.replace("ge=18", "ge=18, le=20").replace("max_items=9", "max_items=9, min_items=1"))
    (data,) = datasets(make_plan(model=text, records=9))

    assert {record["age"] for record in data.value} <= {18, 19, 20}
    assert all(1 <= len(record["codes"]) <= 9 for record in data.value)


def test_constants_are_drawn(model, monkeypatch):
    """Without a generator, values of a field with constants are of these, and the others' models have a text there."""
    source = """
        @dataclass
        class Model:
            mode: Literal["fast", "slow"]
        """
    monkeypatch.setitem(sys.modules, "polyfactory.factories", None)
    (data,) = datasets(make_plan(model=model(source), records=20))

    assert {"fast", "slow"} == {record["mode"] for record in data.value}
    assert not any(isinstance(type_, Enum) for type_ in data.schema.types())


@pytest.fixture
def unconfigured_django():
    """Django as a new process has it; afterwards it is as it was, for the tests that come later."""
    from django.conf import empty, settings
    from django.utils import timezone

    before = settings._wrapped
    settings._wrapped = empty
    timezone.get_default_timezone.cache_clear()
    yield
    settings._wrapped = before
    timezone.get_default_timezone.cache_clear()


@pytest.mark.slow
@needs_django
@pytest.mark.usefixtures("unconfigured_django")
def test_a_project_in_another_time_zone(model):
    """A serializer whose project has a time zone of its own gives datetimes in UTC, as all others do."""
    source = """
        from django.conf import settings
        if not settings.configured:
            settings.configure(TIME_ZONE="Asia/Tokyo")
        from rest_framework import serializers
        class Model(serializers.Serializer):
            at = serializers.DateTimeField()
        """
    cells = serbench.verify(model=model(source), records=3, libraries="msgspec", formats="json/json")

    assert {("msgspec", "ok"), ("yours (djangorestframework)", "ok")} == {(c.library, c.status) for c in cells}
