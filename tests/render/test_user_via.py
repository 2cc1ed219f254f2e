"""A class goes through other libraries or its package's converter, and several classes are rows of one run."""

from __future__ import annotations

import datetime as dt
import itertools
import textwrap
from pathlib import Path

import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.errors import PlanError
from serbench.measure.plan import datasets
from serbench.render.library import libraries
from serbench.render.user_class.documents import plain_script
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.library import KINDS, NEEDING, TAKING

HEADS = {
    "dataclass": ("from dataclasses import dataclass", "@dataclass\nclass {}:"),
    "attrs": ("import attrs", "@attrs.define\nclass {}:"),
    "typeddict": ("from typing import TypedDict", "class {}(TypedDict):"),
    "namedtuple": ("from typing import NamedTuple", "class {}(NamedTuple):"),
}


def verified(tmp_path, kind, *names):
    """Library → its cell of decoding, of a class of this kind and one inside it."""
    head, class_ = HEADS[kind]
    inner = f"{class_.format('Inner')}\n    price: float\n"
    path = tmp_path / f"via_{kind}.py"
    path.write_text(f"{head}\n\n{inner}\n\n{class_.format('Outer')}\n    id: int\n    inner: list[Inner]\n", "utf-8")
    texts = [f"yours via {name}" for name in names]
    cells = serbench.verify(model=f"{path}:Outer", libraries=texts, formats="json/json", records=3, operations="decode")
    return {cell.library: cell for cell in cells}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dataclass", "attrs", "typeddict"])
def test_a_class_goes_through_libraries_unchanged(tmp_path, kind):
    """Each has a row of its name, proven as every row is."""
    cells = verified(tmp_path, kind, "cattrs", "adaptix", "msgspec")
    assert {f"yours via {name}": "ok" for name in ("cattrs", "adaptix", "msgspec")} == {
        name: cell.status for name, cell in cells.items()
    }


@pytest.mark.slow
def test_a_literal_of_an_enum_holds_its_members(model):
    """A Literal of some members of an enum is these, beside the whole enum: documents have their values."""
    source = """
        class Model(TypedDict):
            some: Literal[Level.LOW]
            every: Level
    """
    names = ["yours", "yours via adaptix", "yours via cattrs", "yours via mashumaro", "msgspec"]
    cells = serbench.verify(model=model(source), libraries=names, formats="json/json", records=3)
    assert {(cell.library, "ok") for cell in cells} == {(cell.library, cell.status) for cell in cells}


@pytest.mark.slow
def test_a_sequence_of_a_typeddict_may_be_a_tuple(model):
    """Where a TypedDict's annotation is Sequence, a library may make a list or a tuple, as in a class with attributes."""
    source = """
        from collections.abc import Sequence
        class Item(TypedDict):
            name: str
        class Model(TypedDict):
            items: Sequence[Item]
    """
    cells = serbench.verify(
        model=model(source), libraries=["yours via adaptix", "yours via cattrs"], formats="json/json", records=3
    )
    assert {"ok"} == {cell.status for cell in cells}


def test_keys_of_field_options_go_through_mashumaro_and_a_codec(model):
    """A dataclass whose keys are read and not written has a row of decoding with every codec that mashumaro goes around."""
    source = """
        from dataclasses import field
        from mashumaro import field_options
        @dataclass
        class Model:
            x: int = field(metadata=field_options(alias="key"))
    """
    cells = serbench.verify(
        model=model(source), libraries="yours via mashumaro", formats="msgspec/json", operations="decode"
    )
    assert {"ok"} == {cell.status for cell in cells}


@pytest.mark.slow
@pytest.mark.parametrize(("key", "names"), [("_id", ["cattrs", "adaptix", "msgspec"]), ("content-type", ["cattrs"])])
def test_keys_of_a_typeddict_may_be_no_names(tmp_path, key, names):
    """They are keys in every library, with nothing renamed; `id` stands beside."""
    path = tmp_path / "via_keys.py"
    path.write_text(
        f'from typing import TypedDict\n\nOuter = TypedDict("Outer", {{"{key}": int, "id": str}})\n', "utf-8"
    )
    texts = [f"yours via {name}" for name in names]
    cells = serbench.verify(model=f"{path}:Outer", libraries=texts, formats="json/json", records=3)
    assert {(cell.library, "ok") for cell in cells} == {(cell.library, cell.status) for cell in cells}


def test_what_does_not_take_it_says_why(tmp_path):
    """It needs a decorator, or takes other kinds of classes."""
    cells = verified(tmp_path, "attrs", "dacite", "pyserde")
    assert {"unsupported"} == {cell.status for cell in cells.values()}
    assert cells["yours via dacite"].reason.startswith("it takes dataclasses, and no attrs classes")
    assert cells["yours via pyserde"].reason.startswith(
        "it needs its decorator, so it does not take the class unchanged"
    )


@pytest.mark.slow
def test_a_named_tuple_stays_an_object(tmp_path):
    """A library that writes an array of it has another document."""
    cells = verified(tmp_path, "namedtuple", "adaptix", "msgspec")
    assert ("ok", "unsupported") == (cells["yours via adaptix"].status, cells["yours via msgspec"].status)
    assert cells["yours via msgspec"].reason.startswith("it writes a NamedTuple as an array")


def test_a_class_of_a_library_goes_through_no_other(tmp_path):
    """One line says so."""
    path = tmp_path / "via_struct.py"
    path.write_text("import msgspec\n\n\nclass Outer(msgspec.Struct):\n    id: int\n", "utf-8")
    with pytest.raises(PlanError, match="Outer is a class of msgspec, which other libraries do not take"):
        serbench.verify(model=f"{path}:Outer", libraries="yours via cattrs")


@pytest.mark.slow
def test_each_of_several_classes_goes_through_a_library(tmp_path):
    """The rows of the further ones are named by class; one that is a library's own has none, and a line says so."""
    path = tmp_path / "via_several.py"
    heads = ["@dataclass\nclass First:", "@dataclass(slots=True)\nclass Second:", "class Third(msgspec.Struct):"]
    classes = "\n\n".join(f"{head}\n    id: int\n    name: str\n" for head in heads)
    path.write_text(f"import msgspec\nfrom dataclasses import dataclass\n\n{classes}", "utf-8")
    models = [f"{path}:{name}" for name in ("First", "Second", "Third")]
    texts, asked = ["yours via cattrs", "yours via msgspec"], {"formats": "json/json", "records": 3}
    cells = serbench.verify(model=models, libraries=texts, operations="decode", **asked)

    assert {(f"{text}{of}", "ok") for text in texts for of in ("", " (Second)")} == {
        (cell.library, cell.status) for cell in cells
    }
    assert 1 == sum("Third is a class of msgspec" in line for line in load_model(locate(models[2])).differences)
    with_own = serbench.verify(model=models[:2], libraries=["yours", "yours via cattrs"], **asked)
    assert 4 == len({cell.library for cell in with_own})


@pytest.mark.parametrize(
    "source",
    [
        "from typing import TypedDict\n\nclass Outer(TypedDict):\n    id: int\n",
        "from typing_extensions import TypedDict\n\nclass Outer(TypedDict, extra_items=int):\n    id: int\n",
        "import dataclasses\n\n@dataclasses.dataclass\nclass Outer:\n    id: int\n    size: int = dataclasses.field(init=False, default_factory=lambda: 7)\n",
    ],
    ids=["a further key", "extra items", "no argument"],
)
def test_each_direction_goes_through_a_library(tmp_path, source):
    """A class that reads another document than it writes is measured by direction there, as beside it."""
    path = tmp_path / "via_directions.py"
    path.write_text(source, "utf-8")
    texts, payload = ["yours", "yours via msgspec"], [{"id": 1, "size": 2}, {"id": 2, "size": 3}]
    cells = serbench.verify(model=f"{path}:Outer", payload=payload, libraries=texts, formats="json/json")

    reads_and_writes = {"decode": "reads", "encode": "writes"}
    assert 4 == len(cells)
    assert all(cell.workload.endswith(f"({reads_and_writes[cell.operation]})") for cell in cells)
    through = {cell.operation: cell.status for cell in cells if cell.library == "yours via msgspec"}
    assert {"decode": "ok", "encode": "ok"} == through


TRIED = {
    "a union that keys tell apart": (
        "@dataclass\nclass A:\n    x: int\n@dataclass\nclass B:\n    y: int\n@dataclass\nclass Model:\n    held: list[A | B]\n",
        "cattrs",
    ),
    "a set of records": (
        "@dataclass(frozen=True)\nclass A:\n    x: int\n@dataclass\nclass Model:\n    held: frozenset[A]\n",
        "msgspec",
    ),
    "a default of a type variable": (
        """
        import typing, typing_extensions
        T = typing_extensions.TypeVar("T", default=int)
        @dataclass
        class Model(typing.Generic[T]):
            x: T
        """,
        "mashumaro",
    ),
    "literals of booleans and of mixed constants": (
        '@dataclass\nclass Model:\n    on: Literal[True]\n    mode: list[str | Literal["auto", False, 1, None]]\n',
        "cattrs",
    ),
    "maps of moments": (
        "@dataclass\nclass Model:\n    watts: dict[datetime, int]\n    names: dict[date, str]\n",
        "pydantic",
    ),
    "a sequence of any class": (
        "from collections.abc import Sequence\n@dataclass\nclass Model:\n    ports: Sequence[int] | None\n",
        "cattrs",
    ),
    "an alias in the metadata": (
        """
        import dataclasses
        from mashumaro import DataClassDictMixin, field_options
        @dataclass
        class Model(DataClassDictMixin):
            sea_ports: list[int] = dataclasses.field(metadata=field_options(alias="seaPorts"))
            class Config:
                serialize_by_alias = True
        """,
        "pydantic",
    ),
    "a type that its conversion knows": (
        """
        import dataclasses
        from mashumaro import DataClassDictMixin, field_options
        class Flag:
            def __init__(self, text):
                self.text = text
            def __str__(self):
                return self.text
        @dataclass
        class Model(DataClassDictMixin):
            flag: Flag = dataclasses.field(metadata=field_options(serialize=str, deserialize=Flag))
        """,
        "mashumaro",
    ),
    "keys that are numbers or a constant": (
        '@dataclass\nclass Model:\n    nodes: dict[int | Literal["123"], str]\n',
        "msgspec",
    ),
}


@pytest.mark.parametrize("what", TRIED)
def test_a_library_is_tried_with_what_it_round_trips_plainly(what, model):
    """What a library reads and writes in a plain script has a row, whatever is refused for models that serbench writes."""
    source, library = TRIED[what]
    cells = serbench.verify(model=model(source), records=5, libraries=f"yours via {library}", formats="json/json")
    assert {("ok", None)} == {(cell.status, cell.reason) for cell in cells}


def test_the_listed_libraries_are_libraries():
    """So are the kinds that they take."""
    assert {*TAKING, *NEEDING} <= libraries().keys()
    assert {kind for kinds in TAKING.values() for kind in kinds} == set(KINDS)


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
    script = plain_script(load_model(locate(model)), "")

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
        "import cattrs\nother_converter = cattrs.Converter()\nown_converter = cattrs.Converter()",
        "in a form that its package never writes",
    ),
    "a type is missing": ("import cattrs\nconverter = cattrs.Converter()", "StructureHandlerNotFoundError"),
    "no import": ("import cattrs\nconverter = cattrs.Nothing()", "cannot be imported: AttributeError"),
    "something else": (
        "import cattrs\ndef get_converter():\n    return 1",
        "makes a int, which is not a cattrs converter",
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


def test_the_usual_one_of_several_converters(package):
    """Of several converters in one place the one called the default is used, and a line names the others."""
    converters = "import cattrs\ndefault_converter = cattrs.Converter()\nstrict_converter = cattrs.Converter()"
    name = package(models="import attrs\n@attrs.define\nclass Page:\n    x: int\n", converters=converters)
    cells = serbench.verify(model=f"{name}.models:Page", records=2, libraries="yours", formats="json/json")
    (line,) = load_model(locate(f"{name}.models:Page")).differences

    assert line.startswith(f"{name}.converters.default_converter is used, and none of the other")
    assert line.endswith(f": {name}.converters.strict_converter")
    assert {(f"{name}.converters.default_converter", "ok")} == {(cell.variant, cell.status) for cell in cells}


def test_a_converter_that_the_user_names(package):
    """It is used whatever it is called, and one that cannot be used is refused."""
    name = package(models=MODELS, converters=f"{CONVERTERS}\n    _mine = get_converter()\n    other = 1\n")
    model = f"{name}.models:Page@{name}.converters"
    cells = serbench.verify(model=f"{model}._mine", records=2, libraries="yours", formats="json/json")

    assert {(f"{name}.converters._mine", "ok")} == {(cell.variant, cell.status) for cell in cells}
    assert f"{locate(f'{model}._mine')}" == load_model(locate(f"{model}._mine")).located
    for called, why in (("other", "makes a int"), ("none", "has no attribute 'none'")):
        with pytest.raises(PlanError, match=f"{name}.converters.{called} cannot convert it: .*{why}"):
            load_model(locate(f"{model}.{called}"))
    source = "import typing\nclass Page(typing.TypedDict):\n    x: int\n"
    with pytest.raises(PlanError, match="cattrs converts dataclasses and attrs classes; omit it"):
        load_model(locate(f"{package(models=source)}.models:Page@{name}.converters._mine"))


def test_an_enum_through_dacite(model):
    """A class with an enum of texts and integers goes through dacite as it is."""
    text = model('class Mixed(enum.Enum):\n    ONE = 1\n    TWO = "two"\n@dataclass\nclass Model:\n    mixed: Mixed\n')
    cells = serbench.verify(model=text, libraries="yours via dacite", formats="msgspec/json", records=2)
    assert {("ok", None)} == {(cell.status, cell.reason) for cell in cells}


def test_a_converter_of_an_older_cattrs(package):
    """A converter is used although it cannot say beforehand which hooks it has, as those of cattrs 23."""
    old = """
        import cattrs
        class Old(cattrs.Converter):
            get_structure_hook = property(lambda self: self.__getattr__("get_structure_hook"))
        converter = Old()
    """
    name = package(models="import attrs\n@attrs.define\nclass Page:\n    x: int\n", converters=old)
    load_model(locate(f"{name}.models:Page@{name}.converters.converter"))


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: (folder / ".#models.py").symlink_to("nobody@nowhere.1"),  # the lock of an editor
        lambda folder: (folder / "gone.py").symlink_to("gone.txt"),
        lambda folder: (folder / "folder.py").mkdir(),
        lambda folder: (folder / "my-own.py").write_text("import cattrs\nconverter = cattrs.Converter()"),
    ],
    ids=["lock", "link", "folder", "no name"],
)
def test_what_is_no_module_beside_a_class_offers_no_converter(make, package):
    """What cannot be read, or be named in an import, is passed over."""
    name = package(models="import attrs\n@attrs.define\nclass Page:\n    x: int\n")
    make(Path(name))
    user_class = load_model(locate(f"{name}.models:Page"))
    assert (None, ()) == (user_class.conversion, tuple(user_class.differences))


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


MINE = "from dataclasses import dataclass\n\n@dataclass\nclass Order:\n    id: int\n    name: str\n"
CHANGED = MINE.replace("@dataclass", "@dataclass(slots=True, frozen=True)")
PICKY = (
    MINE
    + "    def __post_init__(self):\n        if not 0 <= self.id < 50:\n            raise ValueError('id must be in 0 to 49')\n"
)
WIDER = MINE + "    owner: int\n"
BYTES = MINE.replace("name: str", "name: bytes")
WRITES_MORE = MINE + "    note: str = ''\n"


@pytest.fixture
def both(tmp_path):
    """A function that verifies a class and another of the same module's name; what is told, and the statuses by row."""

    def verified(*sources):
        paths = [tmp_path / str(number) / "orders.py" for number in range(len(sources))]
        for path, source in zip(paths, sources, strict=True):
            path.parent.mkdir()
            path.write_text(source, encoding="utf-8")
        models = [f"{path}:Order" for path in paths]
        cells = serbench.verify(model=models, libraries="yours", formats="json/json", records=20, operations="decode")
        told = load_model(locate(models[0])).differences
        return told, {cell.library: cell.status for cell in cells}

    return verified


@pytest.mark.parametrize("sources", [(MINE, CHANGED), (MINE, PICKY), (PICKY, MINE, CHANGED)])
def test_documents_are_those_that_all_classes_take(both, sources):
    """What one class refuses is drawn anew; modules of one name are told apart by their folders."""
    told, statuses = both(*sources)
    assert [] == told
    assert {"ok"} == set(statuses.values())
    names = {f"yours (dataclass, {number}/orders:Order)" for number in range(1, len(sources))}
    assert {"yours (dataclass)"} | names == set(statuses)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (WIDER, "Order.owner: the schema requires this key, but the document lacks it"),
        (BYTES, "Order.name: the schema requires bytes, but the document has the text "),
        (WRITES_MORE, 'it reads another document: [0].note is added, as ""'),
    ],
)
def test_a_class_that_takes_no_common_document_is_named_with_the_field(both, source, reason):
    """One line says so, and the first class is measured all the same."""
    told, statuses = both(MINE, source)
    assert told[0].startswith(
        f"no document suits all classes: 1/orders:Order refuses what 0/orders:Order accepts: {reason}"
    )
    assert "ok" == statuses["yours (dataclass)"]
