#!/usr/bin/env bash
# mashumaro's encoder of Literal["auto"] | Any refuses every value but "auto", all of which its decoder of the same type reads.
#
# Guess: Any takes what the Literal does not, in both directions, as it does beside an int.
# Seen: "zz", 1, [1] and None are read and then refused in writing; beside an int they are written. A field of a dataclass does the same.
# Versions: mashumaro 3.23; CPython 3.11.
# Who meets it: whoever describes a setting that is one known word or anything else: the program reads it, and fails on saving.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q mashumaro==3.23
cat > writes.py <<'PY'
import json
from dataclasses import dataclass
from typing import Any, Literal, Union

from mashumaro.codecs.json import JSONDecoder, JSONEncoder


@dataclass
class Setting:
    size: Union[Literal["auto"], Any]


def tried(kind, text):
    try:
        value = JSONDecoder(kind).decode(text)
    except Exception as error:
        return f"not read: {type(error).__name__}"
    try:
        return f"written as {JSONEncoder(kind).encode(value)}"
    except Exception as error:
        return f"read, not written: {type(error).__name__}"


for kind in (Union[Literal["auto"], Any], Union[int, Any]):
    for value in ("auto", "zz", 1, [1], None):
        print(kind, json.dumps(value), tried(kind, json.dumps(value)))
print("in a field", tried(Setting, '{"size": 40}'))
PY
.venv/bin/python writes.py | tee seen
diff seen - <<'SEEN'
typing.Union[typing.Literal['auto'], typing.Any] "auto" written as "auto"
typing.Union[typing.Literal['auto'], typing.Any] "zz" read, not written: ValueError
typing.Union[typing.Literal['auto'], typing.Any] 1 read, not written: ValueError
typing.Union[typing.Literal['auto'], typing.Any] [1] read, not written: ValueError
typing.Union[typing.Literal['auto'], typing.Any] null read, not written: ValueError
typing.Union[int, typing.Any] "auto" written as "auto"
typing.Union[int, typing.Any] "zz" written as "zz"
typing.Union[int, typing.Any] 1 written as 1
typing.Union[int, typing.Any] [1] written as [1]
typing.Union[int, typing.Any] null written as null
in a field read, not written: ValueError
SEEN
