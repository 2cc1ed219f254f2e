#!/usr/bin/env bash
# py-ubjson writes with container_count=True what its own decoder in Python refuses: an empty list or object that is not the last item.
#
# Guess: the two implementations of the package, in C and in Python, read the same bytes.
# Seen: the one in C, which loadb is where it could be compiled, reads them; the one in Python raises DecoderException.
# Versions: py-ubjson 0.16.1; CPython 3.11.
# Who meets it: whoever writes with counts and is read where there is no compiler, as on PyPy: the default without counts is read by both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q py-ubjson==0.16.1
.venv/bin/python - <<'PY'
import ubjson
from ubjson import decoder

value = {"tags": [], "count": 1}
assert ubjson.EXTENSION_ENABLED, "the part in C was not compiled, so there is nothing to compare"
usual, counted = ubjson.dumpb(value), ubjson.dumpb(value, container_count=True)
assert counted == b"{#U\x02U\x04tags[#U\x00U\x05countU\x01", counted
assert value == ubjson.loadb(usual) == decoder.loadb(usual) == ubjson.loadb(counted)
try:
    decoder.loadb(counted)
except ubjson.DecoderException as error:
    assert str(error.args[0]) == "Integer marker expected (at byte 16)", error
else:
    raise SystemExit("the decoder in Python reads it now")
assert [1, []] == decoder.loadb(ubjson.dumpb([1, []], container_count=True))  # as the last item
print("as seen")
PY
