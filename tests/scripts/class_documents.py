"""Prints classes of `tests/data/classes`, what serbench takes for their documents, and what they write outside serbench.

For the eye: `python tests/scripts/class_documents.py 20` shows twenty classes, drawn by chance.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import class_table
from conftest import HEAD

from serbench.ask.calling import make_plan
from serbench.errors import PlanError, WorkloadError
from serbench.measure.plan import datasets
from serbench.model.fidelity import json_ready

PLAIN = """
import json, sys
sys.path.insert(0, {folder!r})
import {module}
text = sys.stdin.read()
class_ = eval({name!r}, vars({module}))
kind = {kind!r}
if kind == "pydantic":
    from pydantic import TypeAdapter
    adapter = TypeAdapter(list[class_])
    print(adapter.dump_json(adapter.validate_json(text), by_alias=True).decode())
elif kind == "pydantic1":
    print([class_.parse_obj(one).json(by_alias=True) for one in json.loads(text)])
elif kind == "marshmallow":
    schema = class_(many=True)
    print(json.dumps(schema.dump(schema.load(json.loads(text))), default=str))
elif kind == "djangorestframework":
    from rest_framework.renderers import JSONRenderer
    serializer = class_(data=json.loads(text), many=True)
    serializer.is_valid(raise_exception=True)
    print(JSONRenderer().render(class_(serializer.validated_data, many=True).data).decode())
elif kind == "attrs":
    from cattrs.preconf.json import make_converter
    converter = make_converter()
    print(converter.dumps(converter.structure(json.loads(text), list[class_]), list[class_]))
else:
    import msgspec
    print(msgspec.json.encode(msgspec.convert(json.loads(text), list[class_], strict=False, str_keys=True)).decode())
"""


def main(count: int) -> None:
    """Print that many classes."""
    for number, one in enumerate(random.Random(count).sample(list(class_table.sections()), count)):
        folder, module = tempfile.mkdtemp(), f"shown_{number}"
        (Path(folder) / f"{module}.py").write_text(HEAD + one.source, encoding="utf-8")
        print(f"=== {one.id}: {one.expected}\n{one.source.strip()}")
        try:
            found = list(datasets(make_plan(model=f"{folder}/{module}.py:{one.given}", records=2)))
        except (PlanError, WorkloadError) as error:
            print(f"refused: {error}")
            continue
        for dataset in found:
            print(f"{dataset.name}: {json.dumps(json_ready(dataset.value), default=str)} {dataset.left_out}")
        script = PLAIN.format(folder=folder, module=module, name=one.given, kind=one.kind)
        if one.kind == "djangorestframework":
            script = (
                "import django.conf\ndjango.conf.settings.configure(TIME_ZONE='UTC')\nimport django\ndjango.setup()\n"
                + script
            )
        text = json.dumps(json_ready(found[0].value), default=str)
        done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=False)
        print("plain script:", done.stdout.strip() or done.stderr.strip().splitlines()[-1])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
