"""Compare figures of endpoints with what is known in another way, on a quiet machine.

    python3 tests/scripts/check_endpoints.py agree fastapi litestar flask
    python3 tests/scripts/check_endpoints.py added --trials 100
    python3 tests/scripts/check_endpoints.py shares fastapi starlette

agree: a plain script that imports the same apps, sends its own requests, and times in fresh processes; rows and floor
are to agree within 5%. added: own apps whose function does 2% or 5% more work; 5% is to be found in 95 of 100 runs,
2% in 80. shares: a model whose serializer burns known CPU time; its share is to be within 2 points of what follows.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import serbench
from serbench.judge.control import Pair, pairs

PLAIN = """
import asyncio, gc, importlib.util, io, json, os, sys, time

folder, blob = sys.argv[1], open(sys.argv[2], "rb").read()
loop = asyncio.new_event_loop()

def asgi(app, path):
    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": "GET",
             "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
             "headers": [(b"host", b"localhost")], "client": ("localhost", 1), "server": ("localhost", 80)}
    def call():
        asked, sent = [{"type": "http.request", "body": b"", "more_body": False}], []
        async def receive():
            return asked.pop() if asked else await loop.create_future()  # a client does not ask twice
        async def send(message):
            sent.append(message)
        loop.run_until_complete(app(dict(scope), receive, send))
        if sent[0]["status"] != 200:
            sys.exit(str(sent[0]))
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
print(json.dumps({name: sum(each) / len(each) for name, each in times.items()}))
"""
WAYS = {
    "fastapi": ("fastapi/pydantic", "fastapi[response]/pydantic", "fastapi[response]/msgspec"),
    "starlette": ("starlette[response]/pydantic", "starlette[response]/msgspec", "starlette[response]/orjson"),
    "litestar": ("litestar/msgspec", "litestar/pydantic", "litestar[response]/msgspec"),
    "flask": ("flask[response]/pydantic", "flask[response]/msgspec", "flask[response]/orjson"),
    "django": ("django[response]/orjson",),  # of one view in a process
}
TURNS = 5


def check_agreement(framework: str, records: int) -> None:
    """Print a line for the floor and each way; runs and scripts take turns, as the speed of a machine changes."""
    blob = json.dumps(serbench_document(records)).encode()
    took: dict[str, list[float]] = {}
    plain: dict[str, list[float]] = {}
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as folder:
            options = {"endpoints": WAYS[framework], "operations": "encode", "conditions": "hot", "effort": "quick"}
            run = serbench.run("client", records=records, **options, store=f"{folder}/store.sqlite")
            Path(folder, "blob.json").write_bytes(blob)
            files = []
            for row in (row for row in run.rows if row.measured):
                file = Path(folder, f"{row.variant}_{row.codec}.py".replace("-", "_"))
                file.write_text(run.sources[row.source_sha256])
                files.append((file.stem, str(file), "bytes" if row.codec == "bytes" else ""))
                took.setdefault(file.stem, []).append(row.time_ns)
            for group in [[one] for one in files] if framework == "django" else [files] * 3:
                command = [sys.executable, "-c", PLAIN, folder, f"{folder}/blob.json", json.dumps(group)]
                for name, each in json.loads(subprocess.run(command, capture_output=True, check=True).stdout).items():
                    plain.setdefault(name, []).append(each)
    ours, theirs = ({name: statistics.median(each) for name, each in times.items()} for times in (took, plain))
    for name in ours:
        ratio = ours[name] / theirs[name]
        over = ratio / (ours["bytes_bytes"] / theirs["bytes_bytes"])
        print(
            f"{framework} {name}: {ours[name] / 1e3:.1f} µs, plain {theirs[name] / 1e3:.1f} µs: {ratio:.3f}; over the floor {over:.3f}"
        )


def serbench_document(records: int) -> object:
    """The document that the endpoints return."""
    from serbench.model.data.dataset import generate

    return generate("client", records, None, 0).value


APP = """
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

def work(steps):
    total = 0
    for number in range(steps):
        total += number
    return total

async def get(request):
    work({steps})
    return Response(b'{{"total": 1}}', media_type="application/json")

app = Starlette(routes=[Route("/x", get)])
"""
STEPS = 4_000
ADDED = {"again": 0.0, "x102": 0.02, "x105": 0.05}


def check_added(trials: int, effort: str) -> None:
    """Print after each run the mean ratios, how often added work was found, and how often identical apps differed.

    Found is an interval of 95% that lies above 1.
    """
    with tempfile.TemporaryDirectory() as folder:

        def measured(names: Iterable[str], number: int) -> serbench.Run:
            apps = [f"{folder}/{name}.py:app" for name in names]
            store = f"{folder}/{number}.sqlite"
            options = {"operations": "encode", "effort": effort, "precision": 0.02}  # of the slower apps as well
            return serbench.run(endpoints=apps, request="GET /x", **options, store=store)

        def paired(run: serbench.Run, wanted: dict[str, float]) -> Iterable[Pair]:
            cells = {cell.library.removesuffix(".app"): cell for cell in run.cells if not cell.control}
            apps = [(name, "app", 1 + part, cells["base"], cells[name]) for name, part in wanted.items()]
            return pairs(run.cells, run.samples, apps)

        def write(name: str, steps: int) -> None:
            Path(folder, f"{name}.py").write_text(APP.format(steps=steps))

        write("base", STEPS)
        write("twice", 2 * STEPS)
        (twice,) = paired(measured(["base", "twice"], 0), {"twice": 1.0})
        for name, part in ADDED.items():  # what a step costs where it is measured, in requests
            write(name, STEPS + round(part * STEPS / (twice.ratio - 1)))
        ratios: dict[str, list[float]] = {name: [] for name in ADDED}
        differ = dict.fromkeys(ADDED, 0)
        for trial in range(1, trials + 1):
            run = measured(["base", *ADDED], trial)
            for pair in paired(run, ADDED):
                ratios[pair.group].append(pair.ratio)
                differ[pair.group] += pair.low > 1 or (pair.group == "again" and pair.high < 1)
            print(trial, {name: round(statistics.mean(each), 4) for name, each in ratios.items()}, differ, flush=True)


MODEL = """
import time
from pydantic import BaseModel, model_serializer

class Item(BaseModel):
    name: str = "a"
    price: float = 1.0

class Order(BaseModel):
    number: int = 7
    items: list[Item] = [Item(), Item(name="b", price=2.5)]

    @model_serializer(mode="wrap")
    def burn(self, handler):
        end = time.thread_time_ns() + {burnt}
        while time.thread_time_ns() < end:
            pass
        return handler(self)
"""
BURNT_US = (0, 5, 20, 60, 200, 600)


def check_shares(framework: str) -> None:
    """Print the share of each planted cost beside what follows from the row without it."""
    with tempfile.TemporaryDirectory() as folder:
        over = 1.0
        for burnt in BURNT_US:
            file = Path(folder, f"burns_{burnt}.py")
            file.write_text(MODEL.format(burnt=burnt * 1000))
            ends = [f"{framework}[response]/pydantic", f"{framework}[bytes]"]
            data = {"model": f"{file}:Order", "records": 1}
            run = serbench.run(**data, endpoints=ends, operations="encode", store=f"{folder}/{burnt}.sqlite")
            (row,) = (row for row in run.rows if row.share is not None and row.codec != "bytes")
            (floor,) = (row.time_ns for row in run.rows if row.measured and row.codec == "bytes")
            if not burnt:
                over = row.time_ns / floor  # without burning, whatever the speed of the machine
            known = 1 - floor / (over * floor + burnt * 1000)
            told = f"{row.share:.1%} ({row.share_low:.1%} to {row.share_high:.1%})"
            print(
                f"{framework}, {burnt} µs burnt: share {told}, known {known:.1%}, off by {row.share - known:+.1%}",
                flush=True,
            )


def main() -> None:
    """Check what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=("agree", "added", "shares"))
    parser.add_argument("frameworks", nargs="*", default=list(WAYS))
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--effort", default="normal")
    options = parser.parse_args()
    if options.part == "added":
        return check_added(options.trials, options.effort)
    for one in options.frameworks:
        check_agreement(one, 100) if options.part == "agree" else check_shares(one)
    return None


if __name__ == "__main__":
    main()
