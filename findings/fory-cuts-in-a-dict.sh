#!/usr/bin/env bash
# pyfory writes 1.5 as 1 if it is a value of a dict[str, int], and refuses it in a field or a list of int; None for a bool is False.
#
# Guess: a value that is not of the field's type is an error wherever it stands, or comes back as it was, as from a pickle.
# Seen: in a field, a list and a tuple it is a TypeError, in a dict the fraction is gone without a word.
# Versions: pyfory 1.7.7, in both modes, for Python alone and for several languages; CPython 3.11.
# Who meets it: whoever counts things in a dict, and adds a weighted count later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pyfory==1.7.7
cat > writes.py <<'PY'
import pickle
from dataclasses import dataclass, field

import pyfory


@dataclass
class Counts:
    one: int = 0
    several: list[int] = field(default_factory=list)
    fixed: tuple[int, ...] = ()
    named: dict[str, int] = field(default_factory=dict)
    flag: bool = True


for xlang in (False, True):
    fory = pyfory.Fory(xlang=xlang)
    fory.register(Counts)
    for name, value in (("one", 1.5), ("several", [1.5]), ("fixed", (1.5,)), ("named", {"a": 1.5}), ("flag", None)):
        counts = Counts(**{name: value})
        assert getattr(pickle.loads(pickle.dumps(counts)), name) == value
        try:
            seen = repr(getattr(fory.deserialize(fory.serialize(counts)), name))
        except Exception as error:
            seen = type(error).__name__
        print("several languages" if xlang else "Python alone", name, value, "->", seen)
PY
.venv/bin/python writes.py | tee seen
diff seen - <<'SEEN'
Python alone one 1.5 -> TypeError
Python alone several [1.5] -> TypeError
Python alone fixed (1.5,) -> TypeError
Python alone named {'a': 1.5} -> {'a': 1}
Python alone flag None -> False
several languages one 1.5 -> TypeError
several languages several [1.5] -> TypeError
several languages fixed (1.5,) -> TypeError
several languages named {'a': 1.5} -> {'a': 1}
several languages flag None -> False
SEEN
