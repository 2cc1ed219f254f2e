"""A request and response model in the manner of a FastAPI application: nested models, limits, URLs, own validators."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, computed_field, field_serializer, field_validator


class Binding(StrEnum):
    PAPER = "paper"
    CLOTH = "cloth"


class Cover(BaseModel):
    url: HttpUrl
    caption: Annotated[str, Field(max_length=80)]


class Card(BaseModel):
    kind: Literal["card"] = "card"
    last_digits: Annotated[str, Field(pattern=r"^\d{4}$")]


class Invoice(BaseModel):
    kind: Literal["invoice"] = "invoice"
    due: date
    reference: str | None = None


class Edition(BaseModel):
    """An edition of a book, as a shop offers it."""

    model_config = ConfigDict(str_strip_whitespace=True, extra="forbid")

    id: UUID
    title: Annotated[str, Field(min_length=1, max_length=120, examples=["A Field Guide to Hedges"])]
    price: Annotated[Decimal, Field(gt=0, max_digits=8, decimal_places=2)]
    binding: Binding = Binding.PAPER
    tags: set[str] = set()
    covers: list[Cover] = []
    payment: Annotated[Card | Invoice, Field(discriminator="kind")]
    seller_note: str | None = Field(default=None, alias="sellerNote")
    listed_at: datetime

    @field_validator("tags")
    @classmethod
    def in_small_letters(cls, value: set[str]) -> set[str]:
        return {tag.lower() for tag in value}

    @field_serializer("listed_at")
    def to_the_second(self, value: datetime) -> str:
        return value.isoformat(timespec="seconds")

    @computed_field
    def label(self) -> str:
        return f"{self.title} ({self.binding.value})"
