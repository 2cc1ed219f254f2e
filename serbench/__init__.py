"""serbench finds the model library and byte format for your data, and the cost of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serbench.api.adopting import Adopted as Adopted
    from serbench.api.adopting import adopt as adopt
    from serbench.api.cases import describe as describe
    from serbench.api.cases import show as show
    from serbench.api.explaining import Explanation as Explanation
    from serbench.api.explaining import explain as explain
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
    from serbench.api.verifying import sweep as sweep
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

_NAMES = {  # module → its public names
    "serbench.api.adopting": "Adopted adopt",
    "serbench.api.cases": "describe show",
    "serbench.api.explaining": "Explanation explain",
    "serbench.api.judging": "compare gate history recommend",
    "serbench.api.matrices": "Matrices",
    "serbench.api.running": "load run runs",
    "serbench.api.verifying": "hostile probe probed stream sweep verify",
    "serbench.api.weighing": "Profile Weighing profile weigh weighing",
    "serbench.claims.ledger": "Ledger ledger measure_claims",
    "serbench.errors": "PlanError StoreError WorkloadError",
    "serbench.notebook.explorer": "Explorer",
    "serbench.recording.recorder": "RunListener",
    "serbench.recording.run": "History Run",
}
_PUBLIC = {name: module for module, names in _NAMES.items() for name in names.split()}
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
