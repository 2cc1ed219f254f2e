#!/usr/bin/env bash
# What pydantic, msgspec, mashumaro, apischema and serpyco-rs write is not always valid under the JSON Schema that they make for it.
#
# Guess: only NaN and infinity, which JSON lacks, contradict a library's own schema.
# Seen: with formats asserted, as `jsonschema-rs` can, a naive datetime or time is refused (`date-time` and `time` ask for an
#   offset; msgspec leaves the format out for those that have none), and 1.5 seconds too (`duration` has no fractions).
#   mashumaro asks names of properties to be numbers, so it refuses each object of a dict[int, str]; apischema calls a network
#   `ipv4`. NaN is refused as null where it is written as null.
# Versions: pydantic 2.14.3, msgspec 0.22.0, mashumaro 3.23, apischema 0.19.0, serpyco-rs 1.23.0, jsonschema-rs 0.60.3; CPython 3.11.
# Who meets it: whoever checks answers of a service against its OpenAPI description, or generates clients that check formats.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 msgspec==0.22.0 mashumaro==3.23 apischema==0.19.0 serpyco-rs==1.23.0 jsonschema-rs==0.60.3
cat > schemas.py <<'PY'
import json
from datetime import datetime, time, timedelta, timezone
from ipaddress import IPv4Network

import apischema.json_schema
import jsonschema_rs
import mashumaro.codecs.json
import mashumaro.jsonschema
import msgspec
import pydantic
import serpyco_rs

VALUES = {
    "naive datetime": (datetime, datetime(2026, 1, 2, 3, 4, 5)),
    "datetime in UTC": (datetime, datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)),
    "naive time": (time, time(3, 4, 5)),
    "1 second": (timedelta, timedelta(seconds=1)),
    "1.5 seconds": (timedelta, timedelta(seconds=1.5)),
    "network": (IPv4Network, IPv4Network("10.0.0.0/8")),
    "dict[int, str]": (dict[int, str], {1: "a"}),
    "NaN": (float, float("nan")),
}


def of_pydantic(kind, value):
    adapter = pydantic.TypeAdapter(kind)
    return adapter.dump_json(value), adapter.json_schema(mode="serialization")


def of_msgspec(kind, value):
    return msgspec.json.encode(value), msgspec.json.schema(kind)


def of_mashumaro(kind, value):
    return mashumaro.codecs.json.encode(value, kind), mashumaro.jsonschema.build_json_schema(kind).to_dict()


def of_apischema(kind, value):
    return json.dumps(apischema.serialize(kind, value)), apischema.json_schema.serialization_schema(kind)


def of_serpyco_rs(kind, value):
    serializer = serpyco_rs.Serializer(kind)
    return json.dumps(serializer.dump(value)), serializer.get_json_schema()


for way in (of_pydantic, of_msgspec, of_mashumaro, of_apischema, of_serpyco_rs):
    refused, cannot = [], []
    for name, (kind, value) in VALUES.items():
        try:
            text, schema = way(kind, value)
        except Exception:
            cannot.append(name)
            continue
        checker = jsonschema_rs.validator_for(json.loads(json.dumps(schema)), validate_formats=True)
        if not checker.is_valid(json.loads(text)):
            refused.append(name)
    print(way.__name__[3:], "refuses", refused, "cannot", cannot)
PY
.venv/bin/python -W ignore schemas.py | tee seen
diff seen - <<'SEEN'
pydantic refuses ['naive datetime', 'naive time', '1.5 seconds', 'NaN'] cannot []
msgspec refuses ['1.5 seconds', 'NaN'] cannot ['network']
mashumaro refuses ['naive datetime', 'naive time', 'dict[int, str]', 'NaN'] cannot []
apischema refuses ['naive datetime', 'naive time', 'network', 'NaN'] cannot ['1 second', '1.5 seconds', 'dict[int, str]']
serpyco_rs refuses ['naive datetime', 'naive time', 'NaN'] cannot ['1 second', '1.5 seconds', 'network']
SEEN
