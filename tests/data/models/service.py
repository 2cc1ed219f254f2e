"""Models in the manner of a Litestar application: Structs with limits and aliases, generic pages, nothing that is absent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

T = TypeVar("T")


class Mooring(Struct, rename="camel"):
    """Where a boat lies."""

    harbour_name: Annotated[str, Meta(min_length=1)]
    berth: int
    until: datetime


class Boat(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A boat, of which a request may change a part."""

    boat_id: UUID
    sail_number: Annotated[str, Meta(pattern=r"^[A-Z]{3}-\d{1,4}$")]
    crew: Annotated[int, Meta(ge=1, le=20)] | UnsetType = UNSET
    mooring: Mooring | UnsetType | None = UNSET
    fastest_lap: timedelta | UnsetType = UNSET
    owners: tuple[str, ...] = ()


class Page(Struct, Generic[T], rename="camel"):
    """A page of a listing."""

    items: list[T]
    total_count: int
    next_page: str | None = None
