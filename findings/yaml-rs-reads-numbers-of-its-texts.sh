#!/usr/bin/env bash
# yaml-rs writes the texts 1_000, 0o14, 0b11 and _1 without quotes, and reads its own document back as 1000, 12, 3 and 1.
#
# One would guess: what a library writes it reads as it was, since it quotes 12, 1e3 and 0x1F.
# Seen: the writer does not know what the reader takes for numbers: digits with underscores, `_1` among them, and other bases.
# Versions: yaml-rs 0.1.6; CPython 3.11.
# Who meets it: whoever stores article numbers, licence plates or identifiers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q yaml-rs==0.1.6
cat > reads.py <<'PY'
import yaml_rs

for text in ("12", "1e3", "0x1F", "1_000", "0o14", "0b11", "_1", "1e1_0"):
    document = yaml_rs.dumps({"a": text})
    print(f"{text!r} is written as {document.splitlines()[-1]} and read as {yaml_rs.loads(document)['a']!r}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
'12' is written as a: "12" and read as '12'
'1e3' is written as a: "1e3" and read as '1e3'
'0x1F' is written as a: "0x1F" and read as '0x1F'
'1_000' is written as a: 1_000 and read as 1000
'0o14' is written as a: 0o14 and read as 12
'0b11' is written as a: 0b11 and read as 3
'_1' is written as a: _1 and read as 1
'1e1_0' is written as a: 1e1_0 and read as 10000000000.0
SEEN
