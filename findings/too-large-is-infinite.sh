#!/usr/bin/env bash
# In a float of 32 bits, fastavro, protobuf, pyarrow, polars and pycapnp write 1e39 as infinity; avro and flatbuffers refuse it.
#
# Guess: a number beyond the range of a field is an error, as `struct.pack` has it;
#   two libraries of one format, Avro, agree.
# Seen: none of the five refuses 1e39. 2^40 in an int of 32 bits is refused by six; fastavro writes and reads it, as a
#   variable-length int has no limit, and `avro` refuses it. So the two Avro libraries agree on neither.
# Versions: fastavro 1.13.1, avro 1.12.2, protobuf 7.36.2, pyarrow 26.0.1, polars 2.1.0, pycapnp 2.2.4, flatbuffers 25.12.19;
#   CPython 3.11.
# Who meets it: whoever saves space with `float` for sums or products that may grow; JSON then has null, or is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q fastavro==1.13.1 avro==1.12.2 protobuf==7.36.2 pyarrow==26.0.1 polars==2.1.0 pycapnp==2.2.4 \
  flatbuffers==25.12.19
cat > numbers.capnp <<'SCHEMA'
@0xbf5147cbbecf40c1;
struct Numbers { float @0 :Float32; int @1 :Int32; }
SCHEMA
cat > ranges.py <<'PY'
import io

import avro.io
import avro.schema
import capnp
import fastavro
import flatbuffers
import polars
import pyarrow
from flatbuffers import number_types
from google.protobuf import wrappers_pb2


def by_fastavro(kind, value):
    file = io.BytesIO()
    fastavro.schemaless_writer(file, kind, value)
    file.seek(0)
    return fastavro.schemaless_reader(file, kind)


def by_avro(kind, value):
    schema, file = avro.schema.parse(f'"{kind}"'), io.BytesIO()
    avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(file))
    file.seek(0)
    return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(file))


def by_protobuf(kind, value):
    message = {"float": wrappers_pb2.FloatValue, "int": wrappers_pb2.Int32Value}[kind]
    return message.FromString(message(value=value).SerializeToString()).value


def by_capnp(kind, value):
    numbers = capnp.load("numbers.capnp").Numbers
    with numbers.from_bytes(numbers.new_message(**{kind: value}).to_bytes()) as read:
        return getattr(read, kind)


def by_flatbuffers(kind, value):
    builder = flatbuffers.Builder()
    prepend = {"float": builder.PrependFloat32, "int": builder.PrependInt32}[kind]
    prepend(value)
    flags = {"float": number_types.Float32Flags, "int": number_types.Int32Flags}[kind]
    return flatbuffers.encode.Get(flags.packer_type, builder.Bytes, builder.Head())


ways = {
    "fastavro": by_fastavro,
    "avro": by_avro,
    "protobuf": by_protobuf,
    "pyarrow": lambda kind, value: pyarrow.array([value], {"float": pyarrow.float32(), "int": pyarrow.int32()}[kind])[0].as_py(),
    "polars": lambda kind, value: polars.Series([value], dtype={"float": polars.Float32, "int": polars.Int32}[kind])[0],
    "pycapnp": by_capnp,
    "flatbuffers": by_flatbuffers,
}
for name, way in ways.items():
    seen = []
    for kind, value in (("int", 2**40), ("float", 1e39)):
        try:
            seen.append(str(way(kind, value)))
        except Exception:
            seen.append("refused")
    print(name, *seen)
PY
.venv/bin/python ranges.py 2>/dev/null | tee seen
diff seen - <<'SEEN'
fastavro 1099511627776 inf
avro refused refused
protobuf refused inf
pyarrow refused inf
polars refused inf
pycapnp refused inf
flatbuffers refused refused
SEEN
