"""A class that its own package converts with a converter of cattrs is measured by that."""

from __future__ import annotations

import datetime as dt
import itertools
import textwrap

import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.measure.plan import datasets
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.script import plain_script

_numbers = itertools.count()
MODELS = """
    import attrs
    @attrs.define
    class Note:
        text_body: str
    @attrs.define
    class Mark:
        line_no: int
    @attrs.define
    class Page:
        page_no: int
        held: Note | Mark
        more_notes: list[Note] | None = None
    """
CONVERTERS = """
    import cattrs
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
    from .models import Mark, Note, Page
    def get_converter(converter=None):
        made = converter or cattrs.Converter()
        for class_, names in ((Note, ["text_body"]), (Mark, ["line_no"]), (Page, ["page_no", "more_notes"])):
            renamed = {one: override(rename=one.title().replace("_", ""), omit_if_default=True) for one in names}
            made.register_structure_hook(class_, make_dict_structure_fn(class_, made, **renamed))
            made.register_unstructure_hook(class_, make_dict_unstructure_fn(class_, made, **renamed))
        made.register_structure_hook(
            Note | Mark, lambda given, _: made.structure(given, Note if "TextBody" in given else Mark)
        )
        return made
    """


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes a package of these modules; gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(**modules: str) -> str:
        folder = tmp_path / f"package_{next(_numbers)}"
        folder.mkdir()
        for name, text in {"__init__": "", **modules}.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return folder.name

    return write


@pytest.mark.slow
def test_a_converter_of_its_package(package):
    """The keys of the document are those that it writes, each row names it, and the plain script uses it."""
    name = package(models=MODELS, converters=CONVERTERS, others="raise RuntimeError('converter = of no one')")
    model = f"{name}.models:Page"
    (found,) = datasets(make_plan(model=model, records=20))
    cells = serbench.verify(model=model, records=5, libraries="msgspec", formats="json/json,orjson/json,pickle")
    own = [cell for cell in cells if cell.library.startswith("yours")]
    script = plain_script(load_model(locate(model)))

    assert {"PageNo", "held", "MoreNotes"} == set(found.value[0])
    assert {key for page in found.value for key, item in page["held"].items() if item is not None} == {
        "TextBody",
        "LineNo",
    }
    by = {(cell.codec, cell.status, cell.variant) for cell in own}
    assert by == {
        *((codec, "ok", f"{name}.converters.get_converter()") for codec in ("json", "orjson")),
        ("pickle", "ok", "default"),
    }
    assert all(cell.work_class.endswith("absent left out") for cell in own if cell.format == "json")
    assert script is not None
    assert (
        "converter = get_converter()\nread = lambda text: converter.structure(json.loads(text), list[Page])" in script
    )


def test_a_payload_that_only_its_converter_reads(package):
    """A document is read with the converter; what it lacks is not null for it."""
    model = f"{package(models=MODELS, converters=CONVERTERS)}.models:Page"
    payload = [{"PageNo": 1, "held": {"TextBody": "a"}}, {"PageNo": 2, "held": {"LineNo": 4}, "MoreNotes": []}]
    cells = serbench.verify(model=model, payload=payload, libraries="msgspec", formats="json/json")

    assert {"ok"} == {c.status for c in cells if c.library.startswith("yours")}


UNFIT = {
    "several": (
        "import cattrs\nconverter = cattrs.Converter()\nown_converter = cattrs.Converter()",
        "several converters",
    ),
    "a type is missing": ("import cattrs\nconverter = cattrs.Converter()", "StructureHandlerNotFoundError"),
    "no import": ("import cattrs\nconverter = cattrs.Nothing()", "cannot be imported: AttributeError"),
    "something else": (
        "import cattrs\ndef get_converter():\n    return 1",
        "makes a int, which is no converter of cattrs",
    ),
}


@pytest.mark.parametrize("why", UNFIT)
def test_a_converter_that_does_not_fit(why, package):
    """A line says why a converter is not used, and the class is measured without it."""
    source, said = UNFIT[why]
    models = "import attrs, datetime\n@attrs.define\nclass Page:\n    at: datetime.datetime\n"
    model = f"{package(models=models, converters=source)}.models:Page"
    cells = serbench.verify(model=model, records=2, libraries="msgspec", formats="json/json")
    (line,) = load_model(locate(model)).differences

    assert said in line
    assert {("default", "ok")} == {(c.variant, c.status) for c in cells if c.library.startswith("yours")}


@pytest.mark.slow
def test_the_nearest_converter(package):
    """The converter of the class's own module comes before those beside it; documents of its fields keep their types."""
    models = """
        import datetime
        from dataclasses import dataclass
        from cattrs.preconf.json import make_converter
        CONVERTER = make_converter()
        @dataclass
        class Page:
            at: datetime.datetime
        """
    name = package(models=models, converters="import cattrs\nconverter = cattrs.Converter()")
    (found,) = datasets(make_plan(model=f"{name}.models:Page", records=2))
    cells = serbench.verify(model=f"{name}.models:Page", records=2, libraries="msgspec", formats="json/json")

    assert isinstance(found.value[0]["at"], dt.datetime)
    assert (f"{name}.models.CONVERTER", "ok") in {(c.variant, c.status) for c in cells}
