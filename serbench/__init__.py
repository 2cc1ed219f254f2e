"""serbench finds the model library and byte format for your data, and the cost of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serbench.api.cases import adopt as adopt
    from serbench.api.cases import describe as describe
    from serbench.api.cases import show as show
    from serbench.api.judging import compare as compare
    from serbench.api.judging import gate as gate
    from serbench.api.judging import history as history
    from serbench.api.judging import recommend as recommend
    from serbench.api.matrices import Matrices as Matrices
    from serbench.api.running import load as load
    from serbench.api.running import run as run
    from serbench.api.running import runs as runs
    from serbench.api.verifying import hostile as hostile
    from serbench.api.verifying import probe as probe
    from serbench.api.verifying import probed as probed
    from serbench.api.verifying import stream as stream
    from serbench.api.verifying import verify as verify
    from serbench.api.weighing import Profile as Profile
    from serbench.api.weighing import Weighing as Weighing
    from serbench.api.weighing import profile as profile
    from serbench.api.weighing import weigh as weigh
    from serbench.api.weighing import weighing as weighing
    from serbench.claims.ledger import Ledger as Ledger
    from serbench.claims.ledger import ledger as ledger
    from serbench.claims.ledger import measure_claims as measure_claims
    from serbench.errors import PlanError as PlanError
    from serbench.errors import StoreError as StoreError
    from serbench.errors import WorkloadError as WorkloadError
    from serbench.notebook.explorer import Explorer as Explorer
    from serbench.recording.recorder import RunListener as RunListener
    from serbench.recording.run import History as History
    from serbench.recording.run import Run as Run

__version__ = "0.1.0"

_PUBLIC = {
    "Explorer": "serbench.notebook.explorer",
    "History": "serbench.recording.run",
    "Ledger": "serbench.claims.ledger",
    "Matrices": "serbench.api.matrices",
    "PlanError": "serbench.errors",
    "Profile": "serbench.api.weighing",
    "Run": "serbench.recording.run",
    "RunListener": "serbench.recording.recorder",
    "StoreError": "serbench.errors",
    "Weighing": "serbench.api.weighing",
    "WorkloadError": "serbench.errors",
    "adopt": "serbench.api.cases",
    "compare": "serbench.api.judging",
    "describe": "serbench.api.cases",
    "gate": "serbench.api.judging",
    "history": "serbench.api.judging",
    "hostile": "serbench.api.verifying",
    "ledger": "serbench.claims.ledger",
    "load": "serbench.api.running",
    "measure_claims": "serbench.claims.ledger",
    "probe": "serbench.api.verifying",
    "probed": "serbench.api.verifying",
    "profile": "serbench.api.weighing",
    "recommend": "serbench.api.judging",
    "run": "serbench.api.running",
    "runs": "serbench.api.running",
    "show": "serbench.api.cases",
    "stream": "serbench.api.verifying",
    "verify": "serbench.api.verifying",
    "weigh": "serbench.api.weighing",
    "weighing": "serbench.api.weighing",
}
_HOOKS = {"load_ipython_extension": "serbench.notebook.magics"}  # for `%load_ext serbench`

__all__ = [*sorted(_PUBLIC), "__version__"]  # noqa: PLE0604  # names of _PUBLIC are strings


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import serbench` costs nothing."""
    found = {**_PUBLIC, **_HOOKS}.get(name)
    if found is None:
        raise AttributeError(f"module 'serbench' has no attribute {name!r}")
    import importlib

    value = globals()[name] = getattr(importlib.import_module(found), name)
    return value


def __dir__() -> list[str]:
    return list(__all__)
