"""Stands before the distribution of this name in the programs that tests start: whoever imports jsonschema imports it.

Its 38 grammars are compiled for more than two seconds in each process, and no test asks whether a text is an IRI.
"""

raise ImportError("no test needs to know whether a text is an IRI")
