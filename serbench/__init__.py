"""serbench finds the model library and byte format for your data, and the cost of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serbench.api.adopting import Adopted as Adopted
    from serbench.api.adopting import adopt as adopt
    from serbench.api.claims import measure_claims as measure_claims
    from serbench.api.comparing import compare as compare
    from serbench.api.judging import gate as gate
    from serbench.api.judging import history as history
    from serbench.api.judging import recommend as recommend
    from serbench.api.names import formats as formats
    from serbench.api.names import libraries as libraries
    from serbench.api.notebook.controls import controls as controls
    from serbench.api.notebook.controls import interact as interact
    from serbench.api.notebook.explorer import Explorer as Explorer
    from serbench.api.running import load as load
    from serbench.api.running import run as run
    from serbench.api.running import runs as runs
    from serbench.api.showing import describe as describe
    from serbench.api.showing import show as show
    from serbench.api.verifying import Matrices as Matrices
    from serbench.api.verifying import probe as probe
    from serbench.api.verifying import probed as probed
    from serbench.api.verifying import stream as stream
    from serbench.api.verifying import sweep as sweep
    from serbench.api.verifying import verify as verify
    from serbench.api.weighing import Weighing as Weighing
    from serbench.api.weighing import serve as serve
    from serbench.api.weighing import weigh as weigh
    from serbench.api.weighing import weighing as weighing
    from serbench.claims.ledger import Ledger as Ledger
    from serbench.claims.ledger import ledger as ledger
    from serbench.errors import PlanError as PlanError
    from serbench.errors import StoreError as StoreError
    from serbench.errors import WorkloadError as WorkloadError
    from serbench.store.recorder import RunListener as RunListener
    from serbench.store.run import History as History
    from serbench.store.run import Run as Run

__version__ = "0.1.0"

_NAMES = {  # module → its public names
    "serbench.api.adopting": "Adopted adopt",
    "serbench.api.claims": "measure_claims",
    "serbench.api.comparing": "compare",
    "serbench.api.judging": "gate history recommend",
    "serbench.api.notebook.controls": "controls interact",
    "serbench.api.notebook.explorer": "Explorer",
    "serbench.api.names": "formats libraries",
    "serbench.api.running": "load run runs",
    "serbench.api.showing": "describe show",
    "serbench.api.verifying": "Matrices probe probed stream sweep verify",
    "serbench.api.weighing": "Weighing serve weigh weighing",
    "serbench.claims.ledger": "Ledger ledger",
    "serbench.errors": "PlanError StoreError WorkloadError",
    "serbench.store.recorder": "RunListener",
    "serbench.store.run": "History Run",
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
