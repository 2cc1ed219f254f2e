"""A class that refuses all that serbench gives it: the line blames JSON where JSON is to blame, and advises what can help."""

from __future__ import annotations

import json

import pytest

from serbench.api.calling import make_plan
from serbench.errors import PlanError, WorkloadError
from serbench.measure.plan import datasets

FUNCTION = """
    from typing import Callable
    class Model(pydantic.BaseModel):
        name: str
        hook: Callable[[int], int]
    """
OBJECT = """
    class Handle:
        pass
    class Model(pydantic.BaseModel, arbitrary_types_allowed=True):
        handle: Handle
    """
CLASS = """
    class Handle:
        pass
    class Model(pydantic.BaseModel):
        kind: type[Handle]
    """
FUNCTION_OF_PYDANTIC_1 = """
    from typing import Callable
    from pydantic.v1 import BaseModel
    class Model(BaseModel):
        hook: Callable[[int], int]
    """
FUNCTION_OF_ATTRS = """
    from typing import Callable
    @attrs.define
    class Model:
        hook: Callable = attrs.field(validator=attrs.validators.is_callable())
    """
OBJECT_OF_ATTRS = """
    class Handle:
        pass
    @attrs.define
    class Model:
        name: str
        handle: Handle = attrs.field(validator=attrs.validators.instance_of(Handle))
    """


@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        (FUNCTION, "Model.hook: Input should be callable"),
        (OBJECT, "Model.handle: Cannot check `isinstance`"),
        (CLASS, "Model.kind: Cannot check `issubclass`"),
        (FUNCTION_OF_PYDANTIC_1, "Model.hook: .* is not callable"),
        (FUNCTION_OF_ATTRS, "Model: NotCallableError: 'hook' must be callable"),
        (OBJECT_OF_ATTRS, r"Model: TypeError: 'handle' must be <class '[\w.]+Handle'> [^,;]*$"),
    ],
)
def test_what_no_json_holds_is_no_matter_of_a_payload(source, refusal, model):
    """A class that asks for a function, a class or an object cannot be read from JSON; nothing is advised."""
    name = model(source)
    with pytest.raises(
        PlanError, match=f"^{name} cannot be read from JSON, which has no such value: {refusal}"
    ) as found:
        next(datasets(make_plan(model=name)))
    assert "give a payload" not in str(found.value)


def test_a_text_may_stand_in_place_of_a_function(model):
    """Where the class takes a text, too, a payload may help."""
    source = """
        from typing import Callable
        class Model(pydantic.BaseModel):
            hook: Callable[[int], int] | Annotated[str, pydantic.AfterValidator(int)]
        """
    with pytest.raises(PlanError, match="give a payload: `serbench show"):
        next(datasets(make_plan(model=model(source))))


OF_OTHER_KEYS = """
    @dataclass
    class Model:
        name: str
        @classmethod
        def from_dict(cls, given):
            return cls({"x": 5}[given["the-name"]])
        def to_dict(self):
            return {"name": self.name}
    """


def test_an_example_of_its_fields_is_not_advised_to_a_class_that_reads_other_keys(model):
    """What `show --as example` writes has the names of the fields, and a class with a conversion of its own may read others."""
    with pytest.raises(PlanError, match=r"KeyError: 'the-name'; give a payload, as its package writes it$"):
        next(datasets(make_plan(model=model(OF_OTHER_KEYS))))


OF_DATETIMES = """
    @dataclass
    class Model:
        name: str
        parts: list[dict[str, datetime]]
        @classmethod
        def from_dict(cls, given):
            for at in (at for part in given["parts"] for at in part.values()):
                if not isinstance(at, datetime):
                    raise TypeError(f"expected a datetime, not {type(at).__name__}")
            return cls(**given)
        def to_dict(self):
            return vars(self)
    """
ONE_DATETIME = """
    @dataclass
    class Model:
        at: datetime
        @classmethod
        def from_dict(cls, given):
            if not isinstance(given["at"], datetime):
                raise TypeError("expected a datetime, not str")
            return cls(given["at"])
        def to_dict(self):
            return vars(self)
    """
OF_ANOTHER_KEY = """
    @dataclass
    class Model:
        end: date
        @classmethod
        def from_dict(cls, given):
            if not isinstance(given["the-end"], date):
                raise TypeError("expected a date, not str")
            return cls(given["the-end"])
        def to_dict(self):
            return {"the-end": self.end}
    """
OF_PYDANTIC = """
    class Model(pydantic.BaseModel, extra="allow"):
        at: datetime
        @pydantic.field_validator("at", mode="before")
        @classmethod
        def whole(cls, at):
            if not isinstance(at, datetime):
                raise ValueError("expected a datetime, not str")
            return at
    """
AT = "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    ("source", "document", "line"),
    [
        (OF_DATETIMES, {"name": "a", "parts": [{"at": AT}]}, f'JSON has "{AT}" for parts[0].at, a datetime'),
        (ONE_DATETIME, None, 'JSON has "'),
        (OF_ANOTHER_KEY, {"the-end": "2026-01-02"}, 'JSON has "2026-01-02" for the-end, a date'),
        (OF_PYDANTIC, {"at": AT, "further": 1}, f'JSON has "{AT}" for at, a datetime'),
        (OF_PYDANTIC, None, 'JSON has "'),
    ],
)
def test_a_class_that_takes_only_a_datetime_is_not_blamed_for_the_text_of_it(source, document, line, model, tmp_path):
    """Serbench gives a class what JSON has: the line says so, with the place, and what to do instead."""
    payload = tmp_path / "given.json"
    payload.write_text(json.dumps(document))
    given = {} if document is None else {"payload": payload}
    with pytest.raises((PlanError, WorkloadError)) as found:
        next(datasets(make_plan(model=model(source), **given)))
    refusal, _, more = str(found.value).partition(", not str; ")
    assert "expected a date" in refusal
    assert more.startswith(line)
    assert more.endswith(
        ", which the class takes only as such; compare functions that call it, with `serbench compare`"
    )


def test_a_class_that_refuses_the_datetime_too_is_told_nothing_of_json(model, tmp_path):
    """The refusal has another reason then."""
    payload = tmp_path / "given.json"
    payload.write_text(json.dumps({"the-end": "2026-01-02", "name": "a"}))
    with pytest.raises(WorkloadError, match=r"the class refuses it: Model: KeyError: 'the-name'$"):
        next(datasets(make_plan(model=model(OF_OTHER_KEYS), payload=payload)))
