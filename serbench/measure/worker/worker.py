"""Runs and times rendered cases in any environment; a pipe brings the requests.

Standard library only, imports nothing of serbench, runs on Python 3.6 and PyPy. It is started by its
path (`python -I worker.py MEMORY_BYTES`). A message is four bytes of length and that much JSON; a
reply may announce `blob_bytes` that follow it raw. Requests are answered in order, one at a time;
what a library prints goes to standard error.
"""

import copy
import errno
import faulthandler
import gc
import importlib
import importlib.util
import json
import os
import pickle
import platform
import statistics
import struct
import sys
import time
from types import ModuleType
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Sequence, Set, Tuple

try:
    import resource
except ImportError:  # Windows: no limits and no count of context switches
    resource = None  # type: ignore[assignment]


def clock(name: str) -> Callable[[], int]:
    """A clock of the `time` module, in ns; Python 3.6 has them in seconds, and none of a thread."""
    exact: Optional[Callable[[], int]] = getattr(time, name + "_ns", None)
    in_seconds = getattr(time, name, time.process_time)
    return exact or (lambda: round(in_seconds() * 1e9))


_dumps, _loads = json.dumps, json.loads  # a module of the user's may replace them
thread_time_ns, process_time_ns, perf_counter_ns = map(clock, ("thread_time", "process_time", "perf_counter"))

Reply = Dict[str, Any]
MOST_READ = 8  # documents of a stream that a second implementation reads in the worker, a hundred times as slowly


def load_module(name: str, path: str) -> ModuleType:
    """Import a file under a flat name; pickle and forward references need it in `sys.modules`."""
    spec: Any = importlib.util.spec_from_file_location(name, path)
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


HERE = os.path.dirname(__file__)
prepared_case: Any = load_module("_serbench_prepared_case", os.path.join(HERE, "prepared_case.py"))


class Worker:
    """The answers to each request; a request's `do` is a method's name."""

    load_module = staticmethod(load_module)

    def __init__(self) -> None:
        self.fidelity: Any = None
        self.data: Dict[str, Tuple[Any, Any]] = {}
        self.documents: Dict[str, Any] = {}
        self.cases: Dict[str, Any] = {}
        self.frozen: Set[str] = set()
        self.loaded: List[str] = []
        self.spent: Dict[str, int] = {}
        self.collects = True

    def start(self, fidelity: str, collects: bool, folders: Sequence[str] = ()) -> Reply:
        """Load the comparison code; say what runs here. `folders` have packages beside those of the environment."""
        sys.path += [folder for folder in folders if folder not in sys.path]
        self.fidelity = load_module("_serbench_fidelity", fidelity)
        self.collects = collects
        return {"python": platform.python_version(), "implementation": platform.python_implementation()}

    def described(self, error: BaseException) -> str:
        """An exception in one line; of a group the first of the innermost ones, behind its path."""
        path, inner = self.fidelity.innermost(error) if self.fidelity else ("", error)
        return path + describe(inner)

    def add_data(self, name: str, spec: Any, values: str, documents: Optional[Reply] = None) -> Reply:
        """Read neutral values that serbench pickled for this run into `values` (a path), and perhaps many documents."""
        with open(values, "rb") as file:
            self.data[name] = (spec, pickle.load(file))
        if documents is not None:
            self.documents[name] = prepared_case.Documents(**documents)
        return {}

    def prepare(
        self,
        case: str,
        module: str,
        path: str,
        data: str,
        writer: Optional[str],
        blobs: Optional[str] = None,
        user: Optional[str] = None,
        functions: Optional[str] = None,
        app: Optional[str] = None,
    ) -> Reply:
        """Import a case's module, build its objects and encode them.

        `writer` is the path of the module that encodes in the place of one that only decodes; `blobs` that of the file
        into which `verify` wrote all documents; `user` that of how a user's class makes its objects. With `functions` these
        are the user's own, which take what they decode of the bytes of `writer`, or else plain values; with `app` the module
        imports an app of theirs.
        """
        if functions or app:
            load_module("_serbench_user_code", os.path.join(HERE, "user_code.py"))
        spec, value = self.data[data]
        prepared = prepared_case.PreparedCase(load_module(module, path), data, value, self.documents.get(data))
        encoding = load_module("writer_of_" + module, writer) if writer else prepared.module
        with self.fidelity.deep_recursion():
            if user is not None:
                further = "written" in spec
                prepared.user = prepared_case.UserObjects(user, prepared.module, self.fidelity, further=further)
                prepared.user_objects = prepared.user.objects(0, value)
                spec = prepared.user.lacking
            spec = self.data[data][0].get("written", spec)  # documents may have more fields than are read
            # A module that has a function for it knows better how its objects are made.
            if functions:
                make: Any = prepared_case.maker_for_functions(prepared, encoding, spec, self.fidelity)
                encoding, writer = prepared.module, None
            else:
                make = getattr(encoding, "build", None) or self.fidelity.builder(spec, spec["root"], encoding)
                if user is None and prepared.documents and not hasattr(encoding, "build"):
                    prepared.make_of_slim = self.fidelity.builder(dict(spec, slim=True), spec["root"], encoding)
            prepared.encode, prepared.make = encoding.encode, make
            prepared.user_encodes = user is not None and not writer
            # those that are compared stay unwritten: a class may set attributes while it writes
            objects = prepared.user.objects(0, value) if prepared.user_encodes else make(value) if make else value
        prepared.blob = encoding.encode(objects)
        if not writer:
            prepared.objects = objects
        if blobs is not None:
            prepared.blobs = prepared_case.read_blobs(blobs)
        self.cases[case] = prepared
        return {}

    def prepare_call(self, case: str, module: str, path: str, values: str, documents: Optional[Reply] = None) -> Reply:
        """Import a module whose `call` is to be timed, make its argument, and call it once.

        The module's `build`, if it has one, makes the argument of the pickled values (a path), or of each document.
        """
        load_module("_serbench_user_code", os.path.join(HERE, "user_code.py"))  # for modules that use it
        with open(values, "rb") as file:
            value = pickle.load(file)
        stream = None if documents is None else prepared_case.Documents(**documents)
        prepared = prepared_case.PreparedCase(load_module(module, path), "", value, stream)
        prepared.make = getattr(prepared.module, "build", None)
        with self.fidelity.deep_recursion():
            prepared.objects = prepared.make(value) if prepared.make else value
        prepared.answer = prepared.module.call(prepared.objects)
        self.cases[case] = prepared
        return {}

    def wrong(self, case: str, right: str, wrong: Dict[str, str]) -> Reply:
        """Read right documents and wrong ones (operation → path); answer with the operations of which any gets through.

        The same writer made the right ones and the wrong ones, so a refusal is not the writer's fault.
        """
        prepared = self.cases[case]
        for blob in prepared_case.read_blobs(right):
            prepared.module.decode(blob)
        let_through = []
        for operation, path in wrong.items():
            prepared.wrong[operation] = prepared_case.read_blobs(path)
            try:
                for blob in prepared.wrong[operation]:
                    prepared.refuse(blob)
            except ValueError:
                let_through.append(operation)
        return {"let_through": let_through}

    def verify(
        self,
        case: str,
        operations: List[str],
        reader: Optional[str],
        losses: Dict[str, str],
        blobs: Optional[str] = None,
    ) -> Reply:
        """Return the bytes of a case, and the first difference of its decoded objects: see `fidelity.verified`.

        With `blobs`, every document of the stream is proved, and its bytes are written to that file; the first `MOST_READ`
        are also read by `reader`.
        """
        prepared = self.cases[case]
        spec, value = self.data[prepared.data]
        if prepared.any_class:
            spec = dict(spec, any_class=True)
        reply: Reply = self.fidelity.verified(prepared, spec, value, operations, reader, losses)
        if hasattr(prepared.module, "headers"):  # of the answer of an endpoint
            reply["length"] = len(prepared.encode(prepared.objects))
            reply["headers"] = prepared.module.headers()
        if reply["difference"] is not None or blobs is None or prepared.documents is None:
            return reply
        first = (prepared.value, prepared.objects, prepared.blob)
        written = [prepared.blob]
        waiting: List[Tuple[int, Any, Any]] = []  # documents that are compared together
        size, text = 0, None
        for index in range(1, len(prepared.documents)):
            value = prepared.documents.value(index)
            with self.fidelity.deep_recursion():
                objects = prepared.objects_of(index)
            prepared.value, prepared.blob = value, prepared.encode(objects)
            if prepared.objects is not None:
                prepared.objects = objects
            if prepared.user is not None:
                prepared.user_objects = prepared.user.objects(index, value)
            written.append(prepared.blob)
            wrong, decoded = self.fidelity.read_back(prepared, value, operations, reader if index < MOST_READ else None)
            if wrong is None:
                waiting.append((index, value, decoded))
                size += len(prepared.blob)
            if wrong or prepared.user or size > prepared_case.TOGETHER_BYTES or index == len(prepared.documents) - 1:
                text = self._difference(prepared, spec, waiting, losses, reply["lost"])
                text = text or (wrong and "document {}: {}".format(index + 1, wrong))
                waiting, size = [], 0
            if text:
                return {"difference": text, "blob": reply["blob"]}
        prepared.value, prepared.objects, prepared.blob = first
        prepared.blobs = written
        prepared_case.write_blobs(blobs, written)
        return reply

    def _difference(
        self,
        prepared: Any,
        spec: Any,
        documents: List[Tuple[int, Any, Any]],
        losses: Dict[str, str],
        lost: Dict[str, str],
    ) -> Optional[str]:
        """Return the first difference that the format does not declare as a loss.

        `documents` has the index, the value and what was decoded of each. Declared losses are added to `lost`.
        """
        if len(documents) > 1 and self.fidelity.surely_same(prepared, spec, [one[1:] for one in documents]):
            return None
        for index, value, decoded in documents:
            found = self.fidelity.compared(prepared, spec, value, decoded, losses)
            if found["difference"] is not None:
                return "document {}: {}".format(index + 1, found["difference"])
            lost.update(found["lost"])
        return None

    def answer(self, case: str) -> Reply:
        """Return the result of a function's first call as JSON text, by the module's own `answer` if it has one."""
        prepared = self.cases[case]
        result: Any = prepared.answer
        size = len(result) if isinstance(result, bytes) else None
        told = getattr(prepared.module, "answer", lambda value: value)(result)
        return {"answer": _dumps(told, sort_keys=True, default=repr), "size_bytes": size}

    def load(self, module: str, path: str, writer: Optional[str]) -> Reply:
        """Import a module, and the one that writes for it, for `carry`; those before it are forgotten."""
        sys.dont_write_bytecode = True  # each is imported once
        for name in self.loaded:
            sys.modules.pop(name, None)
        self.loaded = [module, "writer_of_" + module] if writer else [module]
        load_module(module, path)
        if writer:
            load_module("writer_of_" + module, writer)
        return {}

    def carry(self, data: str, probes: List[Reply]) -> Reply:
        """Return the outcome of each of these documents, by their index in the data: see `fidelity.carried`."""
        spec, documents = self.data[data]
        module, encoding = sys.modules[self.loaded[0]], sys.modules[self.loaded[-1]]
        carried = self.fidelity.carried
        return {"outcomes": [carried(module, encoding, spec, documents[p["index"]], p) for p in probes]}

    def take(self, case: str, inputs: List[Reply]) -> Reply:
        """Return the outcome of each of these inputs: see `fidelity.answer_to`."""
        prepared = self.cases[case]
        spec, good = self.data[prepared.data]
        make = prepared.user.make if prepared.user else getattr(prepared.module, "build", None)
        if prepared.any_class:
            make = prepared.make
        build = make or self.fidelity.builder(spec, spec["root"], prepared.module) or copy.deepcopy
        return {"outcomes": [self.fidelity.answer_to(prepared.module, spec, good, one, build) for one in inputs]}

    def call(self, script: str, function: str, **arguments: Any) -> Reply:
        """Call a function of a file of serbench's with this worker as its first argument."""
        reply: Reply = getattr(load_module("_serbench_called", script), function)(self, **arguments)
        return reply

    def freeze(self, case: str) -> Reply:
        """After this case, take what has been set up out of the garbage collector's sight, as a server does after start."""
        gc.collect()
        if hasattr(gc, "freeze"):
            gc.freeze()
            self.frozen |= self.cases.keys()
        return {}

    def drop(self, case: str) -> Reply:
        """Forget a case and its objects; what is out of the collector's sight is brought back for its sake alone."""
        if case in self.frozen:
            gc.unfreeze()
            self.frozen.clear()
        self.cases.pop(case, None)
        return {}

    def warm_up(self, case: str, operation: str, loops: int) -> Reply:
        """Repeat batches until two spans of 0.1 s have not made them faster by 2%, for 5 s at most.

        A JIT has then done its work. Answers with the time that this took.
        """
        best, idle, total, start = float("inf"), 0, 0, 0
        while idle < 2 and total < 5_000_000_000:
            span: List[int] = []
            while sum(span) < 100_000_000:
                span.append(self.took(case, operation, loops, start))
                start += loops
            total += sum(span)
            idle = 0 if statistics.median(span) < 0.98 * best else idle + 1
            best = min(best, statistics.median(span))
        return {"warmup_ns": total}

    def calibrate(self, case: str, operation: str, target_ns: int) -> Reply:
        """Return the number of calls that take `target_ns`, at least one; and the time of one."""
        loops, start = 1, 0
        while True:
            elapsed: float = self.took(case, operation, loops, start)
            start += loops
            if elapsed >= target_ns / 5 or loops >= 1 << 20:
                break
            loops *= 4 if elapsed * 8 < target_ns else 2
        if elapsed < target_ns * 4:
            repeats = 8 if elapsed < target_ns else 2
            again = [self.took(case, operation, loops, start + turn * loops) for turn in range(repeats)]
            elapsed = min(elapsed, *again)  # the first calls of a process are slow, and others interrupt some
        each = max(elapsed / loops, 1.0)
        return {"loops": max(1, round(target_ns / each)), "each_ns": each}

    def took(self, case: str, operation: str, loops: int, start: int) -> int:
        """The CPU time of a batch in ns; a tenth of its wall time if that is more, for what waits uses next to none."""
        cpu, wall, *_ = self.batch(case, operation, loops, start)
        return max(cpu, wall // 10)

    def measure(self, case: str, operation: str, loops: int, warmup: int, start: int = 0) -> Reply:
        """One batch: thread CPU, wall and process CPU time in ns, and involuntary context switches.

        It begins with document `start`; the untimed calls before it have those before that. `spent` has the wall time of
        each kind of work in ns.
        """
        times = self.batch(case, operation, loops, start, warmup)
        return {"times": times, "spent": self.spent}

    def batch(self, case: str, operation: str, loops: int, start: int, warmup: int = 0) -> List[int]:
        """Time `loops` calls, after `warmup` untimed ones."""
        prepared = self.cases[case]
        spans = prepared.spans(operation, loops, start, warmup)
        return self.timed(prepared.function(operation), spans, prepared.last_results(operation))

    def timed(
        self,
        function: Callable[[Any], Any],
        spans: Iterable[Tuple[Iterable[Any], Iterable[Any]]],
        results: Deque[Any],
    ) -> List[int]:
        """Time a call with each argument, after the untimed calls of each span.

        Making the arguments is not timed, dropping as many results as there are calls is. A batch begins with no
        results: those that others left scatter the memory of some processes, whose times then differ by several percent.
        """
        results.clear()
        if not self.collects:
            gc.disable()
        keep, drop = results.extend, results.popleft
        cpu = wall = process = switches = making = untimed = 0
        ended = perf_counter_ns()
        for before, arguments in spans:
            made = perf_counter_ns()
            keep(map(function, before))
            held = len(results)
            making += made - ended
            untimed += perf_counter_ns() - made
            switches -= involuntary_switches()
            process -= process_time_ns()
            wall -= perf_counter_ns()
            cpu -= thread_time_ns()
            keep(map(function, arguments))
            for _ in range(len(results) - held):
                drop()
            cpu += thread_time_ns()
            wall += perf_counter_ns()
            process += process_time_ns()
            switches += involuntary_switches()
            ended = perf_counter_ns()
        if not self.collects:
            gc.enable()
        self.spent = {"timed calls": wall, "untimed calls": untimed, "making arguments": making}
        return [cpu, wall, process, switches]


def involuntary_switches() -> int:
    """Count how often the scheduler has taken the CPU from this thread; 0 if the platform does not."""
    if resource is None or not hasattr(resource, "RUSAGE_THREAD"):
        return 0
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def describe(error: BaseException) -> str:
    """An exception in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "an error that cannot say what it is"
    text = text.encode("utf-8", "backslashreplace").decode()
    text = text if len(text) <= 300 else text[:300] + "…"
    return "{}: {}".format(type(error).__name__, text) if text else type(error).__name__


def limit_memory(memory: int) -> None:
    """Let this process have so many bytes of address space; 0 for no limit."""
    if memory and resource is not None and hasattr(resource, "RLIMIT_AS"):
        most = resource.getrlimit(resource.RLIMIT_AS)[1]  # nobody may raise what the machine allows
        memory = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def main() -> None:
    """Answer requests until the pipe closes."""
    faulthandler.enable()
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    limit_memory(int(sys.argv[1]))
    sys.modules["__main__"] = ModuleType("__main__")  # that of the user's code
    worker, process = Worker(), os.getpid()
    while True:
        head = requests.read(4)
        if len(head) < 4:
            break
        request = _loads(requests.read(struct.unpack(">I", head)[0]).decode())
        try:
            reply = getattr(worker, request.pop("do"))(**request)
        except MemoryError:
            reply = {"error": "MemoryError", "status": "memory"}
        except (Exception, KeyboardInterrupt) as error:  # a failure is an answer; Ctrl-C is left to the conductor
            is_full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            reply = {"error": worker.described(error), "status": "full disk" if is_full else "failed"}
        if os.getpid() != process:  # a copy that the user's code has made
            os._exit(0)
        blob = reply.pop("blob", None)
        if blob is not None:
            reply["blob_bytes"] = len(blob)
        text = _dumps(reply).encode()
        replies.write(struct.pack(">I", len(text)) + text + (blob or b""))
        replies.flush()


if __name__ == "__main__":
    main()
