#!/usr/bin/env bash
# jsonpickle writes a bytearray without its bytes, and reads it as an empty one; a compiled pattern loses its flags, and a mappingproxy
# becomes a dict of jsonpickle's own words.
#
# Guess: all come back, as through pickle, or are refused, as pickle refuses a mappingproxy.
# Seen: no error. bytes, an array.array, a subclass of bytes and a set are kept.
# Versions: jsonpickle 4.1.4; CPython 3.11.
# Who meets it: whoever stores objects that hold a buffer or a pattern, and looks at the document only when its data is needed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q jsonpickle==4.1.4
cat > keeps.py <<'PY'
import array
import re
import types

import jsonpickle


class Name(bytes):
    pass


for value in (
    *(b"abc", Name(b"abc"), array.array("i", [1, 2]), {1, 2}),
    *(bytearray(b"abc"), re.compile("a", re.IGNORECASE), types.MappingProxyType({"a": 1})),
):
    text = jsonpickle.dumps(value)
    back = jsonpickle.loads(text)
    print(type(value).__name__, "kept" if back == value else f"written as {text}, read as {back!r}")
PY
.venv/bin/python -W ignore keeps.py | tee seen
diff seen - <<'SEEN'
bytes kept
Name kept
array kept
set kept
bytearray written as {"py/object": "builtins.bytearray"}, read as bytearray(b'')
Pattern written as {"py/object": "re.Pattern", "pattern": "a"}, read as re.compile('a')
mappingproxy written as {"py/object": "builtins.mappingproxy"}, read as {'py/object': 'builtins.mappingproxy'}
SEEN
