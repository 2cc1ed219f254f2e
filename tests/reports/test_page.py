"""A page is one file, or a folder, that holds everything and lets no text of the data be more than text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import sheets

from serbench.analysis import csv_text
from serbench.engine.results import Point
from serbench.names import PlanError
from serbench.reports.page import page
from serbench.reports.page.content import content
from serbench.reports.page.sources import kept_or_rendered
from serbench.store import Store
from serbench.verbs import show


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def written(tmp_path, found=None, **choices):
    """The page's text and the data in it."""
    made = page(found or sheets.usual(), tmp_path, sources=sheets.source, **choices)
    text = made.paths[0].read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    return made, text, data and json.loads(data[1])


def unpacked(data):
    """The rows that a page's data stand for, as `Row`'s fields."""
    columns = {
        name: column if isinstance(column, list) else [column["values"][place] for place in column["at"]]
        for name, column in data["rows"].items()
        if name in data["fields"]
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def test_one_file_holds_every_row(tmp_path):
    """The page is one file whose data are the rows as they were, in the order of the runs."""
    made, _, data = written(tmp_path)
    rows = [row for sheet in sheets.usual() for row in sheet.rows]
    assert [tmp_path / "index.html"] == list(made.paths)
    assert [vars(row) | {"reference": int(row.reference)} for row in rows] == unpacked(data)


def test_one_file_names_no_other(tmp_path):
    """Nothing in the page is fetched: no element has an address but the empty icon, and the policy allows none."""
    _, text, _ = written(tmp_path)
    addresses = [value for _, attrs in Elements(text).found for name, value in attrs.items() if name in ("src", "href")]
    [policy] = [attrs["content"] for _, attrs in Elements(text).found if "http-equiv" in attrs]
    assert ["data:,"] == addresses
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy


def test_texts_stay_texts(tmp_path):
    """Names, reasons and sources that would be markup or code add no element to the page."""
    _, plain, _ = written(tmp_path / "plain")
    _, text, data = written(tmp_path / "hostile", sheets.hostile(), claims=sheets.ledger(sheets.HOSTILE))
    assert [tag for tag, _ in Elements(plain).found] == [tag for tag, _ in Elements(text).found]
    assert sheets.HOSTILE == unpacked(data)[0]["library"]
    assert "<img" not in text


def test_a_folder_holds_the_runs_too(tmp_path):
    """The folder form has script, style and data beside it, and each run as CSV and JSON."""
    found = sheets.usual()
    made = page(found, tmp_path, sources=sheets.source, inline=False)
    names = {path.relative_to(tmp_path).as_posix() for path in made.paths}
    runs = {f"runs/{sheet.info.id}.{ending}" for sheet in found for ending in ("csv", "json")}
    assert {"index.html", "page.css", "page.js", "data.js"} | runs == names
    assert csv_text(found[0].rows) == (tmp_path / "runs" / f"{found[0].info.id}.csv").read_text(encoding="utf-8")


def test_a_run_named_to_leave_the_folder_stays_in_it(tmp_path):
    """A run's id that is no plain name does not become a path."""
    [sheet] = sheets.hostile()
    found = [replace(sheet, info=replace(sheet.info, id="../../out"))]
    made = page(found, tmp_path / "page", sources=sheets.source, inline=False)
    assert {"run0.csv", "run0.json"} == {path.name for path in made.paths if path.parent.name == "runs"}


def test_the_same_runs_make_the_same_bytes(tmp_path):
    """A page depends on its runs alone, not on when it is made."""
    texts = {written(tmp_path / name, claims=sheets.ledger())[1] for name in ("a", "b")}
    assert 1 == len(texts)


def test_what_has_no_room_is_named(tmp_path):
    """Where one file would be too large the oldest run is left out, and the page and the caller are told."""
    made, text, _ = written(tmp_path / "all")
    less, _, data = written(tmp_path / "less", most_bytes=len(text.encode()) - 1)
    assert () == made.left_out
    assert ("run 20250102-000000-bbbb, for which one file has no room",) == less.left_out == tuple(data["left_out"])


def test_no_room_at_all_is_refused(tmp_path):
    """One run that is larger than a file may be ends in one line that names the folder form."""
    with pytest.raises(PlanError, match="more than 1,000 bytes; --site"):
        written(tmp_path, most_bytes=1000)


def test_nothing_to_show_is_refused(tmp_path):
    """Without a row there is no page."""
    with pytest.raises(PlanError, match="nothing to show"):
        page([], tmp_path, sources=sheets.source)


def test_an_unwritable_folder_is_refused(tmp_path):
    """A file in the folder's place ends in one line with its name."""
    (tmp_path / "page").write_text("")
    with pytest.raises(PlanError, match=r"page.* cannot be written: "):
        written(tmp_path / "page" / "below")


def test_sources_are_kept_once_and_whole():
    """Lines that modules have in common stand once; each module comes back as it was; a lost one is not there."""
    found = sheets.usual()
    data = content(found, sheets.source, sheets.ledger())
    texts = {sha: "\n".join(data["lines"][place] for place in places) for sha, places in data["sources"].items()}
    rows = {row.source_sha256: row for sheet in found for row in sheet.rows if row.source_sha256}
    wanted = {sha: text for sha, row in rows.items() if (text := sheets.source(row)) is not None}
    assert wanted == texts
    assert len(set(data["lines"])) == len(data["lines"])


def test_code_comes_from_the_store_or_is_rendered_again(tmp_path):
    """A row's module is what the store kept; else it is rendered, and left out where it is another by now."""
    case = show("msgspec", "msgspec/json", records=1, depth=2)
    [row, *_] = sheets.sheet("20260101-000000-aaaa", (Point("client", 1, 2, 0),)).rows
    same, other = (
        replace(row, source_sha256=sha, codec="msgspec", format="json") for sha in (case.source_sha256, "0" * 64)
    )
    with Store(tmp_path / "store.sqlite") as store:
        store.put_source("0" * 64, "as it was")
    with kept_or_rendered(tmp_path / "store.sqlite") as found:
        assert [case.source, "as it was"] == [found(same), found(other)]
        assert found(replace(same, library="nobody")) is None
    with kept_or_rendered(tmp_path / "none.sqlite") as found:
        assert [case.source, None] == [found(same), found(other)]
