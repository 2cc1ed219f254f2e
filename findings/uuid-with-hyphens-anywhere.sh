#!/usr/bin/env bash
# Six of nine libraries read a UUID whose hyphens and braces stand anywhere, such as "1-2345…"; msgspec alone also refuses urn:uuid:.
#
# Guess: the form of RFC 9562, the one without hyphens, and perhaps urn:uuid: and braces around it.
# Seen: Python's own class removes "urn:", "uuid:", braces and hyphens wherever they stand and then counts 32 digits, so the libraries
# that call it take what pydantic and serpyco-rs refuse. msgspec takes no braces and no urn:uuid: either.
# Versions: adaptix 3.0.0b12, apischema 0.19.0, databind 4.5.5, mashumaro 3.23, msgspec 0.23.0, pydantic 2.14.4, pyserde 0.34.0,
# serpyco-rs 1.23.0, typedload 2.41; CPython 3.11.
# Who meets it: whoever keeps the text of an id beside the UUID, or compares texts: many different texts are one id.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q adaptix==3.0.0b12 apischema==0.19.0 databind==4.5.5 mashumaro==3.23 msgspec==0.23.0 pydantic==2.14.4 pyserde==0.34.0 serpyco-rs==1.23.0 typedload==2.41
cat > reads.py <<'PY'
import json
from uuid import UUID

import adaptix
import apischema
import databind.json
import mashumaro.codecs.json
import msgspec
import pydantic
import serde.json
import serpyco_rs
import typedload
readers = {
    "adaptix": lambda text, type_: adaptix.Retort().load(json.loads(text), type_),
    "apischema": lambda text, type_: apischema.deserialize(type_, json.loads(text)),
    "databind": lambda text, type_: databind.json.load(json.loads(text), type_),
    "mashumaro": mashumaro.codecs.json.json_decode,
    "msgspec": lambda text, type_: msgspec.json.decode(text, type=type_),
    "pydantic": lambda text, type_: pydantic.TypeAdapter(type_).validate_json(text),
    "pyserde": lambda text, type_: serde.json.from_json(type_, text),
    "serpyco-rs": lambda text, type_: serpyco_rs.Serializer(type_).load(json.loads(text)),
    "typedload": lambda text, type_: typedload.load(json.loads(text), type_),
}
PLAIN = "12345678-1234-5678-1234-567812345678"
texts = {
    "no hyphens": PLAIN.replace("-", ""),
    "urn:uuid:": f"urn:uuid:{PLAIN}",
    "braces": f"{{{PLAIN}}}",
    "braces the other way": f"}}{PLAIN}{{",
    "one hyphen": f"1-{PLAIN.replace('-', '')[1:]}",
}
for name, read in readers.items():
    taken = []
    for what, text in texts.items():
        try:
            if read(json.dumps(text), UUID) == UUID(PLAIN):
                taken.append(what)
        except Exception:
            pass
    print(f"{name}: {', '.join(taken)}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
adaptix: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
apischema: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
databind: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
mashumaro: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
msgspec: no hyphens
pydantic: no hyphens, urn:uuid:, braces
pyserde: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
serpyco-rs: no hyphens, urn:uuid:, braces
typedload: no hyphens, urn:uuid:, braces, braces the other way, one hyphen
SEEN
