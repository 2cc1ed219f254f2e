#!/usr/bin/env bash
# msgspec, orjson, pydantic, ormsgpack, rapidjson and Ion cut the seconds of an offset, which moves the moment;
# tomli-w, tomlkit, PyYAML and ruamel.yaml write a text that they, or `tomllib`, refuse.
#
# Guess: 1 January 1880, 12:00 in Berlin, is +00:53:28 in `zoneinfo`. JSON has texts only, so all write what `isoformat`
#   does, or the moment in UTC where the format has no such offset; none moves it.
# Seen: six write +00:53, which is 28 s later. Of -00:44:30, orjson and ormsgpack make -00:45 and the other four -00:44, so
#   that texts of one moment are 60 s apart. TOML and YAML get a text that is neither. cbor2, cattrs' JSON and MessagePack
#   (a timestamp in UTC) keep the moment, and so does Arrow, with the name of the zone.
# Versions: msgspec 0.23.0, orjson 3.13.0, pydantic 2.14.4, ormsgpack 1.13.1, python-rapidjson 1.25, amazon.ion 0.15.0,
#   tomli-w 1.2.0, tomlkit 0.15.2, PyYAML 6.0.4, ruamel.yaml 0.19.1, cbor2 6.3.0, cattrs 26.2.1, msgpack 1.2.4,
#   pyarrow 26.0.1, tzdata 2026.6; CPython 3.11.
# Who meets it: whoever writes dates of births, deeds or weather records with the zone of their place; most zones had such
#   an offset until about 1900, Amsterdam until 1937, Monrovia until 1972.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q msgspec==0.23.0 orjson==3.13.0 pydantic==2.14.4 ormsgpack==1.13.1 python-rapidjson==1.25 \
  amazon.ion==0.15.0 tomli-w==1.2.0 tomlkit==0.15.2 PyYAML==6.0.4 ruamel.yaml==0.19.1 cbor2==6.3.0 cattrs==26.2.1 \
  msgpack==1.2.4 pyarrow==26.0.1 tzdata==2026.6
cat > moments.py <<'PY'
import io
import tomllib
from datetime import datetime
from zoneinfo import ZoneInfo

import cbor2
import msgpack
import msgspec
import orjson
import ormsgpack
import pyarrow
import rapidjson
import tomli_w
import tomlkit
import yaml
from amazon.ion import simpleion
from cattrs.preconf.json import make_converter
from pydantic import TypeAdapter
from ruamel.yaml import YAML

adapter, converter, safe = TypeAdapter(datetime), make_converter(), YAML(typ="safe")


def by_ruamel(value):
    file = io.StringIO()
    safe.dump([value], file)
    return safe.load(file.getvalue())[0]


def by_rapidjson(value):
    text = rapidjson.dumps(value, datetime_mode=rapidjson.DM_ISO8601)
    return rapidjson.loads(text, datetime_mode=rapidjson.DM_ISO8601)


ways = {
    "msgspec": lambda value: msgspec.json.decode(msgspec.json.encode(value), type=datetime),
    "orjson": lambda value: datetime.fromisoformat(orjson.loads(orjson.dumps(value))),
    "pydantic": lambda value: adapter.validate_json(adapter.dump_json(value)),
    "ormsgpack": lambda value: datetime.fromisoformat(ormsgpack.unpackb(ormsgpack.packb(value))),
    "rapidjson": by_rapidjson,
    "ion": lambda value: simpleion.loads(simpleion.dumps(value)),
    "tomli-w": lambda value: tomllib.loads(tomli_w.dumps({"at": value}))["at"],
    "tomlkit": lambda value: tomlkit.parse(tomlkit.dumps({"at": value}))["at"],
    "PyYAML": lambda value: yaml.safe_load(yaml.safe_dump(value)),
    "ruamel.yaml": by_ruamel,
    "cbor2": lambda value: cbor2.loads(cbor2.dumps(value)),
    "cattrs": lambda value: converter.loads(converter.dumps(value), datetime),
    "msgpack": lambda value: msgpack.unpackb(msgpack.packb(value, datetime=True), timestamp=3),
    "pyarrow": lambda value: pyarrow.array([value]).to_pylist()[0],
}
for place, year in (("Europe/Berlin", 1880), ("Africa/Monrovia", 1971)):
    moment = datetime(year, 1, 1, 12, tzinfo=ZoneInfo(place))
    print(moment.isoformat())
    for name, way in ways.items():
        try:
            print(name, (way(moment) - moment).total_seconds())
        except Exception as error:
            print(name, type(error).__name__)
PY
.venv/bin/python moments.py | tee seen
diff seen - <<'SEEN'
1880-01-01T12:00:00+00:53:28
msgspec 28.0
orjson 28.0
pydantic 28.0
ormsgpack 28.0
rapidjson 28.0
ion 28.0
tomli-w TOMLDecodeError
tomlkit InvalidNumberError
PyYAML AttributeError
ruamel.yaml ConstructorError
cbor2 0.0
cattrs 0.0
msgpack 0.0
pyarrow 0.0
1971-01-01T12:00:00-00:44:30
msgspec -30.0
orjson 30.0
pydantic -30.0
ormsgpack 30.0
rapidjson -30.0
ion -30.0
tomli-w TOMLDecodeError
tomlkit InvalidNumberError
PyYAML AttributeError
ruamel.yaml ConstructorError
cbor2 0.0
cattrs 0.0
msgpack 0.0
pyarrow 0.0
SEEN
