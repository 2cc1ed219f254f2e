"""Finds the cause of a user class's failed row: a plain script tries the same data without serbench's code."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from tempfile import mkdtemp
from typing import Any

from serbench.machine.files import write_file
from serbench.machine.platform import signal_text
from serbench.model.data.dataset import Dataset
from serbench.model.fidelity import json_ready, wire_difference
from serbench.model.records import List
from serbench.render.codec import Codec
from serbench.render.environments import Environment, environments_folder, run_script
from serbench.render.left_out import LeftOut, without_absent
from serbench.render.source.module import Unsupported
from serbench.render.user_class.documents import make_objects, own_doing, plain_script, write_document
from serbench.render.user_class.find import UserModel, class_of, listed

MOST_DOCUMENTS = 16
MOST_SCRIPTS = 200
SERBENCH = "serbench"
_CRASHES = (
    *("KeyError", "AttributeError", "IndexError", "NameError", "UnboundLocalError", "RecursionError"),
    *("AssertionError", "SystemError", "ZeroDivisionError", "PanicException"),
)
"""The exceptions that no library raises on purpose of a class or data that it does not take."""
_OF_PLACE = {
    "ModuleNotFoundError": "lacks what the class imports",
    "SyntaxError": "has a Python that is too old for the class",
}
"""The exceptions of a class that runs in another environment than serbench's own: one that it made, or the user's."""
_OTHER_VERSION = "has a version without what the plain script calls"
_LACKED = re.compile(r"(?:no attribute|cannot import name|unexpected keyword argument) '(\w+)'")
"""What an exception names that another version of a library has."""
_LAUNCHED = """
import json, runpy, sys, traceback
try:
    runpy.run_path(sys.argv[1])
except BaseException as error:
    from fidelity import innermost
    path, inner = innermost(error)
    files = [frame.filename for frame in traceback.extract_tb(inner.__traceback__)]
    sys.exit(json.dumps([type(inner).__name__, f"{path}{type(inner).__name__}: {inner}", files]))
"""


@dataclass(frozen=True)
class PlainTrial:
    """What a plain script did with a class and documents: what went wrong, or an empty text, and the command that shows it.

    `whose` is what it comes from: "the class", a library ("cattrs", "a crash of cattrs"), or `SERBENCH` with a reason.
    """

    failed: str
    whose: str
    command: str

    @property
    def blames(self) -> bool:
        """Whether it comes from the class or a library, not from serbench or from what an environment lacks."""
        return not self.whose.startswith(SERBENCH) and not self.whose.endswith((*_OF_PLACE.values(), _OTHER_VERSION))


def whose_place(said: str, environment: Environment, script: str = "") -> str:
    """Return what an exception comes from that tells what an environment lacks; empty if it tells something else.

    `script` is the text of the plain script that raises it itself, if one does.
    """
    lacked = _LACKED.search(said)
    called = lacked is not None and re.search(rf"\b{lacked[1]}\b", script)
    lacks = _OTHER_VERSION if called else _OF_PLACE.get(said.partition(":")[0])
    if lacks is None or environment.packages is None:
        return ""
    own = f"{environment.name}, which"
    return f"{own if environment.folders else f'{SERBENCH}, whose environment {environment.name}'} {lacks}"


def plain_trial(
    model: UserModel,
    library: str,
    dataset: Dataset,
    documents: list[Any],
    to_read: list[Any],
    environment: Environment,
    limit_s: float,
    codec: Codec | None = None,
) -> PlainTrial | None:
    """Have a plain script read and write documents; None if a class is written with no library, or cannot be named there.

    Args:
        model: the class.
        library: that by which the class goes, or an empty text for its own.
        dataset: the data set of the documents.
        documents: what the class writes or, if it writes nothing of this data, reads.
        to_read: what it reads.
        environment: that of the script.
        limit_s: the seconds that it may take.
        codec: the codec that the class's library goes around, if the script has one.
    """
    alone = not isinstance(dataset.schema.root, List)
    sparse = dataset.inferred or model.parsed.user_schema
    records = without_absent(sparse, _records(to_read, alone=alone))
    if model.kind == "msgspec" and "timedelta" in sparse.features:  # which it reads only as ISO 8601
        records = write_document(model, make_objects(model, records))
    read = json.dumps(json_ready(records))
    by = library if codec is None else codec.name
    name = re.sub(r"\W+", "_", f"{model.name} {by}").strip("_")
    name += f"-{hashlib.sha256(f'{model.located} {read}'.encode()).hexdigest()[:8]}"
    folder = scripts_folder()
    try:
        document, folders = str(folder / f"{name}.json"), environment.folders
        text = plain_script(model, document, library, codec=codec, returns=not dataset.direction, folders=folders)
    except Unsupported:
        return None
    if text is None:
        return None
    write_file(folder / f"{name}.json", read)
    script = write_file(folder / f"{name}.py", text)
    command = f"{quote(environment.python)} {quote(str(script))}"
    printed, status, last = run_script(environment, _LAUNCHED, str(script), limit_s)
    if status is None:
        return PlainTrial(f"a plain script takes more than {limit_s:g} s", library or "the class", command)
    if status < 0:
        return PlainTrial(f"{signal_text(-status)} ends a plain script", _crash(model, library), command)
    if status:
        try:
            kind, said, files = json.loads(last)
        except (ValueError, TypeError):  # it was ended by something else than an exception
            kind, said, files = "", last, []
        itself = files[-1:] == [str(script)] and model.conversion is None
        whose = whose_place(f"{kind}: {said}", environment, text if itself else "")
        others = [file for file in files if file != str(script)]
        whose = whose or _whose_error(model, library, records, (kind, said), others)
        return PlainTrial(f"a plain script ends with {_shortened(said)}", whose, command)
    if dataset.direction == "reads":
        return PlainTrial("", "", command)
    schema = listed(dataset.schema)
    spec, expected, left_out = schema.as_data(), _records(documents, alone=alone), LeftOut()
    written = json.loads(printed.partition(f"{read}\n")[2])  # the class may print, too
    filled = left_out.fill(schema, expected, written)
    different = wire_difference(spec, spec["root"], expected, written if left_out.defaults else filled)
    failed = "" if different is None else f"a plain script writes value{different}"
    return PlainTrial(failed, failed and _whose(model, library, records, failed), command)


def converting(model: UserModel, codec: Codec) -> str:
    """The codec that makes objects of a class which has no library of its own; an empty text if none does."""
    makes = model.kind in ("dataclass", "typeddict") and model.conversion is None and model.kind in codec.objects.makes
    return codec.name if makes else ""


def scripts_folder() -> Path:
    """The folder of the scripts that rows name: among the environments or, if nobody may write there, a new one.

    The latest `MOST_SCRIPTS` stay, with their documents; older ones are removed.
    """
    folder = environments_folder() / "scripts"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        written = sorted(folder.glob("*.py"), key=lambda path: path.stat().st_mtime)
        for path in written[:-MOST_SCRIPTS]:
            path.unlink(missing_ok=True)
            path.with_suffix(".json").unlink(missing_ok=True)
    return folder if os.access(folder, os.W_OK) else Path(mkdtemp(prefix="serbench-scripts-"))


def _records(documents: list[Any], *, alone: bool) -> list[Any]:
    return list(documents) if alone else [record for document in documents for record in document]


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 500 else f"{text[:500]}…"


def _whose(model: UserModel, library: str, records: list[Any], said: str, *, crash: bool = False) -> str:
    """Whose it is that these records fail: the class's or serbench's, if anything shows that, or else the library's."""
    if doing := own_doing(model, records, said):
        return f"the class, {doing}"
    return whose_form(model, library, said) or (_crash(model, library) if crash else library or "the class")


def whose_form(model: UserModel, library: str, said: str) -> str:
    """What it comes from that a library misses keys or values, as is said, which only another gives; empty if it does not."""
    bases = getattr(class_of(model), "__mro__", ())
    if not library or (library == "mashumaro" and any(base.__module__.startswith(library) for base in bases)):
        return ""
    way = model.conversion and (model.conversion.name or f"{model.name}.from_dict and {model.name}.to_dict")
    if not way and model.kind == "dataclass" and library != "mashumaro":
        records = (*model.parsed.schema.records, *model.written.schema.records)
        keyed = {name for one in records for f in one.fields if f.alias is not None for name in (f.name, f.wire)}
        way = "mashumaro's field_options" if keyed & {*re.findall(r"\w+", said)} else ""
    return f"{SERBENCH}, whose documents follow {way}, which {library} does not use" if way else ""


def _crash(model: UserModel, library: str) -> str:
    return f"a crash of {library or model.kind}"


def _whose_error(
    model: UserModel, library: str, records: list[Any], said: tuple[str, str], files: Iterable[str]
) -> str:
    """Whose an exception is that has passed these files: that of the innermost one outside the standard library."""
    (kind, text), files = said, list(files)
    if kind == "NameError" and files[-1:] == ["<string>"]:
        name = text.rpartition("name '")[2].partition("'")[0]
        homes = [vars(sys.modules.get(class_.__module__, sys)) for class_ in model.parsed.classes.values()]
        if not all(name in home for home in homes):
            return "the class, whose annotations name what its module lacks"
    passed = [Path(file) for file in files if Path(file).is_file()]
    passed = [path for path in passed if not _is_standard(path)]
    module = sys.modules.get(model.module.partition(".")[0], model.imported)
    home = next(iter(getattr(module, "__path__", ())), None) or module.__file__ or model.folder
    if passed and passed[-1].is_relative_to(home):
        return "the class"
    library = library or ("cattrs" if passed and "cattrs" in passed[-1].parts else "")
    return _whose(model, library, records, text, crash=bool(passed) and kind in _CRASHES)


def _is_standard(path: Path) -> bool:
    installed = {"site-packages", "dist-packages"} & {*path.parts}
    return not installed and re.search(r"/lib/py(?:thon|py)3\.\d+/", path.as_posix()) is not None
