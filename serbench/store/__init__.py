"""Keeps runs and their raw samples in one SQLite file, and publishes them as files; the only part that knows SQL."""

from serbench.store.folder import RunInfo as RunInfo
from serbench.store.opening import default_path as default_path
from serbench.store.store import Store as Store
from serbench.store.store import own_version as own_version
