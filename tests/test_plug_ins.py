"""A wrong library, format, codec or workload is refused in one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest
from feature_schemas import EXAMPLES

from serbench.errors import PlugInError
from serbench.model.data.dataset import generate, get
from serbench.model.plug_ins import plug_in, plug_ins
from serbench.model.records import FEATURES, Enum, Field, Record, Ref, Schema
from serbench.model.scalars import FLOAT, SCALAR_KINDS
from serbench.render.case import lay_out, render
from serbench.render.codec import Loss, codecs, formats
from serbench.render.library import Library, Rendered, libraries, models

MSGSPEC = libraries()["msgspec"]
ORJSON = next(codec for codec in codecs() if codec.name == "orjson")
JSON = formats()["json"]
SCHEMA = generate("client", records=2).schema
PAGE = "no (https://example.org)"


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"name": "all"}, "name cannot be 'all'; write it like 'msgspec'"),
        ({"name": "Msg Spec"}, "name cannot be 'Msg Spec'"),
        ({"docs": "msgspec.com"}, "docs cannot be 'msgspec.com'"),
        ({"summary": None}, "summary cannot be None"),
        ({"model": "strukt"}, "unknown model 'strukt': did you mean struct?"),
        ({"lacks": {"recursive": PAGE}}, "unknown feature in lacks 'recursive': did you mean recursion?"),
        ({"lacks": {"recursion": "no"}}, "lacks['recursion'] has no link"),
        ({"lacks": ("recursion",)}, """lacks cannot be ('recursion',); write lacks={"…": "…"}"""),
        ({"text": {"datetme": PAGE}}, "unknown kind in text 'datetme': did you mean datetime?"),
        ({"cannot": {"decod": PAGE}}, "unknown operation in cannot 'decod': did you mean decode?"),
        ({"variants": {"gc=False": "see the manual"}, "omits": {}}, "variants['gc=False'] has no link"),
        ({"variants": {"default": "https://example.org"}, "omits": {}}, "variants cannot have 'default'"),
        ({"omits": {"gc": "absent left out"}}, "unknown variant in omits 'gc': known are default, gc=False"),
        ({"omits": {"gc=False": "nulls"}}, "unknown word in omits 'nulls': known are absent left out"),
        (
            {"unknown_keys": {"lost": "gc=False"}},
            "unknown word in unknown_keys 'lost': known are refused, kept, dropped",
        ),
        ({"unknown_keys": {"refused": "gc"}}, "unknown variant in unknown_keys 'gc': "),
        ({"pins": ("msgspec>=0.20",)}, "pins cannot be 'msgspec>=0.20'; write it like 'msgspec==0.22.0'"),
        ({"pins": "msgspec==0.22.0"}, """pins cannot be 'msgspec==0.22.0'; write pins=(…,)"""),
        ({"pins": (), "core": False}, "pins are empty: name the exact version, such as msgspec==1.0"),
        ({"unchecked": ("no any return",)}, "unchecked cannot be 'no any return'"),
        ({"versions": "2"}, "versions cannot be '2'; write it like '>=2,<3'"),
        ({"python": "py39"}, "python cannot be 'py39'; write it like '3.9'"),
        ({"reviewed": "Jane Doe"}, "reviewed cannot be 'Jane Doe'; write it like 'Jane Doe, 1.2, 2026-01-31'"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_library_is_refused(wrong, line):
    """It is refused where it is made."""
    with pytest.raises(PlugInError, match="^" + re.escape(line)):
        replace(MSGSPEC, **wrong)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"name": "or json"}, "the name of a codec cannot be 'or json'"),
        ({"docs": ""}, "docs of orjson cannot be ''"),
        ({"dumps": "orjson.dumps()"}, "dumps of orjson is 'orjson.dumps()': write {} where the value stands"),
        ({"loads": ""}, "orjson has no loads: write the call, or why it has none in cannot['decode']"),
        ({"encodes": {"uuid"}}, """encodes cannot be {'uuid'}; write encodes=frozenset({"…"})"""),
        (
            {"encodes": frozenset({"datetimes"})},
            "unknown kind in encodes of orjson 'datetimes': did you mean datetime?",
        ),
        ({"decodes": frozenset({"bytes"})}, "decodes of orjson has 'bytes', which encodes lacks"),
        (
            {"takes": frozenset({"dataclasses"})},
            "unknown model in takes of orjson 'dataclasses': did you mean dataclass?",
        ),
        ({"refuses": frozenset({"byte"})}, "unknown kind in refuses of orjson 'byte': did you mean bytes?"),
        ({"exact": frozenset({"tuple"})}, "unknown class in exact of orjson 'tuple'"),
        ({"stream": "line"}, "stream of orjson is 'line': write lines, lengths, or a call with {}"),
        ({"cannot": {"enc": PAGE}}, "unknown operation in cannot of orjson 'enc'"),
        ({"lacks": {"floats": PAGE}}, "unknown feature in lacks of orjson 'floats': did you mean float?"),
        ({"lacks": {"float": "no"}}, "lacks of orjson['float'] has no link"),
        ({"spoils": {"x": "no"}}, "spoils of orjson['x'] has no link"),
        (
            {"built_on": "pydantics"},
            "unknown reader or codec in built_on of orjson 'pydantics': did you mean pydantic?",
        ),
        ({"limits": {"lacks": PAGE}}, f"limits cannot be {{'lacks': {PAGE!r}}}; write limits=Limits(…)"),
        ({"distribution": None}, "orjson imports orjson, which is not part of Python: name its distribution"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_codec_is_refused(wrong, line):
    """It is refused where its format is made."""
    with pytest.raises(PlugInError, match="^" + re.escape(line)):
        replace(JSON, codecs=(ORJSON.changed(**wrong),))


def test_a_wrong_loss_is_refused():
    """A kind that there is not, and what no value becomes, are refused."""
    with pytest.raises(PlugInError, match="unknown becomes of a Loss 'millisecond': did you mean milliseconds"):
        Loss("millisecond", "microseconds", "https://example.org")
    loses = {"datetimes": Loss("milliseconds", "microseconds", "https://example.org")}
    with pytest.raises(PlugInError, match="unknown kind in loses of orjson 'datetimes': did you mean datetime"):
        replace(JSON, codecs=(ORJSON.changed(loses=loses),))


def test_a_wrong_format_is_refused():
    """Two codecs of one name, and bytes that nothing else reads, are refused."""
    with pytest.raises(PlugInError, match="json has two codecs called 'orjson': choose another name"):
        replace(JSON, codecs=(ORJSON, ORJSON))
    with pytest.raises(PlugInError, match="json has no readers: add one"):
        replace(JSON, readers={}, codecs=(ORJSON.changed(built_on=""),))


def test_a_wrong_workload_is_refused():
    """Types that are no records, a record that is not among them, and no records at all are refused."""
    known = get("client-rich")
    with pytest.raises(PlugInError, match=r"types holds records only; Enum.* is the type of a field"):
        replace(known, types=(*known.types, Enum("Level", (("LOW", 1),))))
    with pytest.raises(PlugInError, match="records=0 and depth=2 must both be at least 1"):
        replace(known, records=0)
    with pytest.raises(Exception, match="Clientt"):
        replace(known, item=Ref("Clientt"))


FILE = """
from __future__ import annotations
from serbench.render.library import Library

def render(schema, codec, variant):
    return None

{} = Library(name={!r}, summary="s", docs="https://example.org", render=render{})
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes files of a package of libraries; gives the package's name."""
    folder = tmp_path / "serbench" / "render" / "libraries"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "serbench" / "render")
    monkeypatch.delitem(sys.modules, "libraries", raising=False)

    def write(**files: str) -> str:
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return "libraries"

    yield write
    for name in [name for name in sys.modules if name.partition(".")[0] == "libraries"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            FILE.format("LIBRARY", "one", ", model='clas'"),
            "serbench/render/libraries/one.py, line 8: unknown model 'clas': did",
        ),
        (FILE.format("LIBRARY", "one", ", moddel='class'"), "serbench/render/libraries/one.py, line 8: TypeError: "),
        (FILE.format("LIB", "one", ""), "libraries/one.py: it needs the constant LIBRARY = Library(…)"),
        ("import serbench.nothing\n", "serbench/render/libraries/one.py, line 1: ModuleNotFoundError: No module named"),
        ("x = 1\ndef render(schema)\n", "serbench/render/libraries/one.py, line 2: SyntaxError: expected ':'"),
    ],
    ids=["word", "field", "constant", "import", "syntax"],
)
def test_a_wrong_file_is_named_with_its_line(text, line, package):
    """The line begins with the file and the number of the line in it."""
    with pytest.raises(PlugInError, match="^" + re.escape(line)):
        plug_in(package(one=text), "one", "LIBRARY", Library)


def test_two_files_of_one_name_are_refused(package):
    """The line names both files."""
    files = {file: FILE.format("LIBRARY", "same", "") for file in ("one", "two")}
    with pytest.raises(
        PlugInError, match=r"libraries/two\.py: its name 'same' is that of libraries/one\.py; choose another"
    ):
        plug_ins(package(**files), "LIBRARY", Library)


def rendered(change) -> Library:
    """A library whose `render` does this with its module."""

    def render(schema, codec, variant):
        m = models(schema, codec)
        return change(m)

    return Library(name="wrong", summary="s", docs="https://example.org", model="wrong", render=render)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda m: m.missing("x"),
            "wrong with orjson (json): AttributeError: 'Models' object has no attribute 'missing'",
        ),
        (lambda m: m, "wrong with orjson (json): `render` must return a Rendered, not Models"),
        (
            lambda m: Rendered(m, dump="dump()"),
            "wrong with orjson (json): dump is 'dump()': write {} where the value stands",
        ),
        (
            lambda m: Rendered(m, decode="f()"),
            "wrong with orjson (json): decode is 'f()': write blob where the value stands",
        ),
    ],
    ids=["exception", "no result", "no value", "no blob"],
)
def test_a_render_that_fails_is_named(change, line):
    """The line names the case; if it was a library's file, also that and the line in it."""
    with pytest.raises(PlugInError, match="^" + re.escape(line)):
        render(rendered(change), "default", ORJSON, SCHEMA)


def test_a_template_that_is_no_python_is_named():
    """The line has the case, what the parser says, and the text where it says so."""

    def change(m):
        m.add("x = = 1")
        return Rendered(m, load="m({})")

    with pytest.raises(
        PlugInError, match=r"^wrong with orjson \(json\): the rendered module is not Python: .*, in 'x = = 1'; correct"
    ):
        lay_out([render(rendered(change), "default", ORJSON, SCHEMA)])


def test_a_template_is_wrong_where_names_clash():
    """So it has if the names of the data are those of the code, for which the module is read before it is laid out."""
    clashing = Record("R", (Field("x", FLOAT), Field("len", FLOAT)))

    def change(m):
        m.add("y = len([)")
        return Rendered(m, load="m({})")

    with pytest.raises(PlugInError, match=r"the rendered module is not Python: .*, in 'y = len\(\[\)'; correct"):
        render(rendered(change), "default", ORJSON, Schema(Ref("R"), (clashing,)))


def test_a_value_that_fails_is_named(monkeypatch):
    """An error in a workload's `value` is one line."""
    broken = replace(get("tiny"), value=lambda _random, number, _depth: 1 / (number - number))
    monkeypatch.setattr("serbench.model.data.dataset.get", lambda _: broken)
    with pytest.raises(PlugInError, match=r"^tiny: ZeroDivisionError: division by zero"):
        generate("tiny", records=1)


def test_the_command_line_prints_one_line(refused, monkeypatch):
    """Nothing else is printed, and the exit code is 2."""
    monkeypatch.setattr("serbench.render.selection.libraries", lambda: {"wrong": rendered(lambda m: m)})
    assert "must return a Rendered" in refused("show", "wrong", "orjson")


def test_every_kind_of_scalar_is_a_feature():
    """The words of `lacks` are those of the schemas that are tried, and the kinds of scalar among them."""
    tried = frozenset().union(*(schema.features for schema, _ in EXAMPLES.values()))
    assert set(SCALAR_KINDS) <= tried
    assert set(FEATURES) - tried == {"int_tag", "key"}  # only in classes of users
