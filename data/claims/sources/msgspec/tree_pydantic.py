"""The tree as pydantic models, by the JSON of each generation's own."""

import enum
from datetime import datetime
from typing import Annotated, List, Literal, Optional, Union

from pydantic import BaseModel, Field

from .tree import answer, prepare


class Rights(enum.Enum):
    READ = "read"
    WRITE = "write"
    BOTH = "both"


class Document(BaseModel):
    kind: Literal["document"] = "document"
    name: str
    owner: str
    made: datetime
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    length: int
    rights: Rights


class Folder(BaseModel):
    kind: Literal["folder"] = "folder"
    name: str
    owner: str
    made: datetime
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    entries: List[Annotated[Union["Folder", Document], Field(discriminator="kind")]]


if hasattr(BaseModel, "model_rebuild"):
    Folder.model_rebuild()
    READ, WRITE = Folder.model_validate_json, Folder.model_dump_json
else:
    Folder.update_forward_refs()
    READ, WRITE = Folder.parse_raw, Folder.json


def both_ways(text):
    return WRITE(READ(text), exclude_none=True).encode()
