"""Keeps runs and their raw samples in one SQLite file, and publishes them as files; the only part that knows SQL."""

from serbench.store.errors import StoreError
from serbench.store.folder import as_files, read_run
from serbench.store.opening import default_path
from serbench.store.runs import RunInfo, RunStatus, StoredRun
from serbench.store.store import Store, own_version
from serbench.store.weighings import StoredWeighing, add_weights, begin_weighing, load_weighing

__all__ = [
    "RunInfo",
    "RunStatus",
    "Store",
    "StoreError",
    "StoredRun",
    "StoredWeighing",
    "add_weights",
    "as_files",
    "begin_weighing",
    "default_path",
    "load_weighing",
    "own_version",
    "read_run",
]
