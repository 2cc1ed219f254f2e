"""Rendered sources are what an expert's own file would be: formatted, typed, and free of us."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import waits
from feature_schemas import EXAMPLES, KITCHEN_SINK, without
from round_trip import AT_HAND, shown

from serbench.api.adopting import suppressions
from serbench.model.data.dataset import generate, workload_names
from serbench.model.data.payload import from_payload
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Union
from serbench.model.scalars import BYTES, DATE
from serbench.render.case import Case, combinations, lay_out, render
from serbench.render.library import Library, libraries

pytestmark = pytest.mark.timeout(1200)  # mypy reads hundreds of modules

_PAYLOADS = Path(__file__).parents[4] / "shared" / "payloads"
# A name as long as inference makes them, so that every line that can be too long is.
_LONG = "a_name_as_long_as_inference_lets_a_name_become_0123456789"
_LONG_CLASS = "AClassNameAsLongAsInferenceLetsANameBecome0123456789Indeed"


@cache
def schemas() -> dict[str, Schema]:
    """Everything there is to render, by name."""
    found = {f"feature {name}": example.schema for name, example in EXAMPLES.items()}
    found["kitchen sink without bytes and defaults"] = without(KITCHEN_SINK, "bytes", "default")
    found["long names"] = _long_names()
    for name in workload_names():
        found[f"workload {name}"] = generate(name, records=2).schema
    for path in sorted(_PAYLOADS.glob("*.json")):
        found[f"payload {path.stem}"] = from_payload(path).schema
    return found


def schemas_of(library: Library) -> dict[str, Schema]:
    """These, and everything beside each other that the library does not lack."""
    return {"kitchen sink": without(KITCHEN_SINK, *library.lacks), **schemas()}


def _long_names() -> Schema:
    inner = Record(
        _LONG_CLASS, (Field(_LONG, DATE), Field(_LONG + "_", Optional(BYTES), alias="@" + _LONG, default=None))
    )
    other = Record(_LONG_CLASS + "2", (Field(_LONG, DATE, alias="@" + _LONG),), tag_value=_LONG)
    third = Record(_LONG_CLASS + "3", (Field(_LONG, List(Ref(_LONG_CLASS))),), tag_value=_LONG + "3")
    union = Union((Ref(other.name), Ref(third.name)), "kind_" + _LONG)
    root = Record(
        "Row",
        (
            Field("a_" + _LONG, Map(List(Ref(_LONG_CLASS)))),
            Field("b_" + _LONG, union),
            Field("c_" + _LONG, List(Optional(DATE)), default=[]),
            Field("d_" + _LONG, Optional(union), default=None),
        ),
    )
    return Schema(List(Ref("Row")), (inner, other, third, root))


# Representative schemas only: between them they hold everything.
_SOME = ("kitchen sink", "workload client", "feature union", "feature recursion", "feature root", "long names")
LIBRARIES = sorted({library.name for library, _ in shown()})


def sources(name: str, *, variants: bool, some: bool) -> list[Case]:
    """The library's distinct sources of representative schemas, or of all others.

    Of these each library and codec has a third, another one than the codec before and after it.
    """
    library, found = libraries()[name], {}
    for turn, (schema_name, schema) in enumerate(schemas_of(library).items()):
        if some != schema_name.startswith(_SOME):
            continue
        for number, codec in enumerate(codec for one, codec in shown() if one == library):
            if some or (number + turn) % 3 == 0:
                for variant in ("default", *(library.variants if variants else ())):
                    case = render(library, variant, codec, schema)
                    found.setdefault(case.source, case)
    return [case for source, case in found.items() if source]


@pytest.fixture(scope="module", params=["some", pytest.param("others", marks=pytest.mark.full)])
def amount(request) -> str:
    """Whether sources are those of representative schemas, or their variants and all other schemas."""
    return request.param


@pytest.fixture(scope="module", params=LIBRARIES)
def rendered(request, amount, tmp_path_factory) -> dict[Path, Case]:
    """A library's sources as files."""
    folder = tmp_path_factory.mktemp("rendered")
    found = sources(request.param, variants=False, some=True)
    if amount == "others":
        more = [*sources(request.param, variants=True, some=True), *sources(request.param, variants=False, some=False)]
        found = [case for case in more if case.source not in {one.source for one in found}]
    files = {folder / f"m{number}.py": case for number, case in enumerate(lay_out(found))}
    for path, case in files.items():
        path.write_text(case.source, encoding="utf-8")
    return files


def run(*command: str | Path, folder: Path) -> str:
    """What a tool says of the folder, with its own default settings."""
    done = waits.run([sys.executable, "-m", *command], cwd=folder, check=False, seconds=waits.LONG_S)
    return done.stdout + done.stderr


@pytest.mark.full
def test_formatted(rendered):
    """`ruff format` with its defaults changes nothing: one module alone is laid out as it was among others."""
    said = run("ruff", "format", "--isolated", "--diff", ".", folder=next(iter(rendered)).parent)
    files = f"{len(rendered)} file" + ("s" if len(rendered) > 1 else "")
    assert said.strip() == f"{files} already formatted", said[-3000:]


@pytest.mark.slow
def test_imports_sorted_and_used(rendered):
    """Imports are in order and each is used."""
    rules = ("--select", "I,F", "--target-version", "py311", "--output-format", "concise")
    said = run("ruff", "check", "--isolated", *rules, ".", folder=next(iter(rendered)).parent)
    assert said.strip() == "All checks passed!", said[:3000]


def stem(library: str) -> str:
    """How the names of the files of a library begin."""
    return f"{library.replace('-', '_')}__"


@pytest.fixture(scope="module")
def untyped(request, tmp_path_factory) -> str:
    """What `mypy --strict` says of the sources of all libraries that are tested: one run, which reads each package once."""
    folder = tmp_path_factory.mktemp("typed")
    tested = {item.callspec.params["library"] for item in request.session.items if item.originalname == "test_typed"}
    for library in sorted(tested):
        for number, case in enumerate(sources(library, variants=True, some=True)):
            if case.codec.core:
                path = folder / f"{stem(library)}{case.module_name}_{number}.py"
                path.write_text(suppressions(case) + case.source, encoding="utf-8")
    return run("mypy", "--strict", "--config-file", "", "--no-error-summary", ".", folder=folder)


@pytest.mark.full
@pytest.mark.xdist_group("mypy")
@pytest.mark.parametrize("library", AT_HAND)
def test_typed(library, untyped):
    """`mypy --strict` finds nothing where the library is installed, but for what a plug-in says that it leaves untyped."""
    errors = [line for line in untyped.splitlines() if ": error:" in line and line.startswith(stem(library))]
    if errors:
        advice = "Annotate what `render` writes; only what the library itself leaves untyped is named in `unchecked`."
        pytest.fail("\n".join([*errors, advice]), pytrace=False)


@pytest.mark.slow
def test_nothing_of_ours(rendered):
    """A source has no trace of the tool that rendered it."""
    assert [path for path, case in rendered.items() if "serbench" in case.source.lower()] == []


def test_each_exception_has_a_message(rendered):
    """An exception that a source raises says what it means, so that a row's reason does."""
    raised = re.compile(r"^ *raise \w+(?: from .*)?(?: *#.*)?$", re.MULTILINE)  # ruff has laid the sources out
    bare = {case.module_name for case in rendered.values() if raised.search(case.source)}
    assert set() == bare


@pytest.mark.drawn(part=20)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("workload", ["tiny", "client", "client-rich", "events"])
def test_nothing_is_missing_or_double(workload, library, tmp_path):
    """Whatever the codec, a source defines each of its names once, and uses no other and every import."""
    schema, double = generate(workload, records=2).schema, []
    for one, codec in combinations([libraries()[library]]):
        case = render(one, "default", codec, schema)
        names = Counter(_bound(ast.parse(case.source)))
        double += [f"{case.module_name}: {name}" for name, count in names.items() if count > 1]
        if case.source:
            stem = f"{case.module_name}_{codec.format}".replace("-", "_")
            (tmp_path / f"{stem}.py").write_text(case.source, encoding="utf-8")
    assert double == []
    said = run("ruff", "check", "--isolated", "--select", "F", "--target-version", "py311", ".", folder=tmp_path)
    assert "All checks passed!" in said, said[:3000]


def _bound(tree: ast.AST) -> list[str]:
    """The names that the top level of a module binds, but for packages, which several imports may name."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [target.id for target in targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.ImportFrom):
            found += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.asname for alias in node.names if alias.asname]
        elif isinstance(node, ast.With):
            found += _bound(node)
    return found


def test_imports_its_own_only(rendered):
    """A source imports the standard library, its library and its codec, and nothing else."""
    named = re.compile(r"^ *(?:from (\w+)[\w.]* import|import (\w+))", re.MULTILINE)  # ruff has laid the sources out
    for case in rendered.values():
        own = {re.split("[.:]", name)[0] for name in (*case.library.modules, *case.codec.calls.imports)}
        own |= {"google"} if case.codec.format == "protobuf" else set()  # its modules depend on the schema
        allowed = {*sys.stdlib_module_names, *case.library.distributions, *own}
        found = {name for pair in named.findall(case.source) for name in pair if name}
        assert found - allowed == set(), case.module_name


@pytest.mark.parametrize("library", LIBRARIES)
def test_renders_the_same_twice(library):
    """The text depends on nothing but the schema, so that its hash identifies it."""
    schema = generate("client", records=2).schema
    for one, codec in shown():
        if one.name == library:
            assert render(one, "default", codec, schema) == render(one, "default", codec, schema)
