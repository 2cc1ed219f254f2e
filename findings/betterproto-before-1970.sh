#!/usr/bin/env bash
# betterproto moves a datetime before 1970 with a fraction of a second by one second, into the next year for the last half second of 1969.
#
# Guess: the datetime comes back as it was.
# Seen: seconds are cut towards zero and the fraction is added to them. Its JSON writes the clock time of any offset with a Z,
# and so another instant. protobuf's own Timestamp keeps the instant in both.
# Versions: betterproto 1.2.5, protobuf 7.36.2; CPython 3.11.
# Who meets it: whoever sends dates of birth, archives or measurements as Timestamp, or local times as JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q betterproto==1.2.5 protobuf==7.36.2
cat > reads.py <<'PY'
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import betterproto
from google.protobuf.timestamp_pb2 import Timestamp


@dataclass
class Event(betterproto.Message):
    at: datetime = betterproto.message_field(1)


for moment in (
    datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC),
    datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
    datetime(1900, 1, 1, tzinfo=UTC),
    datetime(2024, 6, 15, 9, tzinfo=timezone(timedelta(hours=5, minutes=45))),
):
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    print(moment.isoformat())
    print("  betterproto", Event().parse(bytes(Event(at=moment))).at.isoformat(), Event(at=moment).to_json())
    print("  protobuf", stamp.ToDatetime(UTC).isoformat(), stamp.ToJsonString())
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
1969-12-31T23:59:59.500000+00:00
  betterproto 1970-01-01T00:00:00.500000+00:00 {"at": "1969-12-31T23:59:59.500Z"}
  protobuf 1969-12-31T23:59:59.500000+00:00 1969-12-31T23:59:59.500Z
1900-01-01T00:00:00.000001+00:00
  betterproto 1900-01-01T00:00:01.000001+00:00 {"at": "1900-01-01T00:00:00.000001Z"}
  protobuf 1900-01-01T00:00:00.000001+00:00 1900-01-01T00:00:00.000001Z
1900-01-01T00:00:00+00:00
  betterproto 1900-01-01T00:00:00+00:00 {"at": "1900-01-01T00:00:00Z"}
  protobuf 1900-01-01T00:00:00+00:00 1900-01-01T00:00:00Z
2024-06-15T09:00:00+05:45
  betterproto 2024-06-15T03:15:00+00:00 {"at": "2024-06-15T09:00:00Z"}
  protobuf 2024-06-15T03:15:00+00:00 2024-06-15T03:15:00Z
SEEN
