"""The manner of results: each is plain data, a data frame, files and tables, and displays itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.display.escapes import csv_cell
from serbench.display.table import Tables, as_text
from serbench.render.environments.files import write_files

if TYPE_CHECKING:
    import pandas as pd


class Displayed:
    """A result: it shows itself, in a terminal, a log and a notebook, as the tables that `table()` gives."""

    def table(self) -> Tables:
        """The tables, which Rich can print."""
        raise NotImplementedError

    def to_data(self) -> dict[str, Any]:
        """The result as JSON data; one list of it, of the same facts for each, is its rows."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_data` as a data frame; facts within a fact have names with points, such as "point.records"."""
        import pandas as pd

        return pd.json_normalize(_rows(self.to_data()))

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        return self.table().to_markdown()

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write `data.json`, `rows.csv` and `table.md` into that folder, which is made if missing; return their paths.

        Raises:
            OSError: the folder cannot be written; older files stay.
        """
        home = Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        texts = {
            "data.json": json.dumps(self.to_data(), indent=1, ensure_ascii=False, default=vars) + "\n",
            "rows.csv": self.to_pandas().rename(columns=csv_cell).map(csv_cell).to_csv(index=False),
            "table.md": self.to_markdown(),
        }
        return write_files(home, texts)

    def __rich__(self) -> Tables:
        return self.table()

    def __str__(self) -> str:
        return as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


def _rows(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first list of facts in some data; the data itself if there is none."""
    lists = (value for value in data.values() if isinstance(value, list | tuple) and value)
    return [dict(one) for one in next((value for value in lists if isinstance(value[0], Mapping)), [data])]
