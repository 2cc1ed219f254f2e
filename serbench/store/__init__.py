"""Keeps runs and their raw samples in one SQLite file, and publishes them as files; the only part that knows SQL."""

from serbench.store.folder import RunInfo as RunInfo
from serbench.store.folder import RunStatus as RunStatus
from serbench.store.folder import StoredRun as StoredRun
from serbench.store.folder import as_files as as_files
from serbench.store.folder import read_run as read_run
from serbench.store.opening import default_path as default_path
from serbench.store.store import Store as Store
from serbench.store.store import own_version as own_version
from serbench.store.weighings import StoredWeighing as StoredWeighing
from serbench.store.weighings import add_weights as add_weights
from serbench.store.weighings import begin_weighing as begin_weighing
from serbench.store.weighings import load_weighing as load_weighing
