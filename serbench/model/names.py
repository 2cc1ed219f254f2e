"""Turns payload keys into Python names, so that text from data never becomes code.

Every name is an ASCII identifier that starts with a letter and is neither a keyword nor an attribute that a library has.
`serbench.render.source.module` keeps fields and records apart from what their module imports and defines.
"""

from __future__ import annotations

import builtins
import keyword
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping

_LONGEST = 60
_DATA_WORD = re.compile(r"\d.*|(?=.*\d)[0-9a-f]{8,}|(?=.*\d[A-Za-z]).{9,}")  # 20230710T1220Z, 1a2b3c4d, SjF3IkuNXJk


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# Attributes of pydantic's BaseModel (both majors) and of abc.ABCMeta, which pydantic warns about or refuses; methods
# of mashumaro's mixins, which a field would replace; and arguments of the `__init__` that attrs (self) and pydantic
# (data) generate.
FIELD_RESERVED = word_set(
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
"""Keys that are identifiers but cannot be field names: they get a trailing underscore and an alias."""
_PROTECTED_PREFIXES = ("model_dump", "model_validate")

RECORD_RESERVED = frozenset({*dir(builtins), "Config", "Meta", "Union", "UnionType"})
"""Names that no record gets: Python's own, and those by which libraries tell something else (typical a union, by its name)."""

_IRREGULAR = dict(
    pair.split("/")
    for pair in word_set(
        """
        children/child people/person men/man women/woman indices/index vertices/vertex matrices/matrix
        criteria/criterion movies/movie cookies/cookie series/series species/species news/news ids/id houses/house
        causes/cause clauses/clause caches/cache axes/axis aliases/alias biases/bias
        """
    )
)


def field_name(key: str, used: Collection[str] = ()) -> str:
    """Return a field name for a key: the key itself if it is valid, otherwise the closest valid name.

    Args:
        key: any text.
        used: names already used in the record; a clash gets a number.
    """
    plain = len(key) <= _LONGEST and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key) is not None
    name = key if plain else _ascii(key).strip("_")
    if not name or not name[0].isalpha():
        name = f"field_{name}" if name else "field_1"
    if keyword.iskeyword(name) or name in FIELD_RESERVED:
        name += "_"
    # pydantic protects these prefixes, with or without a trailing underscore.
    if name.startswith(_PROTECTED_PREFIXES):
        name = f"field_{name.rstrip('_')}"
    if name not in used:
        return name
    stem = "field" if name == "field_1" else name.rstrip("_")
    return f"{stem}_{_free_number(lambda number: f'{stem}_{number}' in used)}"


def field_names(
    keys: Iterable[str], reserved: Collection[str] = (), wanted: Mapping[str, object] | None = None
) -> dict[str, str]:
    """Return a field name for each key, in the order of the keys.

    It is the name that is `wanted` for the key, if that is a valid one and free; a key that is a valid name keeps it.
    """
    some, names, used = list(keys), dict[str, str](), {*reserved}
    fit = {key: name for key, name in (wanted or {}).items() if isinstance(name, str) and field_name(name) == name}
    plain = {key for key in some if key not in fit and field_name(key) == key}
    for key, name in fit.items():
        if name not in used and name not in plain:
            names[key] = name
            used.add(name)
    for key in sorted((key for key in some if key not in names), key=lambda key: field_name(key) != key):
        names[key] = field_name(key, used)
        used.add(names[key])
    return {key: names[key] for key in some}


def _free_number(is_used: Callable[[int], bool]) -> int:
    """Return the first free number from 2; if numbers are free below a used one, one that is free."""
    low, high = 1, 2
    while is_used(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_used(middle) else (low, middle)
    return high


def record_name(key: str, used: Collection[str] = (), *, plural: bool = False, longest: int = _LONGEST) -> str:
    """Return a class name for the objects under a key: `user_mentions` → `UserMention` if `plural`.

    Args:
        key: any text.
        used: field names, class names and their `function_key`s used so far; a clash with a class gets a number, one with
            a field ends with Record.
        plural: True if the key names a collection of the objects.
        longest: length up to which whole words of the key are kept.
    """
    words = [word for word in _ascii(singular(key) if plural else key).split("_") if word]
    name = "".join(word[0].upper() + word[1:] for word in words)
    if len(name) > longest:
        name = (re.sub("[A-Z][a-z0-9]*$", "", name[:longest]) if name[longest].islower() else "") or name[:longest]
    if not name or not name[0].isalpha():
        name = f"Record{name}"
    if name in RECORD_RESERVED or keyword.iskeyword(name):
        name += "Record"

    def is_used(number: int | None) -> bool:
        chosen = name if number is None else f"{name}{number}"
        return chosen in used or function_key(chosen) in used

    if is_used(None) and (name[-1].isdigit() or function_key(name) not in used):
        name += "Record"
    return f"{name}{_free_number(is_used)}" if is_used(None) else name


def file_words(stem: str) -> str:
    """Return a file's name without numbers, hashes and other data; the whole name if nothing else is left."""
    words = re.findall("[A-Za-z0-9]+", stem)
    kept = [word for word in words if not _DATA_WORD.fullmatch(word)]
    return "_".join(kept) if kept and len(kept) < len(words) else stem


def function_key(record: str) -> str:
    """Return the entry that reserves a record's function names; HTTPServer and Httpserver share one."""
    return f"{function_stem(record)}()"


def function_stem(name: str) -> str:
    """Convert `CamelCase` to `camel_case`, for the names of a record's functions."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def singular(key: str) -> str:
    """Return the singular of a key by simple English rules: `cities` → `city`, `friend_list` → `friend`."""
    if match := re.fullmatch(r"(.*[a-z])(_list|List|_array|Array)", key):
        return match[1]
    head = key.rstrip(string.ascii_lowercase)
    head = head[:-1] if head[-1:] in string.ascii_uppercase else head
    last = key[len(head) :]
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


def _ascii(key: str) -> str:
    folded = unicodedata.normalize("NFKD", key[:_LONGEST]).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^A-Za-z0-9]+", "_", folded)[:_LONGEST]
