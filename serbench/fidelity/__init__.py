"""Whether what came back is what went in: objects against neutral values, and bytes' meaning too.

The worker loads this package by its path inside any environment, under a name of its own, so it is standard
library only, imports its own modules relatively and nothing else of serbench, and runs on Python 3.6 and PyPy.
`spec` is `Schema.as_data()`, `type_` a type in the same form. Every comparison answers with None, or with a
text "path: what differs".
"""

from .building import builder
from .losses import LOSSES, reduced
from .objects import difference
from .proof import deep_recursion, verified
from .trial import carried, nested, taken
from .wire import wire_difference

__all__ = [
    "LOSSES",
    "builder",
    "carried",
    "deep_recursion",
    "difference",
    "nested",
    "reduced",
    "taken",
    "verified",
    "wire_difference",
]
