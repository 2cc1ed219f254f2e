"""Compare times of endpoints with those of a plain script that calls each app object without serbench.

    python3 tests/scripts/check_endpoints.py fastapi litestar flask

The script imports the same apps, sends its own requests, and times in fresh processes; rows and floor are to agree
within 5 % on a quiet machine.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import serbench

PLAIN = """
import asyncio, gc, importlib.util, io, json, os, sys, time

folder, blob = sys.argv[1], open(sys.argv[2], "rb").read()
loop = asyncio.new_event_loop()

async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}

def asgi(app, path):
    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": "GET",
             "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
             "headers": [(b"host", b"localhost")], "client": ("localhost", 1), "server": ("localhost", 80)}
    def call():
        sent = []
        async def send(message):
            sent.append(message)
        loop.run_until_complete(app(dict(scope), receive, send))
        return b"".join(message.get("body", b"") for message in sent)
    return call

def wsgi(app, path):
    environ = {"REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "", "SERVER_NAME": "localhost",
               "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "localhost", "wsgi.version": (1, 0),
               "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.multithread": False,
               "wsgi.multiprocess": True, "wsgi.run_once": False}
    def call():
        parts = app({**environ, "wsgi.input": io.BytesIO()}, lambda status, headers, error=None: None)
        body = b"".join(parts)
        getattr(parts, "close", lambda: None)()
        return body
    return call

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # as serbench's own
calls = {}
for name, file, objects_of in json.loads(sys.argv[3]):
    def load(name, file):
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    module = load(name, file)
    if objects_of == "bytes":
        document = blob
    else:
        document = module.decode(blob) if hasattr(module, "decode") else load(name + "_objects", objects_of).decode(blob)
    module.now["clients"] = document
    calls[name] = (wsgi if hasattr(module, "environ") else asgi)(module.app, "/clients")
    if json.loads(calls[name]()) != json.loads(blob):
        sys.exit(name + " answers something else")
gc.collect()
gc.freeze()
times = {name: [] for name in calls}
for _ in range(40):
    for name, call in calls.items():
        for _ in range(3):
            call()
        began = time.thread_time_ns()
        for _ in range(10):
            call()
        times[name].append((time.thread_time_ns() - began) / 10)
print(json.dumps({name: sorted(each)[len(each) // 2] for name, each in times.items()}))
"""
WAYS = {
    "fastapi": ("fastapi/pydantic", "fastapi[response]/pydantic", "fastapi[response]/msgspec"),
    "starlette": ("starlette[response]/pydantic", "starlette[response]/msgspec", "starlette[response]/orjson"),
    "litestar": ("litestar/msgspec", "litestar/pydantic", "litestar[response]/msgspec"),
    "flask": ("flask[response]/pydantic", "flask[response]/msgspec", "flask[response]/orjson"),
    "django": ("django[response]/orjson",),  # of one view in a process
}


def check(framework: str, records: int) -> None:
    """Print a line for the floor and each way."""
    run = serbench.run("client", records=records, endpoints=WAYS[framework], operations="encode", conditions="hot")
    rows = {(row.variant, row.codec): row for row in run.rows if row.measured}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for (variant, codec), row in rows.items():
            file = Path(folder, f"{variant}_{codec}.py".replace("-", "_"))
            file.write_text(run.sources[row.source_sha256])
            files.append((file.stem, str(file), "bytes" if codec == "bytes" else ""))
        blob = Path(folder, "blob.json")
        document = json.dumps(serbench_document(records)).encode()
        blob.write_bytes(document)
        groups = [[one] for one in files] if framework == "django" else [files]
        took: dict[str, list[float]] = {name: [] for name, _, _ in files}
        for _ in range(5):
            for group in groups:
                command = [sys.executable, "-c", PLAIN, folder, str(blob), json.dumps(group)]
                for name, each in json.loads(subprocess.run(command, capture_output=True, check=True).stdout).items():
                    took[name].append(each)
    plain = {name: statistics.median(each) for name, each in took.items()}
    floor = next(row for row in rows.values() if row.codec == "bytes").time_ns
    for (name, _, _), row in zip(files, rows.values(), strict=True):
        ratio, over = row.time_ns / plain[name], (row.time_ns / floor) / (plain[name] / plain["bytes_bytes"])
        print(
            f"{framework} {name}: {row.time_ns / 1e3:.1f} µs, plain {plain[name] / 1e3:.1f} µs: {ratio:.3f}; over the floor {over:.3f}"
        )


def serbench_document(records: int) -> object:
    """The document that the endpoints return."""
    from serbench.model.data.dataset import generate

    return generate("client", records, None, 0).value


if __name__ == "__main__":
    for one in sys.argv[1:] or WAYS:
        check(one, 100)
