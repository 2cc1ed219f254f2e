#!/usr/bin/env bash
# FlexBuffers' package for Python refuses floats above 3.4e38, ints from 2^63 and keys like "é", which its own reader takes.
#
# Guess: everything that JSON holds is kept: the format has floats and unsigned ints of 64 bits, and its texts are UTF-8.
# Seen: `Dumps` raises for each: it tries a float first in 32 bits, doubles an int to see how many bits it needs, and writes keys
#   in ASCII, values in UTF-8. In a dict the error says only that the number of keys and values is odd. A Builder that is
#   told the width writes the same numbers, and `Loads` reads them.
# Versions: flatbuffers 25.12.19; CPython 3.11.
# Who meets it: whoever stores documents without a schema as FlexBuffers: a document fails on the first large number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q flatbuffers==25.12.19
cat > writes.py <<'PY'
from flatbuffers import flexbuffers


def answer(value):
    try:
        return "kept" if flexbuffers.Loads(flexbuffers.Dumps(value)) == value else "changed"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def built(method, value):
    builder = flexbuffers.Builder()
    getattr(builder, method)(value, 8)
    return flexbuffers.Loads(bytes(builder.Finish())) == value


for value in (3.4e38, 1e39, {"n": 1e39}, 2**63 - 1, 2**63, {"n": 2**63}, "é", {"é": 1}):
    print(repr(value), answer(value))
print("built with a width of 8:", built("Float", 1e39), built("UInt", 2**63))
PY
.venv/bin/python writes.py | tee seen
diff seen - <<'SEEN'
3.4e+38 kept
1e+39 OverflowError: float too large to pack with f format
{'n': 1e+39} RuntimeError: must be even number of keys and values
9223372036854775807 kept
9223372036854775808 ValueError: value is too big to encode: 18446744073709551616
{'n': 9223372036854775808} RuntimeError: must be even number of keys and values
'é' kept
{'é': 1} UnicodeEncodeError: 'ascii' codec can't encode character '\xe9' in position 0: ordinal not in range(128)
built with a width of 8: True True
SEEN
