#!/usr/bin/env bash
# Four of ten libraries write a combination of a Flag and refuse to read it; two of them write an empty one as null.
#
# Guess: whoever writes `Flag.a | Flag.b` reads it, as `Flag(3)` of Python does; who does not know combinations refuses both.
# Seen: pydantic, msgspec, cattrs, mashumaro, adaptix and pyserde write 3 and read it. apischema and typical write 3 and
#   refuse it, typical even a single member; jsons and databind write "a|b" and refuse it, and write an empty one as null.
#   Of an IntFlag with a bit that has no name, adaptix writes 8 and refuses 8.
# Versions: pydantic 2.14.3, msgspec 0.22.0, cattrs 26.2.1, mashumaro 3.23, adaptix 3.0.0b12, pyserde 0.34.0, apischema 0.19.0,
#   typical 2.9.0, jsons 1.6.3, databind 4.5.5; CPython 3.11.
# Who meets it: whoever stores permissions or options as a Flag: single members come back, the first combination does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 msgspec==0.22.0 cattrs==26.2.1 mashumaro==3.23 adaptix==3.0.0b12 pyserde==0.34.0 \
  apischema==0.19.0 typical==2.9.0 jsons==1.6.3 databind==4.5.5
cat > flags.py <<'PY'
import enum
import json
import warnings

import adaptix
import apischema
import databind.json
import jsons
import mashumaro.codecs.json
import msgspec
import pydantic
import serde.json
import typic
from cattrs.preconf.json import make_converter

warnings.simplefilter("ignore")


class Right(enum.Flag):
    a = 1
    b = 2


class Bit(enum.IntFlag):
    a = 1
    b = 2


def as_text(written):
    return written.decode() if isinstance(written, bytes) else written


def ways(kind):
    adapter, retort, converter = pydantic.TypeAdapter(kind), adaptix.Retort(), make_converter()
    encoder, decoder = mashumaro.codecs.json.JSONEncoder(kind), mashumaro.codecs.json.JSONDecoder(kind)
    return {
        "pydantic": (adapter.dump_json, adapter.validate_json),
        "msgspec": (msgspec.json.encode, lambda text: msgspec.json.decode(text, type=kind)),
        "cattrs": (lambda value: converter.dumps(value, kind), lambda text: converter.loads(text, kind)),
        "mashumaro": (encoder.encode, decoder.decode),
        "adaptix": (
            lambda value: json.dumps(retort.dump(value, kind)),
            lambda text: retort.load(json.loads(text), kind),
        ),
        "pyserde": (
            lambda value: serde.json.to_json(value, cls=kind),
            lambda text: serde.json.from_json(kind, text),
        ),
        "apischema": (
            lambda value: json.dumps(apischema.serialize(kind, value)),
            lambda text: apischema.deserialize(kind, json.loads(text)),
        ),
        "typical": (
            typic.protocol(kind).tojson,
            lambda text: typic.protocol(kind).transmute(json.loads(text)),
        ),
        "jsons": (lambda value: jsons.dumps(value, cls=kind), lambda text: jsons.loads(text, kind)),
        "databind": (lambda value: databind.json.dumps(value, kind), lambda text: databind.json.loads(text, kind)),
    }


def answers(kind, value):
    found = {}
    for name, (write, read) in ways(kind).items():
        text = as_text(write(value))
        try:
            found[name] = text, "kept" if read(text) == value else "changed"
        except Exception:
            found[name] = text, "refused"
    return found


KEEP = ("pydantic", "msgspec", "cattrs", "mashumaro", "adaptix", "pyserde")
single, both = answers(Right, Right.b), answers(Right, Right.a | Right.b)
none, unnamed = answers(Right, Right(0)), answers(Bit, Bit(8))
for name in both:
    print(f"{name:10} one {single[name]}, two {both[name]}, none {none[name]}, 8 of an IntFlag {unnamed[name]}")
named = dict.fromkeys(("jsons", "databind"), ('"b"', "kept"))
assert single == {**dict.fromkeys(both, ("2", "kept")), **named, "typical": ("2", "refused")}, single
assert both == {
    **dict.fromkeys(KEEP, ("3", "kept")),
    **dict.fromkeys(("apischema", "typical"), ("3", "refused")),
    **dict.fromkeys(("jsons", "databind"), ('"a|b"', "refused")),
}, both
assert {name: none[name] for name in ("jsons", "databind")} == dict.fromkeys(named, ("null", "refused")), none
assert all(none[name] == ("0", "kept") for name in KEEP), none
assert unnamed["adaptix"] == ("8", "refused"), unnamed
assert all(unnamed[name] == ("8", "kept") for name in KEEP if name != "adaptix"), unnamed
PY
.venv/bin/python flags.py
