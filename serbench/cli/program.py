"""The command line: the same public verbs, with plain-text errors and exit codes.

0 is fine, 1 means that the answer is "no", 3 that there is none yet, 2 wrong use or an input that cannot be used: one line on
standard error says what to do instead. 130 is Ctrl-C: what was measured until then is printed.
"""

from __future__ import annotations

import errno
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import NoReturn

import typer
from typer.core import TyperGroup

from serbench.cli import claiming, environments, looking, measuring, proving, reporting, weighing
from serbench.cli.words import INTERRUPTED, explanation, fail

app = typer.Typer(
    name="serbench",
    help="Which model library and which byte format for your data, and what the choice costs.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "run": measuring.run_command,
    "list": looking.list_command,
    "show": looking.show_command,
    "verify": proving.verify_command,
    "compare": looking.compare_command,
    "history": measuring.history_command,
    "gate": measuring.gate_command,
    "recommend": measuring.recommend_command,
    "schema": looking.schema_command,
    "adopt": looking.adopt_command,
    "claims": claiming.claims_command,
    "budget": looking.budget_command,
    "export": looking.export_command,
    "hostile": proving.hostile_command,
    "stream": proving.stream_command,
    "selfcheck": proving.selfcheck_command,
    "weigh": weighing.weigh_command,
    "profile": weighing.profile_command,
    "report": reporting.report_command,
    "lab": looking.lab_command,
}
ENVIRONMENTS: dict[str, Callable[..., None]] = {
    "list": environments.env_list_command,
    "build": environments.env_build_command,
    "add": environments.env_add_command,
    "remove": environments.env_remove_command,
}
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
_group = typer.Typer(help="Environments: libraries that conflict, other versions, other interpreters.")
for _name, _command in ENVIRONMENTS.items():
    _group.command(_name)(_command)
app.add_typer(_group, name="env")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    from serbench.names import PlanError
    from serbench.schema import SchemaError
    from serbench.store import StoreError
    from serbench.workloads import WorkloadError

    command = typer.main.get_command(app)
    assert isinstance(command, TyperGroup)
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        code = command.main(args=given or ["--help"], prog_name="serbench", standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except typer.TyperException as error:
        fail(explanation(error))
    except (PlanError, WorkloadError, SchemaError, StoreError) as error:
        fail(str(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        where = error.filename or tempfile.gettempdir()
        fail(f"the disk that holds {where} is full; free some space, or set TMPDIR, and go on with --resume")
    sys.exit(code if isinstance(code, int) else 0)
