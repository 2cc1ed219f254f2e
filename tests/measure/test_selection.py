"""What a user's words mean: libraries in versions and variants, interpreters and their environments."""

from __future__ import annotations

import pytest

from serbench.errors import PlanError
from serbench.render.codec import codecs
from serbench.render.environments import MAIN, main_environment
from serbench.render.library import libraries
from serbench.render.selection import (
    LibraryInstall,
    is_installed,
    libraries_of,
    parse_gate_side,
    selection,
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """No rows but those that a test adds."""
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path))


def recipes(*texts: str, pythons=()):
    """The environments of the selection."""
    return list(dict.fromkeys(choice.recipe for choice in selection(texts, ("json/json",), pythons)))


INSTALLED = main_environment().installed("pydantic")


def test_core_libraries_are_measured_where_serbench_is():
    """Without a word, the core libraries with the core codecs are chosen, all at hand."""
    found = selection(())
    assert {MAIN} == {choice.recipe for choice in found}
    assert {name for name, one in libraries().items() if one.core} == {choice.library.name for choice in found}
    core = {choice.library.name for choice in found}
    served = {codec for codec in codecs() if codec.core and (not codec.only or codec.only & core)}
    assert served == {choice.codec for choice in found}


def test_the_installed_version_is_not_built():
    """A version that serbench's own installation has is measured there, however much of it is typed."""
    parts = INSTALLED.split(".")
    assert [MAIN] == recipes("pydantic", f"pydantic@{INSTALLED}", f"pydantic@{'.'.join(parts[:2])}")


def test_another_version_has_an_environment():
    """A version is a requirement of its own; with two numbers it is the newest of its line."""
    assert [("pydantic==2.5.3",)] == [recipe.requirements for recipe in recipes("pydantic@2.5.3")]
    assert [("pydantic==2.5.*",)] == [recipe.requirements for recipe in recipes("pydantic@2.5")]


def test_codecs_come_along():
    """The core codecs are beside the library, in the versions of serbench's own installation."""
    (recipe,) = recipes("pydantic@2.5.3")
    names = {one.split("==")[0] for one in recipe.beside}
    assert {c.distribution for c in codecs() if c.core and c.distribution and not c.only} == names
    assert f"orjson=={main_environment().installed('orjson')}" in {one.split(";")[0] for one in recipe.beside}


def test_a_codec_may_have_a_version_of_its_own():
    """library+codec==version has that codec beside the library; the installed version is main."""
    (choice,) = selection(["dataclasses+orjson==3.10.0"], ["orjson"])
    assert (("orjson==3.10.0",), "orjson==3.10.0") == (choice.recipe.requirements, choice.recipe.name)
    assert not any(one.startswith("orjson") for one in choice.recipe.beside)
    installed = main_environment().installed("orjson")
    assert [MAIN] == recipes(f"dataclasses+orjson=={installed}")
    assert ["pydantic==2.5.3 + orjson==3.10.*"] == [r.name for r in recipes("pydantic@2.5.3+orjson==3.10")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("orjson==3.10", "dataclasses+orjson==3.10"),
        ("pydantic==2.5", "pydantic@2.5"),
        ("msgspec==0.18", "dataclasses+msgspec==0.18"),
        ("msgspec[gc=False]", "msgspec[gc=False]"),
    ],
)
def test_a_side_of_a_gate_is_a_selection(name, text):
    """A requirement of a codec goes with the library that models are written with, one of a library is its version."""
    assert text == parse_gate_side(name, "dataclasses")


@pytest.mark.parametrize("name", ["orjson", "msgpack", "cbor"])
def test_a_codec_alone_is_no_side_of_a_gate(name):
    """A codec or format without a version is told what a gate compares, and how to name it."""
    with pytest.raises(PlanError, match=f"{name} is a codec or format, and a gate compares libraries.*orjson==3.13"):
        parse_gate_side(name, "dataclasses")


def test_a_variant_may_follow_a_version():
    """name@version[variant] is one variant of one version."""
    (choice,) = selection(["pydantic@2.5.3[strict]"], ["pydantic"])
    assert ("pydantic", "strict", "pydantic==2.5.3") == (choice.library.name, choice.variant, choice.recipe.name)


def test_an_interpreter_is_an_axis():
    """Each library is chosen on each interpreter; main is serbench's own."""
    found = recipes("dataclasses", "cattrs", pythons=("main", "pypy3"))
    assert ["main", "pypy3", "cattrs on pypy3"] == [recipe.name for recipe in sorted(found, key=lambda r: len(r.name))]


def test_pins_hold_on_their_own_interpreter():
    """On another interpreter the library keeps its version, and what it needs may be what runs there."""
    (recipe,) = recipes("marshmallow2")
    (other,) = recipes("marshmallow2", pythons=["pypy3"])
    assert libraries()["marshmallow2"].pins == recipe.requirements
    assert ("marshmallow==2.21.0", "python-dateutil") == other.requirements


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pydantik@2.5", "did you mean pydantic"),
        ("pydantic@two", "is not a version"),
        ("dataclasses@3.9", "choose an interpreter with --python"),
        ("pydantic@2.5[fast]", "unknown variant of pydantic"),
    ],
)
def test_a_wrong_word_has_one_line(text, words):
    """What cannot be chosen is said with what to type instead."""
    with pytest.raises(PlanError, match=words) as caught:
        selection([text])
    assert "\n" not in str(caught.value)


def test_generations_are_found_by_their_distribution():
    """All the files for one distribution are generations of one library."""
    for library in libraries().values():
        assert library in libraries_of(library.name)
        assert all(one.distributions[:1] == library.distributions[:1] for one in libraries_of(library.name))


def test_at_hand_means_every_distribution():
    """A library is at hand where everything that it needs is installed, in a version that its file is for."""
    for library in libraries().values():
        if is_installed(library):
            assert all(main_environment().installed(name) for name in library.distributions)


def test_no_codec_of_another_library():
    """An environment has the codecs that serve any library, and those of its own."""
    pinned = LibraryInstall(libraries()["serpyco-rs"], "serpyco-rs==1.22.0").recipe()
    other = LibraryInstall(libraries()["msgspec"], "msgspec==0.19.0").recipe()
    names = {requirement.partition("==")[0] for requirement in (*other.requirements, *other.beside)}
    assert ("serpyco-rs==1.22.0",) == pinned.requirements
    assert {"msgpack", "msgspec"} <= names
    assert not names & {"pydantic", "serpyco-rs"}
