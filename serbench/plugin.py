"""The names that plug-ins import. A plug-in with `INTERFACE = 1` works as long as the number here is 1."""

from __future__ import annotations

from serbench.errors import PlugInError
from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import letters, pick, random_datetime, random_int, sentence
from serbench.model.plug_ins import INTERFACE
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import (
    ANY,
    BIGINT,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    TIME,
    TIMEDELTA,
    UINT64,
    UUID,
    Scalar,
)
from serbench.render.codec import Calls, Codec, Format, Generated, Kinds, Limits, Loss, Objects, imported
from serbench.render.library import Library, Rendered, by_hand, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.marshmallow import FieldTable
from serbench.render.source.models import Models
from serbench.render.source.module import Unsupported, literal, root_name, snake

__all__ = [
    "ANY",
    "BIGINT",
    "BOOL",
    "BYTES",
    "DATE",
    "DATETIME",
    "DECIMAL",
    "FLOAT",
    "INT",
    "INTERFACE",
    "NAIVE_DATETIME",
    "STR",
    "TIME",
    "TIMEDELTA",
    "UINT64",
    "UUID",
    "Calls",
    "Codec",
    "Enum",
    "Field",
    "FieldTable",
    "Format",
    "Generated",
    "Kinds",
    "Library",
    "Limits",
    "List",
    "Loss",
    "Map",
    "Models",
    "Objects",
    "Optional",
    "PlugInError",
    "Record",
    "Ref",
    "Rendered",
    "Scalar",
    "Schema",
    "Set",
    "Tuple",
    "Type",
    "Union",
    "Unsupported",
    "Value",
    "Workload",
    "by_hand",
    "hooks",
    "imported",
    "letters",
    "literal",
    "models",
    "pick",
    "random_datetime",
    "random_int",
    "refuse_leaving_out",
    "root_name",
    "sentence",
    "snake",
    "use_codec",
]
