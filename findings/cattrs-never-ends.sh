#!/usr/bin/env bash
# cattrs writes the datetime 9999-12-31T23:59:59.999999+00:00, a usual "never", to MessagePack and CBOR, and cannot read it back.
#
# Guess: the same instant comes back; both formats have exact timestamps.
# Seen: the converters write a float of seconds. From 2243 on, microseconds change (half of them at first, nearly all at last);
#   the last one of 9999 becomes the year 10000. msgpack and cbor2, which have timestamps of their own, keep all of them.
# Versions: cattrs 26.2.1, msgpack 1.2.4, cbor2 6.3.0; CPython 3.11.
# Who meets it: whoever stores contracts or permissions that never end, with datetime.max as the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q cattrs==26.2.1 msgpack==1.2.4 cbor2==6.3.0
cat > keeps.py <<'PY'
from datetime import datetime, timedelta, timezone

import cattrs.preconf.cbor2
import cattrs.preconf.json
import cattrs.preconf.msgpack
import cbor2
import msgpack


def through(converter):
    return lambda value: converter.loads(converter.dumps(value, datetime), datetime)


WAYS = {
    "cattrs for json": through(cattrs.preconf.json.make_converter()),
    "cattrs for msgpack": through(cattrs.preconf.msgpack.make_converter()),
    "cattrs for cbor2": through(cattrs.preconf.cbor2.make_converter()),
    "msgpack": lambda value: msgpack.unpackb(msgpack.packb(value, datetime=True), timestamp=3),
    "cbor2": lambda value: cbor2.loads(cbor2.dumps(value)),
}
never = datetime.max.replace(tzinfo=timezone.utc)
for name, way in WAYS.items():
    kept = []
    for year in (2026, 2243, 9999):
        moments = [datetime(year, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=step) for step in range(0, 4000)]
        kept.append(f"{sum(way(moment) == moment for moment in moments) / len(moments):.0%}")
    try:
        end = "kept" if way(never) == never else "changed"
    except ValueError as error:
        end = f"refused: {error}"
    print(f"{name}: {', '.join(kept)} of 2026, 2243, 9999 kept; the last microsecond {end}")
PY
.venv/bin/python keeps.py | tee seen
diff seen - <<'SEEN'
cattrs for json: 100%, 100%, 100% of 2026, 2243, 9999 kept; the last microsecond kept
cattrs for msgpack: 100%, 52%, 3% of 2026, 2243, 9999 kept; the last microsecond refused: year 10000 is out of range
cattrs for cbor2: 100%, 52%, 3% of 2026, 2243, 9999 kept; the last microsecond refused: year 10000 is out of range
msgpack: 100%, 100%, 100% of 2026, 2243, 9999 kept; the last microsecond kept
cbor2: 100%, 100%, 100% of 2026, 2243, 9999 kept; the last microsecond kept
SEEN
