"""Records: optional, default and absent fields, unions, subclasses, recursion, order, duplicate and unknown keys."""

from serbench.measure.probes.values import Group, Probe, group_of
from serbench.model.records import Enum, Field, List, Optional, Record, Ref, Union
from serbench.model.scalars import INT, STR

_CAT = Record("Cat", (Field("name", STR), Field("lives", INT)), tag_value="cat")
_DOG = Record("Dog", (Field("name", STR), Field("lives", INT)), tag_value="dog")
_CIRCLE = Record("Circle", (Field("radius", INT),))
_SQUARE = Record("Square", (Field("side", INT),))
_NODE = Record("Branch", (Field("name", STR), Field("children", List(Ref("Branch")))))
_INNER = Record("Inner", (Field("name", STR),))
_LEAF = {"name": "leaf", "children": []}
_TWICE = {
    "json": b'[{"subject": 1, "subject": 2}]',
    "yaml": b"- subject: 1\n  subject: 2\n",
    "toml": b"[[items]]\nsubject = 1\nsubject = 2\n",
    "msgpack": b"\x91\x82\xa7subject\x01\xa7subject\x02",
    "cbor": b"\x81\xa2\x67subject\x01\x67subject\x02",
}

GROUPS = (
    Group(
        "default",
        (Field("subject", STR), Field("maybe", Optional(INT), default=None), Field("count", Optional(INT), default=5)),
        (
            Probe("None in place of a default", {"subject": "a", "maybe": None, "count": None}),
            Probe("a default that is given", {"subject": "a", "maybe": None, "count": 5}),
            Probe(
                "absent fields get their defaults",
                edge=True,
                value={"subject": "a", "maybe": None, "count": 5},
                without=("maybe", "count"),
            ),
        ),
    ),
    Group(
        "absent",
        (Field("subject", STR), Field("maybe", Optional(INT))),
        (Probe("an absent optional field is None", {"subject": "a", "maybe": None}, edge=True, without=("maybe",)),),
    ),
    Group(
        "alias",
        (Field("subject", STR, alias="Sub-ject"), Field("class_", INT, alias="class")),
        (Probe("keys that are no Python names", {"Sub-ject": "a", "class": 1}),),
    ),
    group_of(
        "tagged union",
        Union((Ref("Cat"), Ref("Dog")), tag="kind"),
        ("tagged union, first member", {"kind": "cat", "name": "Mia", "lives": 9}),
        ("tagged union, second member with the same fields", {"kind": "dog", "name": "Rex", "lives": 1}),
        records=(_CAT, _DOG),
    ),
    group_of(
        "record union",
        Union((Ref("Circle"), Ref("Square"))),
        ("untagged union of records, first", {"radius": 1}),
        ("untagged union of records, second", {"side": 1}),
        edge=True,
        records=(_CIRCLE, _SQUARE),
    ),
    Group(
        "subclass",
        (Field("subject", Ref("Inner")),),
        (Probe("an object of a subclass", {"subject": {"name": "a"}}, edge=True, subclass="Inner"),),
        (_INNER,),
    ),
    group_of(
        "recursion",
        Ref("Branch"),
        ("a record that holds itself", {"name": "root", "children": [_LEAF, {"name": "b", "children": [_LEAF]}]}),
        records=(_NODE,),
    ),
    Group(
        "order",
        (Field("zulu", INT), Field("alpha", STR), Field("mike", Optional(Enum("Side", (("A", "a"), ("B", "b")))))),
        (
            Probe(
                "fields stay in their order in the bytes",
                {"zulu": 1, "alpha": "b", "mike": "a"},
                edge=True,
                ordered=True,
            ),
        ),
    ),
    Group(
        "surplus",
        (Field("subject", INT),),
        (
            Probe("an unknown key is ignored", {"subject": 2}, edge=True, beside={"surplus": 1}),
            Probe("of a duplicate key the last one counts", {"subject": 2}, edge=True, raw=_TWICE),
        ),
    ),
)
