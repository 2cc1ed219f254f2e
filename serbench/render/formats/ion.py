"""Amazon Ion: JSON's types with decimals and bytes, binary or as text, with a table of names in front.

- Decimals and bytes travel as themselves. An Ion timestamp comes back as a class of its own, so dates and
  times are text.
- The package has two implementations, Ion C and pure Python; the bytes of the one are read by the other.
"""

from __future__ import annotations

from typing import Any

from serbench.render.codec import UNTYPED, Calls, Codec, Format, Kinds, Limits, imported

_BINARY = b"\xe0\x01\x00\xea"  # how a binary document begins


def _read_in_python(blob: bytes) -> Any:
    from io import BytesIO, StringIO

    from amazon.ion import simpleion

    stream = BytesIO(blob) if blob.startswith(_BINARY) else StringIO(blob.decode())
    return _builtins(simpleion.load_python(stream))


def _builtins(value: Any) -> Any:
    from decimal import Decimal

    from amazon.ion.simple_types import IonPyNull

    if isinstance(value, IonPyNull):
        return None
    if hasattr(value, "items"):
        return {str(key): _builtins(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_builtins(item) for item in value]
    if type(value).__name__ == "IonPyBool":
        return bool(value)
    plain: type[Any] | None = next((cls for cls in (bytes, str, int, float, Decimal) if isinstance(value, cls)), None)
    return plain(value) if plain else value


_DOCS = "https://ion-python.readthedocs.io/en/latest/amazon.ion.html"
_KINDS = frozenset({"bytes", "decimal"})
_ION = Codec(
    name="amazon.ion",
    docs=_DOCS,
    distribution="amazon.ion",
    calls=Calls(
        dumps="simpleion.dumps({}, binary=True)",
        loads="simpleion.loads({}, value_model=BARE)",
        imports=("amazon.ion:simpleion", "amazon.ion.simpleion:IonPyValueModel"),
        functions=("BARE = IonPyValueModel.MAY_BE_BARE | IonPyValueModel.STRUCT_AS_STD_DICT",),
    ),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
    limits=Limits(unchecked=UNTYPED),
)

FORMAT = Format(
    name="ion",
    summary="Amazon's typed superset of JSON, binary or text",
    codecs=(
        _ION,
        _ION.tuned("text", f"{_DOCS}#amazon.ion.simpleion.dumps", dumps="simpleion.dumps({}, binary=False).encode()"),
    ),
    readers={"python": _read_in_python},
    write=imported("amazon.ion.simpleion:dumps", binary=True),
)
