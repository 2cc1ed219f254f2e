"""CSV: rows and columns of text, for a list of flat records (RFC 4180).

- The first row has the names of the columns. Numbers are as Python prints them, everything else is text.
- None is an empty field, so an empty text that may be None comes back as None.
- The bytes hold no types: the module has a conversion for each column, made from the schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from serbench.model.records import Enum, Optional, Schema, Type
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.render.codec import Calls, Codec, Described, Format, Limits, Loss
from serbench.render.source.module import Unsupported, braced, listed, literal

_DOCS = "https://docs.python.org/3/library/csv.html"
_RFC = "https://www.rfc-editor.org/rfc/rfc4180"
_NUMBERS: dict[str, Callable[[str], Any]] = {**dict.fromkeys(INTEGER_KINDS, int), "float": float, "bool": "True".__eq__}


def _read_with_pandas(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    from io import BytesIO

    import pandas as pd

    as_text: dict[str, Any] = {"header": None, "dtype": str, "keep_default_na": False, "na_filter": False}
    frame = pd.read_csv(BytesIO(blob), skip_blank_lines=False, **as_text)
    types = {wire: type_ for _, wire, type_ in spec["records"][spec["root"][1][1]]["fields"]}
    header, *rows = frame.to_numpy().tolist()  # as a header pandas would call a column without a name "Unnamed: 0"
    return [{key: _typed(types[key], text) for key, text in zip(header, row, strict=True)} for row in rows]


def _typed(type_: list[Any], text: str) -> Any:
    if type_[0] == "optional":
        return _typed(type_[1], text) if text else None
    if type_[0] == "enum":
        return int(text) if text.lstrip("-").isdigit() else text
    return _NUMBERS.get(type_[0], str)(text)


def _describe(schema: Schema) -> Described:
    """The columns' names, and the functions between rows and text.

    Raises:
        Unsupported: the schema is not a list of flat records.
    """
    if (record := schema.row) is None:
        raise Unsupported(f"CSV consists of rows: the document must be a list of records ({_RFC})")
    if not record.fields or schema.tags:
        raise Unsupported(f"all rows of CSV have the same columns, at least one ({_RFC})")
    names = listed(literal(f.wire) for f in record.fields)
    row = braced(f"{literal(f.wire)}: {_value(f.type, f'row[{i}]', f.name)}" for i, f in enumerate(record.fields))
    reading = f"""def from_csv(blob: bytes) -> list[dict[str, Any]]:
    rows = csv.reader(io.StringIO(blob.decode(), newline=""))
    next(rows)
    return [{row} for row in rows]"""
    return Described((f"COLUMNS = {names}", _WRITING, reading), frame="pandas.read_csv(io.BytesIO({}))")


_WRITING = """def to_csv(data: list[dict[str, Any]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS)
    writer.writeheader()
    writer.writerows(data)
    return stream.getvalue().encode()"""


def _value(type_: Type, text: str, name: str) -> str:
    if isinstance(type_, Optional):
        value = _value(type_.item, text, name)
        return f"{text} or None" if value == text else f"{value} if {text} else None"
    match type_:
        case Enum(_, members):
            return text if isinstance(members[0][1], str) else f"int({text})"
        case Scalar(kind) if kind in INTEGER_KINDS:
            return f"int({text})"
        case Scalar("float"):
            return f"float({text})"
        case Scalar("bool"):
            return f'{text} == "True"'
        case Scalar(kind) if kind not in ("any", "timedelta"):
            return text
    raise Unsupported(f"a CSV column holds text without nesting; {name} has another type ({_RFC})")


FORMAT = Format(
    name="csv",
    summary="rows and columns of text, for flat records (RFC 4180)",
    codecs=(
        Codec(
            name="csv",
            docs=_DOCS,
            calls=Calls(
                dumps="to_csv({})", loads="from_csv({})", imports=("csv", "io", "typing:Any"), describe=_describe
            ),
            limits=Limits(loses={"empty": Loss("none for empty", "empty text, as None", f"{_DOCS}#csv.writer")}),
        ),
    ),
    readers={"pandas": _read_with_pandas},
    typed=True,
)
