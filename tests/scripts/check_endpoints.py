"""Compare figures of endpoints with what is known in another way, on a quiet machine.

    python3 tests/scripts/check_endpoints.py agree fastapi litestar flask
    python3 tests/scripts/check_endpoints.py added --trials 100
    python3 tests/scripts/check_endpoints.py shares fastapi starlette

agree: a plain script that imports the same apps, sends its own requests, and times in fresh processes; rows and floor
are to agree within 5%. added: own apps whose function does 2% or 5% more work; 5% is to be found in 95 of 100 runs,
2% in 80. shares: a model whose serializer burns CPU time; its share is to be within 2 points of what that script finds.
The time that is burnt tells less: what a request does after it finds cold caches, and takes longer for it.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import serbench
from serbench.judge.control import Pair, pairs
from serbench.judge.rows import Row

Times = dict[str, list[float]]
"""Name of a module → its ns per request in each process."""

PLAIN = """
import asyncio, gc, importlib.util, io, json, os, sys, time

blob = open(sys.argv[1], "rb").read()
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
for name, file, objects_of, path in json.loads(sys.argv[2]):
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
    module.now[path[1:]] = document
    calls[name] = (wsgi if hasattr(module, "environ") else asgi)(module.app, path)
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
    data = {"workload": "client", "records": records}
    took: Times = defaultdict(list)
    plain: Times = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        blob = Path(folder, "blob.json")
        blob.write_text(json.dumps(serbench_document(records)))
        for _ in range(TURNS):
            options = {"endpoints": WAYS[framework], "operations": "encode", "conditions": "hot", "effort": "quick"}
            with tempfile.TemporaryDirectory() as inner:
                run = serbench.run(**data, **options, store=f"{inner}/store.sqlite")
                time_plainly(run, blob, plain, inner, alone=framework == "django")
            for row in (row for row in run.rows if row.measured):
                took[stem(row)].append(row.time_ns)
    ours, theirs = ({name: statistics.median(each) for name, each in times.items()} for times in (took, plain))
    for name in ours:
        ratio = ours[name] / theirs[name]
        over = ratio / (ours["bytes_bytes"] / theirs["bytes_bytes"])
        print(
            f"{framework} {name}: {ours[name] / 1e3:.1f} µs, plain {theirs[name] / 1e3:.1f} µs: {ratio:.3f}; over the floor {over:.3f}"
        )


def stem(row: Row) -> str:
    """The name of a row's module in the plain script."""
    return f"{row.variant}_{row.codec}".replace("-", "_")


def time_plainly(run: serbench.Run, blob: Path, times: Times, folder: str, *, alone: bool) -> None:
    """Have the plain script time the apps of a run, which return the document in `blob`; with `alone`, each in its process."""
    files = []
    for row in (row for row in run.rows if row.measured):
        source = run.sources[row.source_sha256]
        file = Path(folder, f"{stem(row)}.py")
        file.write_text(source)
        (path,) = re.findall(r'^ +"(?:path|PATH_INFO)": "(.*)"', source, re.MULTILINE)
        files.append((file.stem, str(file), "bytes" if row.codec == "bytes" else "", path))
    for group in [[one] for one in files] if alone else [files] * 3:
        command = [sys.executable, "-c", PLAIN, str(blob), json.dumps(group)]
        for name, each in json.loads(subprocess.run(command, capture_output=True, check=True).stdout).items():
            times[name].append(each)


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


def check_added(trials: int, effort: str, precision: float) -> None:
    """Print after each run the mean ratios, how often added work was found, and how often identical apps differed.

    Found is an interval of 95% that lies above 1.
    """
    with tempfile.TemporaryDirectory() as folder:

        def measured(names: Iterable[str], number: int) -> serbench.Run:
            apps = [f"{folder}/{name}.py:app" for name in names]
            store = f"{folder}/{number}.sqlite"
            options = {"operations": "encode", "effort": effort, "precision": precision}  # of the slower apps as well
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
        end = time.perf_counter_ns() + {burnt}
        while time.perf_counter_ns() < end:
            pass
        return handler(self)
"""
BURNT_US = (0, 5, 20, 60, 200, 600)


def check_shares(framework: str) -> None:
    """Print the share of each planted cost beside the one of the plain script."""
    ends = [f"{framework}[response]/pydantic", f"{framework}[bytes]"]
    for burnt in BURNT_US:
        shares, plain = [], defaultdict(list)
        with tempfile.TemporaryDirectory() as folder:
            file, blob = Path(folder, f"burns_{burnt}.py"), Path(folder, "order.json")
            file.write_text(MODEL.format(burnt=burnt * 1000))
            blob.write_text('{"number": 1, "items": [{"name": "c", "price": 2.5}, {"name": "d", "price": 0.5}]}')
            for turn in range(TURNS):
                data = {"payload": blob, "model": f"{file}:Order"}
                options = {"operations": "encode", "conditions": "hot", "store": f"{folder}/{turn}.sqlite"}
                run = serbench.run(**data, endpoints=ends, **options)
                (row,) = (row for row in run.rows if row.share is not None and row.codec != "bytes")
                shares.append(row.share)
                time_plainly(run, blob, plain, folder, alone=False)
        floor, whole = (statistics.median(plain[name]) for name in ("bytes_bytes", "response_pydantic"))
        share, known = statistics.median(shares), 1 - floor / whole
        sums = f"{whole / 1e3:.1f} µs, floor {floor / 1e3:.1f} µs"
        print(
            f"{framework}, {burnt} µs burnt: share {share:.1%}, plain {known:.1%} ({sums}), off by {share - known:+.1%}",
            flush=True,
        )


def main() -> None:
    """Check what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=("agree", "added", "shares"))
    parser.add_argument("frameworks", nargs="*", default=list(WAYS))
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--precision", type=float, default=0.02)
    options = parser.parse_args()
    if options.part == "added":
        return check_added(options.trials, options.effort, options.precision)
    for one in options.frameworks:
        check_agreement(one, 100) if options.part == "agree" else check_shares(one)
    return None


if __name__ == "__main__":
    main()
