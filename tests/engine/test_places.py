"""What the environment of a library is made of."""

from __future__ import annotations

from serbench.engine.selection import Place
from serbench.libraries import libraries


def test_no_codec_of_another_library():
    """An environment has the codecs that serve any library, and those of its own."""
    own = Place(libraries()["serpyco-rs"], "serpyco-rs==1.22.0").recipe().requirements
    other = Place(libraries()["msgspec"], "msgspec==0.19.0").recipe().requirements
    names = {requirement.partition("==")[0] for requirement in other}
    assert "serpyco-rs==1.22.0" in own
    assert {"msgpack", "msgspec"} <= names
    assert not names & {"pydantic", "serpyco-rs"}
