"""Executes notebooks with papermill, after checking their parameters."""

from __future__ import annotations

import ast
import inspect
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import GenericAlias
from typing import IO, TYPE_CHECKING, Any, Literal

from serbench.api.calling import Argument, as_declared, several
from serbench.api.notebook.controls import option_of
from serbench.errors import PlanError, check, if_interrupted, installed_by
from serbench.machine.caretaker import scratch_folder
from serbench.measure.options import Option, Reader, decimal, truth, whole
from serbench.store.archive import resources

if TYPE_CHECKING:
    from nbformat import NotebookNode

FILES = ("payload", "schema", "store", "output")
"""Parameters that name a file: a relative path starts at the user's folder, not at the notebook's."""
TYPES: Mapping[str, tuple[Any, Reader | None]] = {
    "str": (str, None),
    "int": (int, whole),
    "float": (float, decimal),
    "bool": (bool, truth),
}
"""Type of a parameter, or of each of several → what its text becomes, and how it is read; any other is given as JSON."""


@dataclass(frozen=True)
class Notebook:
    """A notebook in a file."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name without its ending, which also names its results."""
        return self.path.stem

    @cached_property
    def content(self) -> NotebookNode:
        """What is in the file, as papermill reads it.

        Raises:
            PlanError: there is no such file, or it is not a notebook.
        """
        from nbformat import validate
        from papermill.iorw import load_notebook_node

        try:
            content: NotebookNode = load_notebook_node(str(self.path))
            validate(content)
        except FileNotFoundError:
            raise PlanError(f"there is no notebook {self.path}") from None
        except Exception as error:  # anybody may have written it
            raise self._not_runnable(error) from None
        return content

    @property
    def code(self) -> list[NotebookNode]:
        """Its cells of code."""
        return [cell for cell in self.content.cells if cell.cell_type == "code"]

    @property
    def question(self) -> str:
        """Its title."""
        texts = "\n".join(cell.source for cell in self.content.cells if cell.cell_type == "markdown")
        return next((line.removeprefix("# ") for line in texts.splitlines() if line.startswith("# ")), self.name)

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """Name → type of each parameter that papermill finds: as it is annotated, or else the default's.

        Raises:
            PlanError: there is no such file, or papermill cannot run it.
        """
        from papermill import inspect_notebook

        assert self.content  # which says what is wrong with a file that is no notebook
        logging.getLogger("papermill").setLevel(logging.CRITICAL)  # a line that it cannot parse is no parameter
        try:
            found = inspect_notebook(str(self.path))
        except Exception as error:  # as above
            raise self._not_runnable(error) from None
        return {name: _type(known["inferred_type_name"], known["default"]) for name, known in found.items()}

    def _not_runnable(self, error: BaseException) -> PlanError:
        return PlanError(f"{self.path} is not a notebook that can be run: {' '.join(str(error).split())[:300]}")


def _type(annotated: str, default: str) -> str:
    """The annotation, or the type of a default; str for None and for anything that is not a literal."""
    if annotated != "None":
        return annotated.removeprefix("typing.").replace("List[", "list[")
    try:
        value = ast.literal_eval(default)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return "str"
    return "str" if value is None else type(value).__name__


def notebooks(names: Iterable[str] = ()) -> list[Notebook]:
    """The notebooks of these names or in these files; all of serbench's by default.

    Raises:
        PlanError: an unknown name, or a file that is not a notebook.
    """
    ours = {path.stem: path for path in sorted(resources("notebooks").glob("*.ipynb"))}
    found = []
    for name in names or ours:
        if Path(name).suffix == ".ipynb" or Path(name).is_file():
            found.append(Notebook(Path(name).absolute()))
        else:
            check("notebook", name, ours)
            found.append(Notebook(ours[name]))
    stems = [notebook.name for notebook in found if notebook.content]
    double = next((stem for stem in stems if stems.count(stem) > 1), None)
    if double:
        raise PlanError(f"two notebooks are called {double}, so their results would overwrite each other; rename one")
    return found


def parameters_of(
    notebooks: Iterable[Notebook], texts: Iterable[str], effort: str | None = None
) -> dict[str, dict[str, Any]]:
    """Notebook → its parameters, from texts "name=value"; a text is for every notebook that has the parameter.

    Raises:
        PlanError: no text of that form, a name that no notebook has, a value of another type than a notebook's, or one
            that no run of serbench's own notebooks can have.
    """
    notebooks = list(notebooks)
    types = {notebook.name: notebook.parameters for notebook in notebooks}
    values: dict[str, dict[str, Any]] = {name: {} for name in types}
    pairs = [_pair(text) for text in texts]
    for name, _ in pairs:
        check("parameter", name, dict.fromkeys(name for known in types.values() for name in known))
    if effort is not None:  # what has none is not timed
        pairs.append(("effort", effort))
    ours = {notebook.name for notebook in notebooks if notebook.path.parent == resources("notebooks")}
    for name, text in pairs:
        if name == "effort":
            option_of(name).check(name, text)
        for notebook, known in types.items():
            if name in known:
                value = values[notebook][name] = _value(notebook, name, known[name], text)
                if notebook in ours:  # in others a name may mean anything
                    option_of(name).check(name, value)
    return values


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise PlanError(f"-p takes name=value, such as records=100, not {text!r}")
    return name.strip(), value


def _value(notebook: str, name: str, kind: str, text: str) -> Any:
    """The text as the type that the notebook's parameter has: lists as "a,b", or as JSON."""
    plain = kind.removeprefix("list[").removesuffix("]")
    type_, read = TYPES.get(plain, (Any, None))
    given: Any = text
    if plain not in TYPES or (plain != kind and text.lstrip().startswith("[")):
        try:
            given = json.loads(text)
        except ValueError:
            raise PlanError(f"{name} of {notebook} takes {kind} as JSON, not {text!r}") from None
    elif plain != kind:
        given = [part for part in several(text) if part]
    argument = Argument(
        Option("", read=read), type_ if plain == kind else GenericAlias(Iterable, (type_,)), inspect.Parameter.empty
    )
    value = as_declared(f"{name} of {notebook}", given, argument)
    return str(Path(value).absolute()) if name in FILES and isinstance(value, str) and value else value


EXECUTED = "executed"
START_S = 120
"""The longest that a kernel may take to start; many at once on a busy machine are slow."""
QUIET = "--log-level=50"
"""Silences the kernel's log about its transport, and about being ended within a cell."""


@dataclass(frozen=True)
class Execution:
    """The outcome of running one notebook.

    Attributes:
        notebook: its name.
        status: "ok", "failed", "timeout", or "kept" if there was nothing to do.
        seconds: how long it took.
        executed: the notebook with its outputs; None if it could not be written.
        cell: the cell that failed, by its number among the code cells and its id.
        reason: why it failed or was kept, in one line.
    """

    notebook: str
    status: Literal["ok", "failed", "timeout", "kept"]
    seconds: float = 0.0
    executed: str | None = None
    cell: str | None = None
    reason: str | None = None


def execute(
    notebooks: Iterable[Notebook],
    values: Mapping[str, Mapping[str, Any]],
    output: Path,
    *,
    store: Path | None = None,
    time_limit_s: float | None = None,
    only_missing: bool = False,
    on_step: Callable[[str], None] = lambda _: None,
) -> list[Execution]:
    """Run each notebook with its values; its results go to `output`, and what it displayed to `output/executed`.

    Args:
        notebooks: what to run.
        values: parameters by the notebook's name.
        output: where each notebook that has a parameter `output` writes, into a folder of its own name.
        store: the file that keeps every run, for notebooks that have a parameter `store`.
        time_limit_s: the longest that one cell may take.
        only_missing: leave out notebooks that have a result there.
        on_step: hears of each notebook and cell, a line each.

    Raises:
        PlanError: the folder cannot be written, or pyarrow, without which a run is not written in full, is missing.
    """
    if find_spec("pyarrow") is None:
        raise PlanError(f"a report writes Parquet, which needs pyarrow: {installed_by('report')}")
    try:
        (output / EXECUTED).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlanError(f"{output} cannot be written: {error.strerror}; name another folder with --output") from None
    outcomes = []
    for notebook in notebooks:
        if only_missing and has_result(output, notebook.name):
            outcome = Execution(notebook.name, "kept", reason="kept, it has a result")
        else:
            ours = {
                "output": str((output / notebook.name).absolute()),
                "store": str(store.absolute()) if store else None,
            }
            default = {name: value for name, value in ours.items() if value and name in notebook.parameters}
            with if_interrupted("results of notebooks that have ended are kept, and --only-missing goes on"):
                outcome = _run(notebook, {**default, **values.get(notebook.name, {})}, output, time_limit_s, on_step)
        on_step(_told(outcome))
        outcomes.append(outcome)
    return outcomes


def _run(
    notebook: Notebook, values: Mapping[str, Any], output: Path, limit_s: float | None, on_step: Callable[[str], None]
) -> Execution:
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill import PapermillExecutionError, execute_notebook
    from papermill.exceptions import PapermillException

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what it would say is said below
    executed = output / EXECUTED / notebook.path.name
    log = executed.with_suffix(".log")
    numbers = {cell.id: number for number, cell in enumerate(notebook.code, start=1)}
    present = None

    def tell(cell: NotebookNode, cell_index: int) -> None:  # noqa: ARG001 (nbclient's hook)
        nonlocal present
        present = "the cell with the given parameters"  # papermill's own
        if cell.id in numbers:
            present = f"cell {numbers[cell.id]} of {len(numbers)} ({cell.id})"
            on_step(f"{notebook.name}: {present}")

    status: Literal["failed", "timeout"] = "failed"
    is_dead = False
    began = time.monotonic()
    try:
        with scratch_folder() as folder, log.open("wb") as stream:
            execute_notebook(
                str(notebook.path),
                str(executed),
                parameters=dict(values),
                progress_bar=False,
                cwd=str(notebook.path.parent),
                start_timeout=START_S,
                execution_timeout=limit_s,
                on_cell_execute=tell,
                extra_arguments=[QUIET],
                kernel_manager_class=_manager(stream, folder / "kernel.json"),
            )
    except CellTimeoutError:
        status, reason = "timeout", f"took longer than {limit_s:g} s; --time-limit allows more"
    except PapermillExecutionError as error:
        reason = f"{error.ename}: {error.evalue}"
    except OSError as error:
        reason = f"{error.strerror or error} ({error.filename or executed})"
    except RuntimeError as error:
        is_dead = True
        crashed = isinstance(error, DeadKernelError)
        reason = "its process ended: crashed, killed or out of memory" if crashed else str(error)
    except (PapermillException, ValueError) as error:
        reason = str(error)
    else:
        return Execution(notebook.name, "ok", time.monotonic() - began, str(executed))
    finally:
        if not (is_dead and log.stat().st_size):
            with suppress(OSError):
                log.unlink()
    if log.exists():
        reason += f"; the output of the process is in {log}"
    left = str(executed) if executed.is_file() and executed.stat().st_size else None
    return Execution(notebook.name, status, time.monotonic() - began, left, present, " ".join(reason.split()))


def _manager(stream: IO[bytes], connection: Path) -> type[Any]:
    """A kernel manager whose kernels write to `stream` what they would write to the terminal.

    The file with the kernel's key is in a folder that goes with this process, however it ends.
    """
    from jupyter_client.manager import AsyncKernelManager

    class Manager(AsyncKernelManager):
        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]  # as AsyncKernelManager does itself
            self.connection_file = str(connection)
            await super().start_kernel(stdout=stream, stderr=stream, **options)

    return Manager


def _told(outcome: Execution) -> str:
    if outcome.status == "ok":
        return f"{outcome.notebook}: done in {outcome.seconds:.0f} s"
    if outcome.status == "kept":
        return f"{outcome.notebook}: {outcome.reason}"
    where = f" in {outcome.cell}" if outcome.cell else ""
    kept = f"; its output until then is in {outcome.executed}" if outcome.executed else ""
    return f"{outcome.notebook}: {outcome.status}{where}: {outcome.reason}{kept}"


def has_result(output: Path, name: str) -> bool:
    """Whether a notebook's last execution there ended without an error, or its results were published from elsewhere."""
    executed = output / EXECUTED / f"{name}.ipynb"
    if not executed.exists():
        return any((output / name).rglob("run.json"))
    try:
        content = Notebook(executed).content
        told = [cell.metadata.papermill for cell in content.cells if "papermill" in cell.metadata]
        return not content.metadata.papermill.exception and all(cell.end_time for cell in told)
    except (PlanError, AttributeError):
        return False
