"""Every wrong command ends with exit code 2 and one line that says what is wrong; nothing is measured or written."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from serbench.measure.session import WorkerSession

FILES = {
    "broken.json": "[1,\n 2 3]",
    "orders.json": '[{"id": 1, "note": "a"}, {"id": 2, "note": "b"}]',
    "wrong_schema.json": '{"type": "object", "required": 3}',
    "schema.json": '{"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}',
    "text.py": "VALUE = 3\nclass Plain:\n    pass\n",
    "syntax.py": "class Broken(:\n",
}
COMMANDS = [
    ("run -l ''", "an option is empty"),
    ("run -l pydantic@", "is not a version"),
    ("run -l pydantic@latest", "pydantic@"),
    ("run -l dataclasses@3.9", "is part of Python"),
    ("run -l msgspec[", "unknown library"),
    ("run -l msgspc", "unknown library 'msgspc': did you mean msgspec?"),
    ("run -l msgspec[gc=Flase]", "unknown variant of msgspec 'gc=Flase': did you mean gc=False?"),
    ("run -l pydantic+orjsn==3.10", "codec 'orjsn'"),
    ("run -f orjson/jsn", "unknown format"),
    ("run -f zzz", " more\n"),
    ("run -w client,nope", "unknown workload 'nope'"),
    ("run -n -5", "records must be at least 1"),
    ("run -n 1.5", "takes a whole number"),
    ("run -o decod", "unknown operation 'decod': did you mean decode?"),
    ("run -e huge", "known are quick, normal, thorough"),
    ("run --recrods 1", "--recrods"),
    ("rnu", "No such command 'rnu'"),
    ("nosuch", "No such command 'nosuch'; see serbench --help"),
    ("run --seed x", "takes a whole number"),
    ("run --seed 99999999999999999999999999", "seed"),
    ("run --precision 0%", "precision"),
    ("run --budget 0", "budget must be more than 0 s"),
    ("run --time-limit 0", "limit"),
    ("run --gc maybe", "unknown gc"),
    ("run --conditions cold", "conditions"),
    ("run --jobs 0", "jobs"),
    ("run --payload nosuch.json", "no such file"),
    ("run --payload broken.json", "broken.json: not JSON in line 2, column 4"),
    ("run --payload orders.json --schema wrong_schema.json", "wrong_schema.json"),
    ("run --payload orders.json --schema nosuch.json", "nosuch.json"),
    ("run --model text", "must be module:Class"),
    ("run --model text:not-a-name", "must be module:Class"),
    ("run --model nosuch:Thing", "nosuch cannot be imported from"),
    ("run --model text:Nothing", "text has no Nothing"),
    ("run --model text:VALUE", "VALUE"),
    ("run --model text:Plain", "Plain is not a model"),
    ("run --model syntax:Broken", "syntax"),
    ("run --store . -n 1", "."),
    ("run --resume nosuch", "nosuch"),
    ("verify --sweep -1", "at least 1 value"),
    ("weigh --metric weight", "unknown metric"),
    ("weigh --processes 9999999", "processes must be between 1 and 1,000"),
    ("weigh -o read", "only encode and decode are weighed"),
    ("weigh --stored nosuch", "there is no"),
    ("compare a", "there is no store"),
    ("history nosuch", "unknown library 'nosuch'"),
    ("history orjson", "name versions of the codec orjson"),
    ("run -l yours@2.10.6", "yours@2.10.6 means your own class; name it with --model"),
    ("history pydantik 2.5", "did you mean pydantic"),
    ("history dataclasses 3.9", "is part of Python"),
    ("gate --baseline dataclasses", "Missing option '--candidate'; see serbench gate --help"),
    ("gate --baseline dataclasses --candidate orjson", "orjson is a codec or format"),
    ("gate --baseline dataclasses --candidate nosuch", "unknown library"),
    ("gate --baseline dataclasses --candidate dataclasses", "name two versions"),
    ("gate --baseline yours --candidate attrs", "name it with --model"),
    ("recommend --demand fast", "unknown demand"),
    ("show", "Missing argument 'LIST|LIBRARY|FILE|MODULE:CLASS'; see serbench show --help"),
    ("adopt msgspec json -o schema.json", "schema.json exists already"),
    ("claims nosuch", "nosuch"),
    ("run --stored nosuch", "there is no"),
    ("verify --stream 1M -w tiny,client", "--stream takes one value of --workload"),
    ("recommend --cores 0", "--cores takes a number above 0"),
    ("recommend --compression lzma", "unknown compression 'lzma'"),
    ("show librarys", "unknown list, library or file 'librarys': did you mean libraries?"),
    ("show msgspec", "msgspec is a library; also give a codec"),
    ("show pydantic@* json", "pydantic@* are several; name one, such as pydantic"),
    ("show dacite pickle", "cannot represent client"),
    ("app ''", "an option is empty"),
    ("selfcheck nosuch", "nosuch"),
    ("report --image bmp", "unknown image"),
    ("app nosuch.json", "no such file"),
    ("app --lab schema.json", "the notebooks cannot be copied to"),
    ("env", "Missing command; see serbench env --help"),
    ("env -", "No such command '-'"),
    ("-", "No such command '-'"),
    ("env build pydantik@2.5", "did you mean pydantic"),
    ("env build pydantik", "did you mean pydantic"),
    ("env remove pydantic==9", "unknown environment"),
    ("env remove main", "pip uninstall serbench"),
    ("claims --effort *", "unknown effort '*'"),
    ("verify --all -l msgspec --time-limit 0", "time limit must be more than 0 s"),
    ("recommend --present yours/json", "yours/json means your own class; name it with --model"),
    (f"show {'a' * 300}", "a"),
    (f"run --payload {'a' * 300}.json", "a"),
]


@pytest.mark.drawn(part=4)
@pytest.mark.parametrize(("line", "told"), COMMANDS, ids=[line for line, _ in COMMANDS])
def test_wrong_command(refused, tmp_path, monkeypatch, line, told):
    """One line on standard error names what is wrong; no file appears, and no process is started for a case."""
    monkeypatch.setattr(WorkerSession, "_start", lambda _: pytest.fail("it has begun to measure"))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "store" / "runs.sqlite"))
    assert told in refused(*shlex.split(line))
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == set(FILES)


def test_a_long_name_of_an_interpreter_is_one_line(cli):
    """What no file can be called is no fault of ours."""
    code, _, err = cli("run", "--python", "x" * 240)
    assert (1, True) == (code, "nothing was measured: no interpreter 'xxx" in err), err


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_a_name_that_is_not_utf_8_is_said(tmp_path, refused):
    """A run keeps the names of its files as JSON; the line shows the byte as an escape."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    Path(path).write_text("[1]")
    assert r"\udcff.json is not UTF-8; rename the file or its folder" in refused("run", "--payload", path)
