"""serbench finds the model library and byte format for your data, and the cost of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serbench.ask.adopting import Adopted as Adopted
    from serbench.ask.adopting import adopt as adopt
    from serbench.ask.claims import measure_claims as measure_claims
    from serbench.ask.comparing import compare as compare
    from serbench.ask.judging import gate as gate
    from serbench.ask.judging import history as history
    from serbench.ask.judging import recommend as recommend
    from serbench.ask.names import formats as formats
    from serbench.ask.names import libraries as libraries
    from serbench.ask.notebook.controls import controls as controls
    from serbench.ask.notebook.controls import interact as interact
    from serbench.ask.notebook.explorer import Explorer as Explorer
    from serbench.ask.running import load as load
    from serbench.ask.running import run as run
    from serbench.ask.running import runs as runs
    from serbench.ask.showing import describe as describe
    from serbench.ask.showing import show as show
    from serbench.ask.verifying import Matrices as Matrices
    from serbench.ask.verifying import hostile as hostile
    from serbench.ask.verifying import probe as probe
    from serbench.ask.verifying import probed as probed
    from serbench.ask.verifying import stream as stream
    from serbench.ask.verifying import sweep as sweep
    from serbench.ask.verifying import verify as verify
    from serbench.ask.weighing import Weighing as Weighing
    from serbench.ask.weighing import serve as serve
    from serbench.ask.weighing import weigh as weigh
    from serbench.ask.weighing import weighing as weighing
    from serbench.claims.ledger import Ledger as Ledger
    from serbench.claims.ledger import ledger as ledger
    from serbench.errors import PlanError as PlanError
    from serbench.errors import StoreError as StoreError
    from serbench.errors import WorkloadError as WorkloadError
    from serbench.keep.recorder import RunListener as RunListener
    from serbench.keep.run import History as History
    from serbench.keep.run import Run as Run

__version__ = "0.1.0"

_NAMES = {  # module → its public names
    "serbench.ask.adopting": "Adopted adopt",
    "serbench.ask.claims": "measure_claims",
    "serbench.ask.comparing": "compare",
    "serbench.ask.judging": "gate history recommend",
    "serbench.ask.notebook.controls": "controls interact",
    "serbench.ask.notebook.explorer": "Explorer",
    "serbench.ask.names": "formats libraries",
    "serbench.ask.running": "load run runs",
    "serbench.ask.showing": "describe show",
    "serbench.ask.verifying": "Matrices hostile probe probed stream sweep verify",
    "serbench.ask.weighing": "Weighing serve weigh weighing",
    "serbench.claims.ledger": "Ledger ledger",
    "serbench.errors": "PlanError StoreError WorkloadError",
    "serbench.keep.recorder": "RunListener",
    "serbench.keep.run": "History Run",
}
_PUBLIC = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*sorted(_PUBLIC), "__version__"]  # noqa: PLE0604  # names of _PUBLIC are strings


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import serbench` costs nothing."""
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'serbench' has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def __dir__() -> list[str]:
    return list(__all__)
