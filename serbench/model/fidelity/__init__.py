"""Compares decoded objects and parsed bytes with neutral values.

The worker loads this package by its path, under a separate name, in any environment. It therefore uses only the
standard library, imports its own modules relatively and nothing else from serbench, and runs on Python 3.6 and PyPy.
`spec` is `Schema.as_data()`, and `type_` a type in the same form. Every comparison returns None, or a text of the form
"path: difference".
"""

from .building import builder as builder
from .building import change_records as change_records
from .building import complete as complete
from .building import json_ready as json_ready
from .building import slim as slim
from .building import user_maker as user_maker
from .building import with_each as with_each
from .building import without_absent as without_absent
from .building import without_further as without_further
from .comparison import difference as difference
from .comparison import wire_difference as wire_difference
from .comparison import wire_same as wire_same
from .parts import user_difference as user_difference
from .proof import LOSSES as LOSSES
from .proof import answer_to as answer_to
from .proof import apply_losses as apply_losses
from .proof import carried as carried
from .proof import compared as compared
from .proof import decoded_difference as decoded_difference
from .proof import deep_recursion as deep_recursion
from .proof import innermost as innermost
from .proof import nested as nested
from .proof import read_back as read_back
from .proof import surely_same as surely_same
from .proof import told as told
from .proof import verified as verified
