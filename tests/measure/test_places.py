"""What the environment of a library is made of."""

from __future__ import annotations

from serbench.render.library import libraries
from serbench.render.selection import LibraryInstall


def test_no_codec_of_another_library():
    """An environment has the codecs that serve any library, and those of its own."""
    pinned = LibraryInstall(libraries()["serpyco-rs"], "serpyco-rs==1.22.0").recipe()
    other = LibraryInstall(libraries()["msgspec"], "msgspec==0.19.0").recipe()
    names = {requirement.partition("==")[0] for requirement in (*other.requirements, *other.beside)}
    assert ("serpyco-rs==1.22.0",) == pinned.requirements
    assert {"msgpack", "msgspec"} <= names
    assert not names & {"pydantic", "serpyco-rs"}
