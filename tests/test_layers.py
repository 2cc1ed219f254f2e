import ast
import importlib.metadata
import os
import sys
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from waits import run

PACKAGE = Path(__file__).parents[1] / "serbench"

# From the bottom up: a room imports only rooms of the lines above its own. `serbench/__init__.py`
# re-exports lazily and may name any of them.
LAYERS = (
    ("errors",),
    ("results",),
    ("machine",),
    ("model", "judge"),
    ("render",),
    ("plugin",),  # what plug-ins of others import
    ("measure",),
    ("display",),
    ("store",),
    ("claims", "selfcheck"),
    ("api",),
    ("conformance",),  # `pytest --pyargs serbench.selfcheck.conformance`, which verifies as a user does
    ("__main__",),  # `python -m serbench`, which Python looks for under this name
)
pytestmark = pytest.mark.xdist_group("layers")  # the package is read once
HEAVY = {"numpy", "scipy", "pandas", "plotly", "ipywidgets", "anywidget", "IPython", "psutil", "rich"}
ONLY_IN = {  # module → the only folders that may import it
    "subprocess": {"machine", "measure", "render", "render/source"},  # source calls ruff
    "multiprocessing": {"machine"},
    "sqlite3": {"store"},
    "psutil": {"machine"},
    "uv": {"render"},
    "ruff": {"render/source"},
    "click": {"api/command_line"},
    "ipywidgets": {"api/notebook"},
    "anywidget": {"api/notebook"},
}


class Import(NamedTuple):
    """One imported module, where it stands, and whether importing that file imports it."""

    file: str
    module: str
    at_once: bool


def imports_in(path: Path) -> Iterator[Import]:
    """The imports of a file; those that only a type checker sees are not at once."""
    file = path.relative_to(PACKAGE).as_posix()

    def visit(node: ast.AST, at_once: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from (Import(file, alias.name, at_once) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                assert file.startswith("model/fidelity/"), f"{file}:{node.lineno} imports relatively"
                node.module = f"serbench.model.fidelity.{node.module}"
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (Import(file, m, at_once) for m in (below if node.module == "serbench" else [node.module or ""]))
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        later = later or (
            isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        )
        for child in ast.iter_child_nodes(node):
            yield from visit(child, at_once and not later)

    yield from visit(tree(path), True)


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> list[Import]:
    """All imports of the package."""
    return [found for path in sorted(PACKAGE.rglob("*.py")) for found in imports_in(path)]


def layer(file: str) -> str:
    """The layer of a file: its folder, or the file's name if that is a layer."""
    name = file.rpartition("/")[2].removesuffix(".py")
    return name if file == "selfcheck/conformance.py" else file.partition("/")[0].removesuffix(".py")


def folder(file: str) -> str:
    """The folder of a file, in serbench."""
    return file.rpartition("/")[0]


def package(module: str) -> str:
    """The top-level name of a module."""
    return module.partition(".")[0]


def test_every_module_has_a_layer():
    """Each module and folder of serbench has exactly one place in the list of layers."""
    found = {layer(path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert sorted(found) == sorted(chain(*LAYERS))


def test_imports_go_one_way():
    """A layer imports only what stands above it in the list."""
    height = {name: number for number, names in enumerate(LAYERS) for name in names}
    wrong = [
        f"{file} imports {module}"
        for file, module, _ in imports()
        if package(module) == "serbench" and layer(file) != "__init__"
        for other in [module.split(".")[1]]
        if other != layer(file) and height[other] >= height[layer(file)]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "file",
    [
        path.relative_to(PACKAGE).as_posix()
        for room in ("measure/worker", "model/fidelity")
        for path in sorted((PACKAGE / room).rglob("*.py"))
    ],
)
def test_what_runs_in_an_environment_stands_alone(file):
    """The worker and its comparisons import the standard library and their own parts, and have no syntax that is newer than Python 3.6."""
    found = [i.module for i in imports() if i.file == file and package(i.module) not in sys.stdlib_module_names]
    assert [module for module in found if not module.startswith("serbench.model.fidelity.")] == []
    ast.parse((PACKAGE / file).read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("module", ONLY_IN)
def test_one_layer_has_it(module):
    """Only the engine starts processes, only the store speaks SQL, only the command line parses options."""
    assert {folder(i.file) for i in imports() if package(i.module) == module} <= ONLY_IN[module]


def test_processes_are_not_started_in_another_way():
    """Nothing but the supervisor calls the functions of `os` that start a process past the engine."""
    starting = ("fork", "system", "popen", "exec", "spawn", "posix_spawn")
    found = [
        f"{path.name}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "supervisor.py"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
        if node.attr.startswith(starting)
    ]
    assert found == []


def test_plug_ins_import_no_library():
    """A library's file renders text and imports nothing that is installed, not even in a function."""
    foreign = {package(i.module) for i in imports() if folder(i.file) == "render/libraries"} - set(
        sys.stdlib_module_names
    )
    assert foreign == {"serbench"}


def test_formats_are_read_without_importing_codecs():
    """A format's file imports a codec only in the function that needs it."""
    at_once = {package(i.module) for i in imports() if folder(i.file) == "render/formats" and i.at_once}
    assert at_once - set(sys.stdlib_module_names) == {"serbench"}


def test_heavy_imports_wait():
    """No file but the live display and the widgets imports a heavy package before a function needs it."""
    found = {i.file for i in imports() if i.at_once and package(i.module) in HEAVY}
    assert found <= {"store/progress.py", "api/notebook/explorer.py", "api/notebook/panel.py"}


def loaded(code: str, store: Path) -> set[str]:
    """The top-level modules that running the code in a fresh process has loaded."""
    code += "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    environment = {**os.environ, "SERBENCH_STORE": str(store)}
    done = run([sys.executable, "-c", code], env=environment)
    return set(done.stderr.split())


def test_import_is_light(tmp_path):
    """`import serbench` loads nothing that is installed beside serbench itself."""
    bare, found = loaded("pass", tmp_path / "s"), loaded("import serbench", tmp_path / "s")
    installed = set(importlib.metadata.packages_distributions()) - {"serbench"}
    assert found - bare - set(sys.stdlib_module_names) == {"serbench"}
    assert (found - bare) & installed == set()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["libraries", "formats", "workloads", "environments", "runs"])
def test_lists_are_light(what, tmp_path):
    """`serbench show` answers without loading a heavy package."""
    code = f"from serbench.api.command_line.program import main\ntry:\n    main(['show', '{what}', '--json'])\nexcept SystemExit:\n    pass"
    assert loaded(code, tmp_path / "s") & HEAVY == set()
