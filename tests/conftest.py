"""What all tests share: a store and modules of each test's own, a browser, a user's classes, the command line."""

from __future__ import annotations

import ctypes
import functools
import gc
import itertools
import os
import signal
import sys
import textwrap
from collections import Counter
from pathlib import Path

import psutil
import pytest
from drawing import Drawing
from hypothesis import HealthCheck, Phase, settings, strategies

from serbench.api.command_line.program import main
from serbench.errors import PlugInError
from serbench.model.data.dataset import get, workload_names
from serbench.render.library import libraries
from serbench.store import archive

if sys.platform == "linux":
    import resource

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the programs that tests start by the hundred would each compile again
sys.dont_write_bytecode = False
QUICK = str(Path(__file__).parent / "support" / "quick")
if QUICK not in sys.path:  # here and in the programs that tests start
    sys.path.insert(0, QUICK)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (QUICK, os.environ.get("PYTHONPATH"))))

HEAD = """
from __future__ import annotations
import enum
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
import attrs, msgspec, pydantic
from marshmallow import Schema, fields, validate

class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"
"""

settings.register_profile("every", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("serbench", settings.get_profile("every"), max_examples=25)  # the runs together try many
settings.register_profile(
    "mutants", settings.get_profile("every"), phases=set(Phase) - {Phase.shrink, Phase.explain}
)  # any failure will do, and the simplest takes minutes
settings.load_profile("serbench")  # no test fails for the time that it takes


MOST_MEMORY_BYTES = 1_000_000_000
MOST_MEMORY_MARKED_BYTES = 1_300_000_000  # with -m: notebooks, the site and a browser are among the tests
SHORT_BYTES = 8 << 10
COLLECTED_BYTES = 50_000_000  # a process collects its garbage whenever it has grown by so much
_size_bytes = [300_000_000]  # after the last collection
_peaks_bytes: list[int] = []
_cpu_s: Counter[str] = Counter()
_all_cpu_s: list[float] = []
_process = psutil.Process()
_numbers = itertools.count()


def pytest_addoption(parser):
    """Let the seed of what is drawn be given."""
    Drawing.add_option(parser)


def pytest_configure(config):
    """Draw which tests this run has, and end in one line if a plug-in is wrong, of which each test would say so."""
    config.pluginmanager.register(Drawing(config))
    try:
        libraries()
        for name in workload_names():
            get(name)
    except PlugInError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Count the CPU seconds of each file's tests, with those of the programs that they waited for."""
    before = sum(os.times()[:4])
    done = yield
    _cpu_s[item.path.relative_to(item.config.rootpath).as_posix()] += sum(os.times()[:4]) - before
    return done


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    """Have Hypothesis make its table of characters before it is needed: on a new checkout that takes 200 MB in each process."""
    if not hasattr(session.config, "workerinput"):
        strategies.text().validate()


def pytest_make_parametrize_id(val):
    """Name a parameter in a line that can be typed: bytes by their number, texts by their beginning."""
    if isinstance(val, bytes):
        return f"{len(val)} bytes"
    if isinstance(val, str) and (len(val) > 70 or not val.isprintable()):
        return " ".join(val.split())[:70]
    return None


def pytest_sessionfinish(session):
    """Fail a session one of whose processes has ever held more than it may."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 if sys.platform == "linux" else 0
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput |= {"peak_bytes": peak, "cpu_s": dict(_cpu_s), "all_cpu_s": sum(os.times()[:4])}
        return
    _peaks_bytes.append(peak)
    if max(_peaks_bytes) > most_memory_bytes(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Note the peak and the CPU seconds of a process that pytest-xdist started."""
    output = getattr(node, "workeroutput", {})
    _peaks_bytes.append(output.get("peak_bytes", 0))
    _cpu_s.update(output.get("cpu_s", {}))
    _all_cpu_s.append(output.get("all_cpu_s", 0))


def most_memory_bytes(config):
    """What a process of this session may hold."""
    return MOST_MEMORY_BYTES if config.getoption("markexpr") == "not full" else MOST_MEMORY_MARKED_BYTES


def pytest_terminal_summary(terminalreporter, config):
    """Tell the peak of the largest process, and the files that took the most CPU seconds."""
    most = most_memory_bytes(config)
    if any(_peaks_bytes):
        said = f"peak memory of one pytest process: {max(_peaks_bytes) / 1e6:.0f} MB"
        over = f", more than {most / 1e6:.0f} MB" if max(_peaks_bytes) > most else ""
        terminalreporter.write_line(said + over)
    if len(_cpu_s) > 1:
        all_s = sum(_all_cpu_s) + sum(os.times()[: 2 if _all_cpu_s else 4])
        terminalreporter.write_line(f"CPU seconds: {all_s:.0f}, of which {_cpu_s.total():.0f} in tests, most in:")
        for name, seconds in _cpu_s.most_common(10):
            terminalreporter.write_line(f"{seconds:7.1f} {name}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Run the tests that share a fixture in one process, so that it is made once for each of its parameters.

    They share the fixtures of their module, or one of the session that has parameters. What is marked `full` may take
    longer, unless it says how long.
    """
    for item in items:
        if item.get_closest_marker("full") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1200))
        scopes = {name: found[-1].scope for name, found in item._fixtureinfo.name2fixturedefs.items()}
        params = item.callspec.params if hasattr(item, "callspec") else {}
        of_session = [str(value) for name, value in params.items() if scopes.get(name) == "session"]
        of_module = [str(value) for name, value in params.items() if scopes.get(name) == "module"]
        if of_session or "module" in scopes.values():
            item.add_marker(pytest.mark.xdist_group("-".join(of_session or [item.path.stem, *of_module])))


@pytest.fixture(autouse=True)
def returned_memory():
    """Free what tests have left in cycles, classes above all, whenever the process has grown."""
    yield
    if _process.memory_info().rss > _size_bytes[0] + COLLECTED_BYTES:
        gc.collect()
        if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
            ctypes.CDLL(None).malloc_trim(0)
        _size_bytes[0] = _process.memory_info().rss


@pytest.fixture(scope="session", autouse=True)
def interruptible():
    """Have programs that tests start be interrupted by Ctrl-C: a shell has its background jobs ignore it, and so their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def plain_output():
    """Have output, here and in programs that tests start, depend on no setting of the terminal that they run in."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_mypy_cache(pytestconfig):
    """What one test has mypy read, the others need not: those marked `xdist_group("mypy")` run one after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPY_CACHE_DIR", str(pytestconfig.rootpath / ".mypy_cache"))
        yield


@pytest.fixture(scope="session", autouse=True)
def short_streams(tmp_path_factory):
    """Streams of 8 kB, here and in notebooks: what a test proves of documents that vary, it proves of a few, and each is verified."""
    from serbench.measure import stream

    startup = tmp_path_factory.mktemp("ipython") / "profile_default" / "startup"
    startup.mkdir(parents=True)
    kernels = (
        f"from serbench.measure import stream\n\nstream.LEAST_BYTES = stream.MOST_BYTES = {SHORT_BYTES}\ndel stream\n"
    )
    (startup / "short_streams.py").write_text(kernels, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(startup.parents[1]))
        patch.setattr(stream, "LEAST_BYTES", SHORT_BYTES)
        patch.setattr(stream, "MOST_BYTES", SHORT_BYTES)
        yield


@pytest.fixture(scope="session", autouse=True)
def published_once():
    """A process reads each published result once: every explorer would read them all for a second."""
    shipped = archive.resources("data")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("published", "read_size_grid"):
            read = getattr(archive, name)
            patch.setattr(archive, name, _once(read, functools.cache(read), shipped))
        yield


def _once(read, kept, shipped):
    """Reads what is shipped from memory, and other folders and files anew."""

    def called(path=None):
        path = path or archive.resources("data")
        return (kept if path.is_relative_to(shipped) else read)(path)

    return called


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    """Give each test a store and a folder of environments of its own; neither exists until the test writes to it."""
    folder = tmp_path_factory.getbasetemp() / f"own_{next(_numbers)}"
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(folder / "environments"))
    monkeypatch.setenv("SERBENCH_STORE", str(folder / "serbench.sqlite"))


@pytest.fixture(autouse=True)
def own_modules():
    """Forget the modules that a test wrote and imported: all of them together would take gigabytes."""
    yield
    for name in [name for name in sys.modules if name.startswith(("rendered_", "models_"))]:
        del sys.modules[name]


@pytest.fixture(scope="module")  # not longer: while Playwright runs, no other test may start an event loop
def browser():
    """One browser for the tests of a file; without one they are skipped with the reason, in CI they fail."""
    import pages

    if why := pages.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"these tests need a browser: {why}")
    with pages.browser() as started:
        yield started


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Writes a module with a class of that kind; gives what --model takes."""
    monkeypatch.chdir(tmp_path)

    def write(source: str, name: str = "Model") -> str:
        module = f"models_{next(_numbers)}"  # one of its own: a class is read once in a process
        (tmp_path / f"{module}.py").write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
        return f"{module}:{name}"

    return write


@pytest.fixture
def cli(capsys):
    """Calls the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return call


@pytest.fixture
def refused(cli, monkeypatch):
    """What is said, in its one line, of a call that must be refused; on a slow machine, no step is told before."""
    monkeypatch.setattr("serbench.store.progress.SILENCE_S", 3600)

    def call(*arguments):
        code, out, err = cli(*arguments)
        assert (2, "") == (code, out)
        assert err.startswith("serbench: ")
        assert [err.removesuffix("\n")] == err.splitlines()
        return err

    return call
