#!/usr/bin/env bash
# msgspec with strict=False reads the texts 1e3 and 1.0 as the ints 1000 and 1, and refuses 007, +5, 1_000 and " 12 ", all of which
# pydantic reads; pydantic refuses 1e3.
#
# Guess: pydantic reads what `int(text)` reads, and 1.0; msgspec reads plain digits alone.
# Seen: the two agree on plain digits and on 1.0. msgspec takes a text for a JSON number, 1e3 too, pydantic for one of Python's.
# Versions: msgspec 0.22.0, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever reads queries, forms, environment variables or CSV with one of them, and moves to the other: an order
# number 007 is refused, and 1e3 becomes a number.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q msgspec==0.22.0 pydantic==2.14.3
cat > reads.py <<'PY'
import msgspec
import pydantic


def told(read, text):
    try:
        return read(text)
    except (msgspec.ValidationError, pydantic.ValidationError):
        return "refused"


readers = {
    "msgspec": lambda text: msgspec.convert(text, int, strict=False),
    "pydantic": pydantic.TypeAdapter(int).validate_python,
}
for text in ("12", "1.0", "1e3", "007", "+5", "1_000", " 12 "):
    print(repr(text), *(f"{name} {told(read, text)}" for name, read in readers.items()))
PY
.venv/bin/python reads.py | tee seen
diff seen - <<'SEEN'
'12' msgspec 12 pydantic 12
'1.0' msgspec 1 pydantic 1
'1e3' msgspec 1000 pydantic refused
'007' msgspec refused pydantic 7
'+5' msgspec refused pydantic 5
'1_000' msgspec refused pydantic 1000
' 12 ' msgspec refused pydantic 12
SEEN
