"""The tree as dataclasses with mashumaro's mixin for orjson."""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, List, Literal, Optional, Union

from mashumaro.config import BaseConfig
from mashumaro.mixins.orjson import DataClassORJSONMixin
from mashumaro.types import Discriminator

from .tree import answer, prepare


class Rights(enum.Enum):
    READ = "read"
    WRITE = "write"
    BOTH = "both"


class Entry(DataClassORJSONMixin):
    class Config(BaseConfig):
        omit_none = True


@dataclass
class Document(Entry):
    name: str
    owner: str
    made: datetime
    length: int
    rights: Rights
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    kind: Literal["document"] = "document"


@dataclass
class Folder(Entry):
    name: str
    owner: str
    made: datetime
    entries: List[Annotated[Union["Folder", Document], Discriminator(field="kind", include_supertypes=True)]]
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    kind: Literal["folder"] = "folder"


def both_ways(text):
    return Folder.from_json(text).to_jsonb()
