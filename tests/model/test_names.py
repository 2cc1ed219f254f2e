"""Names derived from a payload's keys are valid, distinct and safe to write into source."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.model.names import FIELD_RESERVED, RECORD_RESERVED, field_name, file_words, record_name, singular


@given(st.text() | st.sampled_from(sorted(FIELD_RESERVED | RECORD_RESERVED)))
def test_names_are_clean(key: str) -> None:
    """Field and class names are ASCII identifiers without leading underscore, and neither keywords nor reserved."""
    for name in (field_name(key), record_name(key), record_name(key, plural=True)):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,80}", name)
        assert not keyword.iskeyword(name)
    assert field_name(key) not in FIELD_RESERVED
    assert record_name(key) not in RECORD_RESERVED


@given(st.lists(st.text() | st.sampled_from(["a-b", "a_b", "a b", "", "é", "_", "list", "list_"]), unique=True))
def test_names_are_distinct(keys: list[str]) -> None:
    """No two keys get the same name if each call knows the earlier names."""
    fields: list[str] = []
    records: list[str] = []
    for key in keys:
        fields.append(field_name(key, fields))
        records.append(record_name(key, records))

    assert len(set(fields)) == len(fields)
    assert len(set(records)) == len(records)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("createdAt", "createdAt"),
        ("type", "type"),
        ("match", "match"),
        ("content-type", "content_type"),
        ("_id", "id"),
        ("@type", "type"),
        ("naïve", "naive"),
        ("3d", "field_3d"),
        ("имя", "field_1"),
        ("", "field_1"),
        ("class", "class_"),
        ("__class__", "class_"),
        ("json", "json_"),
        ("self", "self_"),
        ("model_dump", "field_model_dump"),
        ('"); import os', "import_os"),
    ],
)
def test_field_names(key: str, name: str) -> None:
    """A key that is a valid name is kept; others change as little as possible."""
    assert name == field_name(key)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("user_mentions", "UserMention"),
        ("statuses", "Status"),
        ("cities", "City"),
        ("boxes", "Box"),
        ("addresses", "Address"),
        ("children", "Child"),
        ("friendList", "Friend"),
        ("userEntries", "UserEntry"),
        ("URLs", "URL"),
        ("status", "Status"),
        ("news", "News"),
        ("set", "Set"),
        ("exceptions", "ExceptionRecord"),
        ("3d", "Record3d"),
        ("", "Record"),
        ("client_schema", "ClientSchema"),
    ],
)
def test_class_names(key: str, name: str) -> None:
    """Items of a list are named in the singular, in CamelCase."""
    assert name == record_name(key, plural=True)


def test_singular_leaves_other_words() -> None:
    """Words that only look like plurals are unchanged."""
    assert [singular(word) for word in ("class", "analysis", "bus", "is", "data")] == [
        "class",
        "analysis",
        "bus",
        "is",
        "data",
    ]


@pytest.mark.parametrize(
    ("stem", "words"),
    [
        ("218007301253_CloudTrail_us-east-1_20230710T1220Z_WMiHxZgr5Hdd6UDc", "CloudTrail_us_east"),
        ("2024-01-01-events", "events"),
        ("package-lock", "package-lock"),
        ("sales2024", "sales2024"),
        ("Q42", "Q42"),
        ("SjF3IkuNXJk", "SjF3IkuNXJk"),
        ("имя", "имя"),
    ],
)
def test_numbers_and_hashes_of_a_file_name_are_no_words(stem: str, words: str) -> None:
    """What tells one file from the next is left out, unless there is nothing else."""
    assert words == file_words(stem)


@pytest.mark.parametrize(
    ("key", "used", "name"),
    [
        ("Keys", {"Keys"}, "KeysRecord"),
        ("Keys", {"Keys", "keys()"}, "Keys2"),
        ("Q42", {"Q42", "q42()"}, "Q42Record"),
        ("Q42", {"Q42", "q42()", "Q42Record", "q42_record()"}, "Q42Record2"),
    ],
)
def test_a_name_that_is_used_tells_by_what(key: str, used: set[str], name: str) -> None:
    """A number means that there is a class without it; a clash with a field, and a key that ends with a number, have none."""
    assert name == record_name(key, used)


@pytest.mark.parametrize(
    ("key", "name"),
    [("ContinueBecauseTheLockWasAlreadyAcquired", "ContinueBecauseTheLockWas"), ("a" * 50, "A" + "a" * 29)],
)
def test_long_names_end_with_a_word(key: str, name: str) -> None:
    """A name that is too long loses its last words."""
    assert name == record_name(key, longest=30)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("URLs", "URL"),
        ("user IDs", "user ID"),
        ("x1s", "x1s"),
        ("s", "s"),
        ("\u00e9tats", "\u00e9tat"),
        ("a\ncities", "a\ncity"),
    ],
)
def test_the_last_word_of_a_key_is_made_singular(key: str, expected: str) -> None:
    """It is an upper or lower letter and all lower ones behind it; a long key takes no longer than its letters."""
    assert expected == singular(key)
    assert "a" * 50_000 + "!" == singular("a" * 50_000 + "!")
