"""Models in the manner of SQLModel: one base with columns, a class for what is stored, others for what comes in and goes out."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_serializer


class Base(BaseModel):
    model_config = ConfigDict(from_attributes=True, populate_by_name=True)


class MemberBase(Base):
    name: Annotated[str, Field(min_length=1, json_schema_extra={"index": True})]
    mail: Annotated[str, Field(pattern=r"^[a-z.]{1,30}@[a-z]{1,20}\.org$")]
    born: date | None = None


class MemberCreate(MemberBase):
    """What comes in."""

    password: SecretStr


class LoanPublic(Base):
    id: int
    title: str
    days: Annotated[int, Field(ge=0, le=90)] = 14


class ClubPublic(Base):
    id: int
    city: str


class MemberPublic(MemberBase):
    """What goes out, with its relations."""

    id: int
    club: ClubPublic | None = None
    loans: list[LoanPublic] = []
    settings: dict[str, Any] = {}

    @field_serializer("name")
    def in_capitals(self, value: str) -> str:
        return value.upper()
