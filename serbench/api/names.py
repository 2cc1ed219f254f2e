"""Names for `libraries=` and `formats=`, which notebooks and editors complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from serbench.render.codec import codec_names
from serbench.render.library import libraries as known_libraries


class Names(Sequence[str]):
    """All names of one kind: `names.msgspec`, and `names["msgspec/json"]` for one that is no identifier, complete with Tab."""

    def __init__(self, read: Callable[[], Sequence[str]]) -> None:
        self._read = read

    def __len__(self) -> int:
        return len(self._read())

    @overload
    def __getitem__(self, place: int | str) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: Any) -> Any:
        names = self._read()
        return names[names.index(place) if isinstance(place, str) else place]

    def __getattr__(self, name: str) -> str:
        if name not in self._read():
            raise AttributeError(f"there is no {name!r}")
        return name

    def __dir__(self) -> list[str]:
        return [name for name in self._read() if name.isidentifier()]

    def _ipython_key_completions_(self) -> Sequence[str]:
        return self._read()

    def __repr__(self) -> str:
        return ", ".join(self._read())


libraries = Names(lambda: tuple(known_libraries()))
"""The libraries."""
formats = Names(codec_names)
"""The formats, the codecs, and each codec with its format."""
