#!/usr/bin/env bash
# thriftpy2's JSON protocol writes 2^63 into an i64 and reads it back, its binary protocols cut 1.5 to 1, and each gives a set
# back as a list.
#
# One would guess: the types of the IDL hold in every protocol: a number that is no i64 is refused, and a set is a set.
# Seen: only the binary protocols refuse 2^63, so data that passes every test in JSON fails when the transport changes; all
# of them but the compact one lose the fraction without a word, and none makes a set.
# Versions: thriftpy2 0.7.1; CPython 3.11.
# Who meets it: whoever debugs a service with the JSON protocol and runs it with the binary one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q thriftpy2==0.7.1
cat > reads.py <<'PY'
from io import StringIO

from thriftpy2 import protocol, utils
from thriftpy2.parser.parser import parse_fp

idl = parse_fp(StringIO("struct Row { 1: i64 count, 2: set<string> tags }"), "row_thrift", enable_cache=False)
for name in ("TCyBinaryProtocolFactory", "TBinaryProtocolFactory", "TCompactProtocolFactory", "TJSONProtocolFactory"):
    factory = getattr(protocol, name)
    for values in ({"count": 2**63}, {"count": 1.5}, {"tags": {"a"}}):
        try:
            row = utils.deserialize(idl.Row(), utils.serialize(idl.Row(**values), factory()), factory())
            print(name, values, "becomes", row.count if "count" in values else row.tags)
        except Exception as error:
            print(name, values, "is refused:", type(error).__name__)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
TCyBinaryProtocolFactory {'count': 9223372036854775808} is refused: TDecodeException
TCyBinaryProtocolFactory {'count': 1.5} becomes 1
TCyBinaryProtocolFactory {'tags': {'a'}} becomes ['a']
TBinaryProtocolFactory {'count': 9223372036854775808} is refused: TDecodeException
TBinaryProtocolFactory {'count': 1.5} becomes 1
TBinaryProtocolFactory {'tags': {'a'}} becomes ['a']
TCompactProtocolFactory {'count': 9223372036854775808} is refused: TProtocolException
TCompactProtocolFactory {'count': 1.5} is refused: TypeError
TCompactProtocolFactory {'tags': {'a'}} becomes ['a']
TJSONProtocolFactory {'count': 9223372036854775808} becomes 9223372036854775808
TJSONProtocolFactory {'count': 1.5} becomes 1
TJSONProtocolFactory {'tags': {'a'}} becomes ['a']
SEEN
