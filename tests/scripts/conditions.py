"""Tables of what conditions cost: `python conditions.py [--payload FILE | --workload NAME] [--records N] [--conditions A,B,…]`.

One line per case and operation: its time under each of the conditions over that under the first, measured side by side
in the same waves, with 95 % intervals. `--cases` names other cases than those of ten libraries. By default the number of
documents grows, which shows where times stop growing.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from serbench.ask.calling import make_plan, named_case
from serbench.errors import PlanError
from serbench.judge.rows import rows as rows_of
from serbench.keep.recorder import RunListener
from serbench.measure.conditions import Conditions
from serbench.measure.ladder import ladder
from serbench.measure.plan import blocks

CASES = (
    "msgspec/msgspec/json,dataclasses/orjson/json,typeddict/json/json,pydantic/pydantic/json,mashumaro/orjson/json,"
    "cattrs/orjson/json,marshmallow/json/json,adaptix/orjson/json,namedtuple/msgpack/msgpack,dacite/orjson/json"
)
GROWING = "hot,documents=8,documents=64,documents=512,documents=4096,documents=16384"


def main() -> None:
    """Measure, and print a Markdown table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--workload", default="client-rich")
    asked.add_argument("--payload")
    asked.add_argument("--records", type=int)
    asked.add_argument("--conditions", default=GROWING)
    asked.add_argument("--cases", default=CASES)
    asked.add_argument("--operations", default="decode,encode")
    asked.add_argument("--effort", default="quick")
    given = asked.parse_args()
    names = given.conditions.split(",")
    print("| operation | case |" + "".join(f" {name} |" for name in names))
    print("|-|-|" + "-|" * len(names))
    for text in given.cases.split(","):
        library, codec = text.split("/", 1)
        plan = make_plan(
            given.workload,
            payload=given.payload,
            records=given.records,
            libraries=library,
            formats=codec,
            operations=given.operations,
            effort=given.effort,
        )
        block = next(blocks(plan))
        block.cases = [named_case(block.cases, codec)]
        try:
            measured = ladder(plan, block, list(map(Conditions.parse, names)), RunListener())
        except PlanError as error:
            print(f"| | {text} | {error} |", flush=True)
            continue
        places = {cell.id: cell.conditions for cell in measured.cells}
        cells = [replace(cell, **vars(block.point), variant=cell.conditions) for cell in measured.cells]
        rows = {(row.operation, places[row.id]): row for row in rows_of(cells, measured.samples)}
        for operation in plan.operations:
            first = rows.get((operation, str(Conditions.parse(names[0]))))
            if first is None or first.time_ns is None:
                continue
            line = [f"{first.time_ns / 1000:.3g} µs"]
            for name in names[1:]:
                row = rows[operation, str(Conditions.parse(name))]
                line.append(f"{row.ratio:.2f} ({row.ratio_low:.2f}–{row.ratio_high:.2f})" if row.ratio_low else "")
            print(f"| {operation} | {text} | " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
