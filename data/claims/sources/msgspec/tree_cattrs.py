"""The tree as attrs classes with cattrs' converter for orjson."""

import enum
from datetime import datetime
from typing import List, Literal, Optional, Union

import attrs
from cattrs.preconf.orjson import make_converter

from .tree import answer, prepare


class Rights(enum.Enum):
    READ = "read"
    WRITE = "write"
    BOTH = "both"


@attrs.define
class Document:
    kind: Literal["document"]
    name: str
    owner: str
    made: datetime
    length: int
    rights: Rights
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None


@attrs.define
class Folder:
    kind: Literal["folder"]
    name: str
    owner: str
    made: datetime
    entries: List[Union["Folder", Document]]
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None


attrs.resolve_types(Folder, globals(), locals())
CONVERTER = make_converter(omit_if_default=True)


def both_ways(text):
    return CONVERTER.dumps(CONVERTER.loads(text, Folder))
