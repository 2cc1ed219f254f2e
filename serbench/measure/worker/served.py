"""Runs a server, and is the module from which the server imports its app.

A copy stands as `serbench_served.py` in a folder with `served.json`: what a worker prepares an endpoint of. The copy is
started by its path (`python -I serbench_served.py MEMORY_BYTES SERVER ARGUMENTS`). Standard library only, imports
nothing of serbench, and runs on Python 3.6.
"""

import importlib.util
import json
import os
import runpy
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "served.json")) as _file:
    FACTS = json.load(_file)


def worker_module() -> Any:
    """The file of the worker."""
    spec: Any = importlib.util.spec_from_file_location("_serbench_worker", FACTS["worker"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def prepared_app() -> Any:
    """The app, whose endpoint has the document."""
    worker = worker_module().Worker()
    worker.start(**FACTS["start"])
    worker.add_data("values", FACTS["spec"], FACTS["values"])
    worker.prepare("served", data="values", **FACTS["module"])
    return sys.modules[FACTS["module"]["module"]].app


if __name__ == "__main__":
    os.dup2(2, 1)
    worker_module().limit_memory(int(sys.argv[1]))
    sys.path += [HERE, *FACTS["start"]["folders"]]
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
elif __name__ == "serbench_served":  # and in no process that only begins as its parent did
    app = prepared_app()
