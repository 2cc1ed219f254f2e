"""A module of Cython, compiled where a snippet needs it."""

import importlib
import sys
from pathlib import Path


def compiled_once(name, source):
    """Compile a module of Cython once in this environment."""
    import pyximport

    folder = Path(sys.prefix) / "built"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.pyx"
    if not path.exists() or path.read_text() != source:
        path.write_text(source)
    pyximport.install(build_dir=str(folder), language_level=3)
    sys.path.insert(0, str(folder))
    return importlib.import_module(name)
