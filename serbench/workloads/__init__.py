"""Test data: generated workloads, one file each, and data sets from the user's files and objects.

`generate("client", records=100, depth=2, seed=0)` returns the same data in every process and on every platform. Every
file in this package is a workload unless its name starts with an underscore.
"""

from serbench.workloads._contract import MOST_RECORDS as MOST_RECORDS
from serbench.workloads._contract import Dataset as Dataset
from serbench.workloads._generate import generate as generate
from serbench.workloads._generate import get as get
from serbench.workloads._generate import workload_names as workload_names
from serbench.workloads._payload import from_document as from_document
from serbench.workloads._payload import from_payload as from_payload
from serbench.workloads._payload import from_schema as from_schema
from serbench.workloads._payload import save_object as save_object
from serbench.workloads._payload import schema_of as schema_of
from serbench.workloads._read import FileBytes as FileBytes
from serbench.workloads._read import file_bytes as file_bytes
from serbench.workloads._read import read as read
from serbench.workloads._schema_files import read_schema as read_schema
from serbench.workloads._schema_files import schema_notes as schema_notes
from serbench.workloads._values import Drawing as Drawing
from serbench.workloads._values import draw_document as draw_document
