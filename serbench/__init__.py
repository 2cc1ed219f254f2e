"""serbench: which model library and which byte format for your data, and what the choice costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serbench.advice import recommend as recommend
    from serbench.claims.ledger import Ledger as Ledger
    from serbench.claims.ledger import ledger as ledger
    from serbench.claims.ledger import measure_claims as measure_claims
    from serbench.codec_verbs import hostile as hostile
    from serbench.codec_verbs import stream as stream
    from serbench.judging import gate as gate
    from serbench.judging import history as history
    from serbench.names import PlanError as PlanError
    from serbench.notebook.explorer import Explorer as Explorer
    from serbench.own_data import adopt as adopt
    from serbench.own_data import describe as describe
    from serbench.passes import Profile as Profile
    from serbench.passes import Weighing as Weighing
    from serbench.passes import profile as profile
    from serbench.passes import weigh as weigh
    from serbench.passes import weighing as weighing
    from serbench.probe_verbs import Matrices as Matrices
    from serbench.probe_verbs import probe as probe
    from serbench.probe_verbs import probed as probed
    from serbench.result import History as History
    from serbench.result import Run as Run
    from serbench.store import StoreError as StoreError
    from serbench.verbs import compare as compare
    from serbench.verbs import load as load
    from serbench.verbs import run as run
    from serbench.verbs import runs as runs
    from serbench.verbs import show as show
    from serbench.verbs import verify as verify
    from serbench.workloads import WorkloadError as WorkloadError

__version__ = "0.1.0"

_PUBLIC = {
    "Explorer": "serbench.notebook.explorer",
    "History": "serbench.result",
    "Ledger": "serbench.claims.ledger",
    "Matrices": "serbench.probe_verbs",
    "PlanError": "serbench.names",
    "Profile": "serbench.passes",
    "Run": "serbench.result",
    "StoreError": "serbench.store",
    "WorkloadError": "serbench.workloads",
    "Weighing": "serbench.passes",
    "adopt": "serbench.own_data",
    "compare": "serbench.verbs",
    "gate": "serbench.judging",
    "history": "serbench.judging",
    "hostile": "serbench.codec_verbs",
    "describe": "serbench.own_data",
    "ledger": "serbench.claims.ledger",
    "load": "serbench.verbs",
    "measure_claims": "serbench.claims.ledger",
    "profile": "serbench.passes",
    "probe": "serbench.probe_verbs",
    "probed": "serbench.probe_verbs",
    "recommend": "serbench.advice",
    "run": "serbench.verbs",
    "runs": "serbench.verbs",
    "show": "serbench.verbs",
    "stream": "serbench.codec_verbs",
    "verify": "serbench.verbs",
    "weigh": "serbench.passes",
    "weighing": "serbench.passes",
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
