"""Workloads: a schema and seeded values each; one file per workload, found by listing this package.

`generate("client", records=100, depth=2, seed=0)` gives the same data in every process and on every
platform. A file that starts with an underscore is no workload.
"""

from serbench.workloads._contract import Dataset, Workload, WorkloadError
from serbench.workloads._generate import MOST_RECORDS, generate, get, workload_names
from serbench.workloads._payload import from_document, from_payload, from_schema, keep, read_schema, schema_of

__all__ = [
    "MOST_RECORDS",
    "Dataset",
    "Workload",
    "WorkloadError",
    "from_document",
    "from_payload",
    "from_schema",
    "generate",
    "get",
    "keep",
    "read_schema",
    "schema_of",
    "workload_names",
]
