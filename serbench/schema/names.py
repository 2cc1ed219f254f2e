"""Turns keys of a payload into Python names, so that text from data never becomes code.

Every name returned is an ASCII identifier made of letters, digits and underscores that starts with
a letter, is no keyword and shadows nothing that a rendered module relies on.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection

_LONGEST = 60


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTIN_TYPES = _words(
    """
    str int float bool bytes bytearray list dict set frozenset tuple object type
    """
)
_TYPING_NAMES = _words(
    """
    Any Optional Union Literal Annotated NamedTuple TypedDict ClassVar Final Generic Protocol Required NotRequired
    Self TypeVar TypeAlias Callable Iterable Iterator Mapping Sequence List Dict Set FrozenSet Tuple Type Text
    dataclass field fields asdict Enum IntEnum StrEnum Flag auto
    """
)
TEMPORAL_NAMES = _words(
    """
    datetime date time timedelta timezone UTC Decimal UUID
    """
)
"""Names of standard library types: a field may bear one only in a schema that uses none of them."""

# Attributes of pydantic's BaseModel (both majors) and of abc.ABCMeta, which it warns about or
# refuses; methods of mashumaro's mixins, which a field would replace; and what the generated
# `__init__` of attrs (self) and of pydantic (data) calls its own arguments.
_LIBRARY_ATTRIBUTES = _words(
    """
    model_computed_fields model_config model_construct model_copy model_dump model_dump_json model_extra model_fields
    model_fields_set model_json_schema model_parametrized_name model_post_init model_rebuild model_validate
    model_validate_json model_validate_strings
    construct copy dict from_orm json parse_file parse_obj parse_raw schema schema_json update_forward_refs validate
    fields mro register
    to_dict from_dict to_json to_jsonb from_json to_msgpack from_msgpack to_yaml from_yaml
    self cls data
    """
)
_PROTECTED_PREFIXES = ("model_dump", "model_validate")

FIELD_RESERVED = (_BUILTIN_TYPES - {"type", "object"}) | _TYPING_NAMES | _LIBRARY_ATTRIBUTES
"""Keys that are identifiers but cannot be field names: they get a trailing underscore and an alias."""

RECORD_RESERVED = (
    frozenset(dir(builtins))
    | _TYPING_NAMES
    | TEMPORAL_NAMES
    | _words(
        """
    BaseModel RootModel TypeAdapter ConfigDict Field Schema EXCLUDE RAISE INCLUDE Struct Factory Converter Config
    Discriminator Meta Model Resource Serializer Deserializer DataClassDictMixin DataClassJSONMixin Encoder Decoder Packer
    Unpacker Path BytesIO StringIO
    """
    )
)
"""Class names that rendered modules use for something else."""

_IRREGULAR = {
    "children": "child",
    "people": "person",
    "men": "man",
    "women": "woman",
    "indices": "index",
    "vertices": "vertex",
    "matrices": "matrix",
    "criteria": "criterion",
    "movies": "movie",
    "cookies": "cookie",
    "series": "series",
    "species": "species",
    "news": "news",
    "ids": "id",
    "houses": "house",
    "causes": "cause",
    "clauses": "clause",
    "caches": "cache",
    "axes": "axis",
    "aliases": "alias",
    "biases": "bias",
}


def field_name(key: str, taken: Collection[str] = (), reserved: Collection[str] = FIELD_RESERVED) -> str:
    """A field name for a key: the key itself where it can be one, else the nearest clean name.

    Args:
        key: any text.
        taken: the record's names so far; a clash gets a number.
        reserved: names that get a trailing underscore; add `TEMPORAL_NAMES` where the schema has
            types of those names.
    """
    name = _ascii(key).strip("_") if not _is_plain(key) else key
    if not name or not name[0].isalpha():
        name = f"field_{name}" if name else "field_1"
    if keyword.iskeyword(name) or name in reserved:
        name += "_"
    # A trailing underscore does not take a name out of a namespace that pydantic protects.
    if name.startswith(_PROTECTED_PREFIXES):
        name = f"field_{name.rstrip('_')}"
    if name not in taken:
        return name
    stem = "field" if name == "field_1" else name.rstrip("_")
    return _numbered(f"{stem}_", taken)


def record_name(key: str, taken: Collection[str] = (), *, plural: bool = False) -> str:
    """A class name for the objects under a key: `user_mentions` → `UserMention` if `plural`.

    Args:
        key: any text.
        taken: class names with what `function_of` says of them, and field names so far; a clash gets a number.
        plural: whether the key names a collection of the objects.
    """
    words = [word for word in _ascii(singular(key) if plural else key).split("_") if word]
    name = "".join(word[0].upper() + word[1:] for word in words)
    if not name or not name[0].isalpha():
        name = f"Record{name}"
    # A renderer may call the class that describes Client "ClientSchema".
    if name in RECORD_RESERVED or keyword.iskeyword(name) or name.endswith("Schema"):
        name += "Record"
    number, chosen = 1, name
    while chosen in taken or function_of(chosen) in taken:
        number += 1
        chosen = f"{name}{number}"
    return chosen


def function_of(record: str) -> str:
    """What stands among the names that are taken for the functions of a record: HTTPServer and Httpserver have the same."""
    return f"{function_stem(record)}()"


def function_stem(name: str) -> str:
    """`CamelCase` as `camel_case`, as it stands in the names of a record's functions."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def singular(key: str) -> str:
    """The key in the singular, by simple English rules: `cities` → `city`, `friend_list` → `friend`."""
    if match := re.fullmatch(r"(.*[a-z])(_list|List|_array|Array)", key):
        return match[1]
    head, last = re.fullmatch(r"(.*?)([A-Za-z]?[a-z]*)", key, re.DOTALL).groups()  # type: ignore[union-attr]
    lower = last.lower()
    if lower in _IRREGULAR:
        last = last[0] + _IRREGULAR[lower][1:]
    elif lower.endswith("ies") and len(lower) > 4:
        last = last[:-3] + "y"
    elif re.search(r"(ss|sh|ch|x|zz|[^aeo]us)es$", lower):
        last = last[:-2]
    elif (lower.endswith("s") and len(lower) > 3 and not lower.endswith(("ss", "us", "is"))) or (
        re.fullmatch("[A-Z]s", last) and head[-1:].isupper()
    ):
        last = last[:-1]
    return head + last


def _is_plain(key: str) -> bool:
    return len(key) <= _LONGEST and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key) is not None


def _ascii(key: str) -> str:
    folded = unicodedata.normalize("NFKD", key[:_LONGEST]).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^A-Za-z0-9]+", "_", folded)[:_LONGEST]


def _numbered(stem: str, taken: Collection[str]) -> str:
    number = 2
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"
