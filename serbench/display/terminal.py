"""The way of every text to a terminal: control and direction characters of data are shown as escapes, and never sent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from serbench.errors import visible

if TYPE_CHECKING:
    from rich.console import Console


OUTPUT = "standard output"


class NamedStream:
    """A stream whose errors say that it is an output, and no file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; an OSError names the stream."""
        return int(self._named(self._stream.write, text))

    def flush(self) -> None:
        """Write what is left; an OSError names the stream."""
        self._named(self._stream.flush)

    def _named(self, act: Callable[..., Any], *values: Any) -> Any:
        try:
            return act(*values)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, OUTPUT) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class VisibleStream:
    """A stream that shows escapes for what would steer a terminal; `raw_stream` shows none, for Rich."""

    def __init__(self, stream: TextIO) -> None:
        self.raw_stream = NamedStream(stream)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an encoding without a sign shows its number

    def write(self, text: str) -> int:
        """Write a text; its lines stay lines."""
        return self.raw_stream.write(visible(text, lines=True))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw_stream, name)


@contextmanager
def visible_streams() -> Iterator[None]:
    """Within the block, whatever is printed goes that way."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (VisibleStream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console(stream: Any, **options: Any) -> Console:
    """Rich's console on a stream: it colours, and what it is given is text."""
    from rich.console import Console
    from rich.segment import Segment

    class VisibleConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text, lines=True), segment.style)

    return VisibleConsole(file=getattr(stream, "raw_stream", stream), **options)
