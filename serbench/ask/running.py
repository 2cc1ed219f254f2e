"""The public functions that measure times: run, and the runs that the store keeps."""

from __future__ import annotations

from serbench.ask import choices
from serbench.ask.calling import call_text, plan_of, public
from serbench.keep.folder import RunInfo
from serbench.keep.measuring import measure
from serbench.keep.recorder import with_status
from serbench.keep.run import Run
from serbench.keep.scale_out import elsewhere
from serbench.keep.store import Store


@public
def run(
    workload: choices.Workload = "client",
    *,
    records: choices.Records = None,
    depth: choices.Depth = None,
    seed: choices.Seed = 0,
    payload: choices.Payload = None,
    literal_strings: choices.LiteralStrings = False,
    as_map: choices.AsMap = None,
    as_record: choices.AsRecord = None,
    as_union: choices.AsUnion = None,
    as_text: choices.AsText = None,
    schema: choices.SchemaFile = None,
    model: choices.Model = None,
    libraries: choices.Libraries = None,
    formats: choices.Formats = None,
    python: choices.Python = None,
    operations: choices.Operations = ("encode", "decode"),
    conditions: choices.Conditions = "varied",
    paired: choices.Paired = False,
    keeps_all: choices.KeepsAll = False,
    gc: choices.Gc = "on",
    effort: choices.Effort = "normal",
    precision: choices.Precision = None,
    budget: choices.Budget = None,
    time_limit: choices.TimeLimit = 60.0,
    memory_limit: choices.MemoryLimit = 8 << 30,
    store: choices.Store = None,
    resume: choices.Resume = False,
    jobs: choices.Jobs = 1,
    scheduler: choices.Scheduler = None,
    executor: choices.Executor = None,
    progress: choices.Progress = False,
    listener: choices.Listener = None,
    cancel: choices.Cancel = None,
    command: choices.Command = None,
) -> Run:
    """Measure, and store every sample as soon as it is taken.

    Returns:
        The run; after Ctrl-C with what was measured until then.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    given = locals()
    from serbench.keep.progress import Watcher  # imports Rich

    plan = plan_of(given)
    with Watcher(listener, quiet=not progress) as watcher:
        return measure(
            plan,
            store=store,
            resume=resume,
            command=command or call_text(run, given, plan),
            listener=watcher,
            cancel=cancel,
            where=elsewhere(executor, scheduler, jobs),
        )


@public
def load(run: choices.RunName = "latest", *, store: choices.Store = None) -> Run:
    """Return a stored run.

    Raises:
        StoreError: the name means no run, or several.
    """
    with Store(store, read_only=True) as opened:
        return Run.from_store(opened.load(run))


@public
def runs(*, store: choices.Store = None) -> list[RunInfo]:
    """Return what is stored of every run, newest first."""
    with Store(store, read_only=True) as opened:
        return [with_status(opened, one) for one in opened.runs()]
