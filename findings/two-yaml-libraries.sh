#!/usr/bin/env bash
# What ruamel.yaml writes for the texts off, yes and 1:30, PyYAML reads as False, True and 90; what PyYAML writes for 1e3 and
# 0o14, ruamel.yaml reads as 1000.0 and 12.
#
# Guess: each writer puts quotes around every text that some version of YAML takes for another type, as both do for true.
# Seen: PyYAML knows YAML 1.1 alone and ruamel.yaml 1.2, each quotes what it would misread itself, and neither says anything.
# Versions: PyYAML 6.0.3, ruamel.yaml 0.19.1; CPython 3.11.
# Who meets it: whoever writes settings with one library and reads them in a tool that uses the other: switches, times, codes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q PyYAML==6.0.3 ruamel.yaml==0.19.1
cat > reads.py <<'PY'
from io import StringIO

import yaml
from ruamel.yaml import YAML


def ruamel(text):
    stream = StringIO()
    YAML(typ="safe", pure=True).dump({"a": text}, stream)
    return stream.getvalue()


for text in ("off", "yes", "1:30", "1e3", "0o14", "true"):
    by_ruamel, by_pyyaml = ruamel(text), yaml.safe_dump({"a": text})
    print(
        f"{text}: ruamel.yaml writes {by_ruamel.strip()}, PyYAML reads {yaml.safe_load(by_ruamel)['a']!r};",
        f"PyYAML writes {by_pyyaml.strip()}, ruamel.yaml reads {YAML(typ='safe', pure=True).load(by_pyyaml)['a']!r}",
    )
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
off: ruamel.yaml writes {a: off}, PyYAML reads False; PyYAML writes a: 'off', ruamel.yaml reads 'off'
yes: ruamel.yaml writes {a: yes}, PyYAML reads True; PyYAML writes a: 'yes', ruamel.yaml reads 'yes'
1:30: ruamel.yaml writes {a: 1:30}, PyYAML reads 90; PyYAML writes a: '1:30', ruamel.yaml reads '1:30'
1e3: ruamel.yaml writes {a: '1e3'}, PyYAML reads '1e3'; PyYAML writes a: 1e3, ruamel.yaml reads 1000.0
0o14: ruamel.yaml writes {a: '0o14'}, PyYAML reads '0o14'; PyYAML writes a: 0o14, ruamel.yaml reads 12
true: ruamel.yaml writes {a: 'true'}, PyYAML reads 'true'; PyYAML writes a: 'true', ruamel.yaml reads 'true'
SEEN
