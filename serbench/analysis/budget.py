"""What the figures mean for a service: messages per second over a given line with given cores, and what limits them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from serbench.analysis.rows import Row

Compression = Literal["none", "gzip", "zstd"]
COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "zstd")
READING = ("decode", "load", "loads", "read", "frame")


@dataclass(frozen=True)
class Budget:
    """How many messages a second one case can handle, and what there is too little of.

    Attributes:
        row: the case and operation.
        compression: of the bytes on the line.
        cpu_ns: one core's work on one message, compressing or decompressing included.
        size_bytes: of one message on the line.
        cpu_per_s, line_per_s: messages a second that the cores can work on, and that the line can carry.
    """

    row: Row
    compression: Compression
    cpu_ns: float
    size_bytes: int
    cpu_per_s: float
    line_per_s: float

    @property
    def per_s(self) -> float:
        """Messages a second: what both can do."""
        return min(self.cpu_per_s, self.line_per_s)

    @property
    def bottleneck(self) -> Literal["cores", "line"]:
        """What limits them."""
        return "cores" if self.cpu_per_s <= self.line_per_s else "line"


def budget(row: Row, bits_per_s: float, cores: float, compression: Compression = "none") -> Budget | None:
    """What a measured row can do on a line of so many bits a second, with so many cores.

    An upper limit: headers, the protocol and all other work of a service are not counted, and cores are taken
    to add up. An operation that makes bytes compresses them, one that takes bytes decompresses them.

    Returns:
        None where the row has no time or its sizes are not known.

    Raises:
        ValueError: a bandwidth or a number of cores that is not positive.
    """
    for name, value in (("bandwidth", bits_per_s), ("cores", cores)):
        if not 0 < value < float("inf"):
            raise ValueError(f"{name} must be more than 0, not {value:g}")
    packing = {"none": 0, "gzip": row.gzip_ns, "zstd": row.zstd_ns}[compression]
    unpacking = {"none": 0, "gzip": row.gunzip_ns, "zstd": row.unzstd_ns}[compression]
    size = {"none": row.size_bytes, "gzip": row.size_gzip_bytes, "zstd": row.size_zstd_bytes}[compression]
    extra = unpacking if row.operation in READING else packing
    if row.time_ns is None or extra is None or not size:
        return None
    cpu_ns = row.time_ns + extra
    return Budget(row, compression, cpu_ns, size, cores * 1e9 / cpu_ns, bits_per_s / 8 / size)


def why_apart(row: Row) -> str:
    """What keeps a row from being held against others: a loss, or a format's own objects, whose fields are still to be read.

    Empty for a row that has neither.
    """
    kept, lossy, _ = (row.work_class or "").partition(", lossy")  # what follows names fields
    own = "a format's own objects" if kept.startswith("generated") else ""
    return f"{own}{lossy}".removeprefix(", ")


def budgets(
    rows: Iterable[Row], bits_per_s: float, cores: float, compressions: Sequence[Compression] = COMPRESSIONS
) -> list[Budget]:
    """Every measured row with every compression, the most messages a second first; those that stand apart at the end."""
    found = [budget(row, bits_per_s, cores, compression) for row in rows for compression in compressions]
    return sorted((one for one in found if one is not None), key=lambda one: (why_apart(one.row), -one.per_s))


def best(found: Sequence[Budget]) -> list[Budget]:
    """Of each row only its best compression, in the same order."""
    seen: set[int] = set()
    kept = []
    for one in found:
        if id(one.row) not in seen:
            seen.add(id(one.row))
            kept.append(one)
    return kept


def explained(found: Sequence[Budget]) -> str:
    """The first of some budgets in a sentence: how many messages, and why no more."""
    if not found:
        return "nothing has been measured from which a budget follows"
    first = found[0]
    row = first.row
    name = row.library if row.variant == "default" else f"{row.library}[{row.variant}]"
    packed = "" if first.compression == "none" else f" with {first.compression}"
    if first.bottleneck == "line":
        why = (
            f"the line is full with {first.size_bytes:,} bytes a message, and the cores could do {first.cpu_per_s:,.0f}"
        )
    else:
        why = f"the cores are busy for {first.cpu_ns / 1e3:,.1f} µs a message, and the line could carry {first.line_per_s:,.0f}"
    return f"{row.operation}: {name} {row.codec}/{row.format}{packed}, {first.per_s:,.0f} messages a second; {why}"
