"""A class that is given as it is, not by its place: of a file that can be imported, or of a cell or script."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

from serbench.errors import PlanError
from serbench.keep.opening import default_path
from serbench.measure.carried import CannotTravel, Carrier
from serbench.measure.worker import user_code
from serbench.render.environments.caretaker import scratch_folder

FOLDER = "models"
HELPER = "_serbench_user_code.py"


def located(model: object) -> str:
    """The place of a class: its own file, or one that has its source and what it uses, kept beside the store.

    Raises:
        PlanError: it is no class, or something that it uses cannot be written into a file; the message names it.
    """
    if not isinstance(model, type):
        raise PlanError(f"model is a class, or text such as module:Class, not {type(model).__name__}")
    module = sys.modules.get(model.__module__)
    if model.__module__ != "__main__":
        file = getattr(module, "__file__", None)
        if file is None:
            raise PlanError(f"{model.__qualname__} has no file; define it in a cell or a file")
        return f"{Path(file).absolute()}:{model.__qualname__}"
    try:
        return f"{_written(model).absolute()}:{model.__name__}"
    except CannotTravel as error:
        raise PlanError(f"model {model.__name__}: {error}") from None
    except OSError as error:
        raise PlanError(f"the class cannot be kept in {_home()} ({error.strerror}); set $SERBENCH_STORE") from None


def _home() -> Path:
    return default_path().parent / FOLDER


def _written(model: type) -> Path:
    """A file with the class and all that it uses, named by its text: a class that is defined anew is another file."""
    with scratch_folder() as scratch:
        text = _text(model, scratch)
        digest = hashlib.sha256(text.replace(str(scratch), "").encode())
        for path in sorted(scratch.iterdir()):
            digest.update(path.read_bytes())
    folder = _home() / digest.hexdigest()[:8]
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(user_code.__file__, folder / HELPER)
    path = folder / f"cell_{folder.name}.py"
    if not path.exists():
        path.write_text(_text(model, folder), encoding="utf-8")
    return path


def _text(model: type, folder: Path) -> str:
    namespace = vars(sys.modules["__main__"])
    if namespace.get(model.__name__) is not model:
        raise CannotTravel("the name means something else by now; define the class again")
    carrier = Carrier(namespace, folder)
    carrier.callable(model, model.__name__)
    first = "from __future__ import annotations\n\n" if carrier.annotated else ""
    return f'"""A class of a cell, with what it uses."""\n\n{first}{carrier.text}'
