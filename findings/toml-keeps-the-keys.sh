#!/usr/bin/env bash
# toml 0.10.2 writes a list of lists of tables with the keys of the tables in their places: every value is gone without a word.
#
# Guess: inline tables, as TOML 0.5 has them, or an error.
# Seen: [[{"x": 1}]] is written as [["x"]], None in a list as the text "None", and a list of an int and a text so that its own
# reader refuses it. tomli-w writes the first as inline tables and refuses None.
# Versions: toml 0.10.2, tomli-w 1.2.0; CPython 3.11.
# Who meets it: whoever writes grids or groups of settings with the package that came before tomllib.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q toml==0.10.2 tomli-w==1.2.0
cat > writes.py <<'PY'
import tomllib

import toml
import tomli_w

for value in ([[{"x": 1}]], {"row": [[{"x": 1, "y": 2}], [{"x": 3, "y": 4}]]}, [None], [1, "a"]):
    for name, write, read in (("toml", toml.dumps, toml.loads), ("tomli-w", tomli_w.dumps, tomllib.loads)):
        try:
            back = read(write({"key": value}))["key"]
        except (TypeError, toml.TomlDecodeError) as error:
            back = f"refused: {type(error).__name__}"
        print(name, value, "→", back)
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
toml [[{'x': 1}]] → [[['x']]]
tomli-w [[{'x': 1}]] → [[{'x': 1}]]
toml {'row': [[{'x': 1, 'y': 2}], [{'x': 3, 'y': 4}]]} → {'row': [[['x', 'y']], [['x', 'y']]]}
tomli-w {'row': [[{'x': 1, 'y': 2}], [{'x': 3, 'y': 4}]]} → {'row': [[{'x': 1, 'y': 2}], [{'x': 3, 'y': 4}]]}
toml [None] → ['None']
tomli-w [None] → refused: TypeError
toml [1, 'a'] → refused: TomlDecodeError
tomli-w [1, 'a'] → [1, 'a']
SEEN
