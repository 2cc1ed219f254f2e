"""An index of packages as one large JSON document, read by several libraries; and the memory that this takes."""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
import msgspec

TYPES = """
from typing import Dict, List

import msgspec


class Package(msgspec.Struct):
    name: str
    version: str
    build: str
    number: int
    needs: List[str]
    digest: str
    long_digest: str
    size: int
    platform: str = ""
    licence: str = ""
    published: int = 0


class Index(msgspec.Struct):
    packages: Dict[str, Package]
"""
exec(TYPES)


def index(count):
    """Return the JSON of an index with this many packages."""
    draw = random.Random(77)
    packages = {}
    for number in range(count):
        name, version = (
            f"package-{draw.randint(0, count // 6)}",
            f"{draw.randint(0, 9)}.{draw.randint(0, 30)}.{number % 7}",
        )
        packages[f"{name}-{version}-py_{number}.tar.bz2"] = {
            "name": name,
            "version": version,
            "build": f"py_{number}",
            "number": number % 5,
            "needs": [
                f"package-{draw.randint(0, count // 6)} >=1.{draw.randint(0, 20)}" for _ in range(draw.randint(1, 9))
            ],
            "digest": f"{draw.getrandbits(128):032x}",
            "long_digest": f"{draw.getrandbits(256):064x}",
            "size": draw.randint(5_000, 5_000_000),
            "platform": "noarch",
            "licence": draw.choice(["MIT", "BSD-3-Clause", "Apache-2.0"]),
            "published": 1_500_000_000_000 + draw.getrandbits(36),
        }
    return json.dumps({"packages": packages}).encode()


READERS = {
    "Structs": "import msgspec, index_types; read = msgspec.json.Decoder(index_types.Index).decode",
    "msgspec": "import msgspec; read = msgspec.json.decode",
    "json": "import json; read = json.loads",
    "orjson": "import orjson; read = orjson.loads",
    "ujson": "import ujson; read = ujson.loads",
    "rapidjson": "import rapidjson; read = rapidjson.loads",
}
MEASURE = """
import sys
sys.path.insert(0, sys.argv[1])
READER
def peak():  # that of resource.getrusage begins with the peak of the process that started this one
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1])
with open(sys.argv[1] + "/index.json", "rb") as file:
    text = file.read()
read(b'{"packages":{}}')
before = peak()
found = read(text)
print(peak() - before)
"""


def prepare(count, reader="", memory=False):
    """Return the text, or what the measurement of a reader's memory needs."""
    return (reader, count) if memory else index(count)


STRUCTS = msgspec.json.Decoder(Index)


def with_structs(text):
    return STRUCTS.decode(text)


def with_msgspec(text):
    return msgspec.json.decode(text)


def with_json(text):
    return json.loads(text)


def with_orjson(text):
    import orjson

    return orjson.loads(text)


def with_ujson(text):
    import ujson

    return ujson.loads(text)


def with_rapidjson(text):
    import rapidjson

    return rapidjson.loads(text)


def memory(asked):
    """Return the increase of the greatest memory of a fresh process that reads the index, in KiB."""
    reader, count = asked
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.json").write_bytes(index(count))
        Path(folder, "index_types.py").write_text(TYPES)
        code = MEASURE.replace("READER", READERS[reader])
        done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    return int(done.stdout)


def answer(result):
    """Return the number of packages and the sum of their sizes; memory as it is."""
    if isinstance(result, int):
        return result
    packages = (result.packages if isinstance(result, Index) else result["packages"]).values()
    return [len(packages), sum(one.size if isinstance(one, Package) else one["size"] for one in packages)]
