#!/usr/bin/env bash
# On Python 3.14, apischema cannot read or write a plain dataclass, and dataclass-factory none with a field that may be None.
#
# Guess: both fail alike, at import, or neither does.
# Seen: both install and import. Annotations are made when they are asked for since 3.14: apischema looks into the namespace of
#   the class, where they no longer are, so `deserialize` is "KeyError: 'number'"; below `from __future__ import annotations` it
#   works. dataclass-factory takes `int`, and fails at `Optional[str]`, whose class has other attributes since 3.14, with and
#   without that line. Eight others read both.
# Versions: apischema 0.19.0, dataclass-factory 2.16, mashumaro 3.23, cattrs 26.2.1, adaptix 3.0.0b12, dacite 1.9.2,
#   pyserde 0.34.0, msgspec 0.22.0, pydantic 2.14.3, typical 2.9.0; CPython 3.14, which must be there as `python3.14`.
# Who meets it: whoever moves a service to 3.14 and sees that all dependencies install.
set -euo pipefail
python=$(command -v python3.14) || { echo "python3.14 is not here, so nothing was shown; install it" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv .venv
.venv/bin/pip install -q apischema==0.19.0 dataclass-factory==2.16 mashumaro==3.23 cattrs==26.2.1 adaptix==3.0.0b12 \
  dacite==1.9.2 pyserde==0.34.0 msgspec==0.22.0 pydantic==2.14.3 typical==2.9.0
cat > model.py <<'PY'
import dataclasses
from typing import Optional


@dataclasses.dataclass
class Plain:
    number: int


@dataclasses.dataclass
class Order:
    number: int
    note: Optional[str] = None
PY
{ echo "from __future__ import annotations"; cat model.py; } > model_with_future.py
cat > read.py <<'PY'
import adaptix
import apischema
import cattrs
import dacite
import dataclass_factory
import mashumaro.codecs
import model
import model_with_future
import msgspec
import pydantic
import serde
import typic

WAYS = {
    "apischema": apischema.deserialize,
    "dataclass-factory": lambda cls, data: dataclass_factory.Factory().load(data, cls),
    "mashumaro": lambda cls, data: mashumaro.codecs.BasicDecoder(cls).decode(data),
    "cattrs": lambda cls, data: cattrs.structure(data, cls),
    "adaptix": lambda cls, data: adaptix.Retort().load(data, cls),
    "dacite": dacite.from_dict,
    "pyserde": lambda cls, data: serde.from_dict(serde.serde(cls), data),
    "msgspec": lambda cls, data: msgspec.convert(data, cls),
    "pydantic": lambda cls, data: pydantic.TypeAdapter(cls).validate_python(data),
    "typical": lambda cls, data: typic.protocol(cls).transmute(data),
}
for name, read in WAYS.items():
    seen = []
    for module in (model, model_with_future):
        for cls, data in ((module.Plain, {"number": 1}), (module.Order, {"number": 1, "note": "a"})):
            try:
                seen.append("read" if read(cls, data) == cls(**data) else "changed")
            except Exception as error:
                seen.append(type(error).__name__)
    print(name, *seen)
PY
.venv/bin/python -W ignore read.py | tee seen
diff seen - <<'SEEN'
apischema KeyError KeyError read read
dataclass-factory read TypeError read TypeError
mashumaro read read read read
cattrs read read read read
adaptix read read read read
dacite read read read read
pyserde read read read read
msgspec read read read read
pydantic read read read read
typical read read read read
SEEN
