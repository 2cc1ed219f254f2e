#!/usr/bin/env bash
# A field of defaultdict[str, int] is read without its factory by adaptix, as a dict by databind; pyserde reads OrderedDict as dict.
#
# Guess: who accepts an annotation of `collections` returns that class, so that code behind it runs as before.
# Seen: pydantic, cattrs, mashumaro, pyserde and typical read a defaultdict with the factory `int`; adaptix reads one with the
#   factory None, databind a dict: all compare equal to what was written, and `counts["new"] += 1` is a KeyError.
#   pyserde reads OrderedDict and ChainMap as dict; cattrs, typical and databind merge a ChainMap into one map, mashumaro keeps
#   its maps apart. msgspec writes a Counter, a defaultdict and an OrderedDict, and refuses to read any of them.
# Versions: pydantic 2.14.3, msgspec 0.22.0, cattrs 26.2.1, mashumaro 3.23, adaptix 3.0.0b12, pyserde 0.34.0, typical 2.9.0,
#   databind 4.5.5; CPython 3.11.
# Who meets it: whoever counts or groups in what was loaded; a test that compares by `==` does not see it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 msgspec==0.22.0 cattrs==26.2.1 mashumaro==3.23 adaptix==3.0.0b12 pyserde==0.34.0 \
  typical==2.9.0 databind==4.5.5
cat > mappings.py <<'PY'
import json
from collections import ChainMap, Counter, OrderedDict, defaultdict

import adaptix
import databind.json
import mashumaro.codecs.json
import msgspec
import pydantic
import serde.json
import typic
from cattrs.preconf.json import make_converter

VALUES = {
    "defaultdict": (defaultdict[str, int], defaultdict(int, {"a": 1})),
    "Counter": (Counter[str], Counter("aab")),
    "OrderedDict": (OrderedDict[str, int], OrderedDict(b=1, a=2)),
    "ChainMap": (ChainMap[str, int], ChainMap({"a": 1}, {"b": 2})),
}
retort, converter = adaptix.Retort(), make_converter()
WAYS = {
    "pydantic": lambda kind, value: pydantic.TypeAdapter(kind).validate_json(pydantic.TypeAdapter(kind).dump_json(value)),
    "msgspec": lambda kind, value: msgspec.json.decode(msgspec.json.encode(value), type=kind),
    "cattrs": lambda kind, value: converter.loads(converter.dumps(value, kind), kind),
    "mashumaro": lambda kind, value: mashumaro.codecs.json.decode(mashumaro.codecs.json.encode(value, kind), kind),
    "adaptix": lambda kind, value: retort.load(json.loads(json.dumps(retort.dump(value, kind))), kind),
    "pyserde": lambda kind, value: serde.json.from_json(kind, serde.json.to_json(value, cls=kind)),
    "typical": lambda kind, value: typic.protocol(kind).transmute(json.loads(typic.protocol(kind).tojson(value))),
    "databind": lambda kind, value: databind.json.loads(databind.json.dumps(value, kind), kind),
}


def told(back):
    name = type(back).__name__
    if isinstance(back, defaultdict):
        return f"{name}({getattr(back.default_factory, '__name__', None)})"
    return f"{name}({len(back.maps)})" if isinstance(back, ChainMap) else name


for name, way in WAYS.items():
    seen = []
    for kind, value in VALUES.values():
        try:
            back = way(kind, value)
        except Exception:
            seen.append("refused")
        else:
            assert dict(back) == dict(value), (name, back)
            seen.append(told(back))
    print(name, *seen)
PY
.venv/bin/python -W ignore mappings.py 2>/dev/null | tee seen
diff seen - <<'SEEN'
pydantic defaultdict(int) Counter OrderedDict refused
msgspec refused refused refused refused
cattrs defaultdict(int) Counter OrderedDict ChainMap(1)
mashumaro defaultdict(int) Counter OrderedDict ChainMap(2)
adaptix defaultdict(None) refused refused refused
pyserde defaultdict(int) Counter dict dict
typical defaultdict(int) refused OrderedDict ChainMap(1)
databind dict refused OrderedDict ChainMap(1)
SEEN
