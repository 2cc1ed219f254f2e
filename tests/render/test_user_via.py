"""A class that is no library's own goes, unchanged, through libraries that take such classes, or the row has the reason."""

from __future__ import annotations

import pytest

import serbench
from serbench.errors import PlanError
from serbench.render.library import libraries
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

    assert {(f"{text}{of}", "ok") for text in texts for of in ("", " (via_several:Second)")} == {
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
        "import dataclasses\n\n@dataclasses.dataclass\nclass Outer:\n    id: int\n    size: int = dataclasses.field(init=False, default=7)\n",
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


def test_the_listed_libraries_are_libraries():
    """So are the kinds that they take."""
    assert {*TAKING, *NEEDING} <= libraries().keys()
    assert {kind for kinds in TAKING.values() for kind in kinds} == set(KINDS)
