"""The user's own data in the explorer: files, objects, classes, uploads and stored runs, and what is used today."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from sent import marks, runs
from waits import joined, until

import serbench
from serbench.api import running
from serbench.api.notebook.settings import FEW, PRESET, Settings, from_state, run_arguments
from serbench.api.notebook.user_data import class_data
from serbench.api.notebook.views import show
from serbench.errors import PlanError, SerbenchError
from serbench.store.archive import Archive, Sheet, published, user_data_of

ORDERS = [
    {"id": number, "placed": "2026-01-05T10:00:00Z", "lines": [{"sku": "a", "price": 1.5}]} for number in range(5)
]
MODEL = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    id: int\n    price: float\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file, a class and a store of its own."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))
    monkeypatch.delenv(PRESET, raising=False)
    (tmp_path / "my orders.json").write_text(json.dumps(ORDERS))
    (tmp_path / "order_model.py").write_text(MODEL)
    return tmp_path


def small(**settings):
    """An explorer of two cases, measured to its end."""
    explorer = serbench.Explorer(**settings, libraries=["msgspec", "attrs"], formats=["orjson"])
    joined(explorer._measuring.thread)
    return explorer


@pytest.mark.slow
def test_a_file_is_measured_and_is_what_opens_next(folder):
    """Its models are shown, it is measured at once and verified; the next explorer opens on it, also if it is gone."""
    explorer = small(state=str(folder / "my orders.json"))
    assert (5, 2, "my orders.json · 5 records · depth 2") == (
        explorer.choice.records,
        explorer.choice.depth,
        explorer.shown["data"]["about"],
    )
    assert "class" in explorer.shown["data"]["models"]
    assert "my orders.json" == explorer.content["workload"]
    assert {"ok", "unresolved"} >= {row.status for row in explorer._archive.sheets[0].rows}
    again = serbench.Explorer()
    assert (explorer.choice.user_data, run_ids(explorer)) == (again.choice.user_data, run_ids(again))
    assert again._measuring is None
    assert "my orders.json" in str(again)
    told = str(again.findings())
    (folder / "my orders.json").unlink()
    assert told == str(again.findings()), "what the page shows of a file that is gone is said too"


@pytest.mark.full
def test_objects_and_classes_are_data(folder):
    """A Python object and a class of one's own are measured likewise; the state recreates both."""
    made = small(payload=ORDERS)
    assert made.shown["data"]["about"].endswith("5 records · depth 2")
    user = small(model=f"{folder}/order_model.py:Order")
    assert "yours (dataclass)" in marks(user.content)
    assert '"Order via ' in user.content["parts"][0], "its rows have the name of the class"
    assert "yours (dataclass) via" not in user.content["parts"][0]
    for explorer in (made, user):
        again = serbench.Explorer(explorer.state)
        assert (explorer.choice, None) == (again.choice, again._measuring)
    names = [one["name"] for one in user.shown["data"]["choices"]]
    assert "Order" == names[0]
    assert 2 == len(names)


def run_ids(explorer):
    """The runs that the page has."""
    return [run["id"] for run in runs(explorer.content)]


@pytest.mark.slow
def test_a_file_is_first_measured_with_few_cases(folder, monkeypatch):
    """The first run of own data has few cases, as it is, so that ranks are there within seconds."""
    monkeypatch.setattr("serbench.api.notebook.explorer.Explorer.run", lambda self: None)
    choice = serbench.Explorer(str(folder / "my orders.json")).choice
    assert FEW == {name: getattr(choice, name) for name in FEW}
    arguments = run_arguments(choice)
    assert (None, None, str(folder / "my orders.json")) == tuple(arguments[n] for n in ("records", "depth", "payload"))
    assert [7] == run_arguments(choice.changed({"records": 7}))["records"]


def upload(explorer, name, content, parts=2):
    """Send a file as the page does, in parts."""
    size = -(-len(content) // parts)
    for part in range(parts):
        piece = content[part * size : (part + 1) * size]
        send_part(explorer, name, part, parts, piece)


def send_part(explorer, name, part, parts, piece):
    """Send one part of a file, as the page does."""
    told = {"do": "upload", "upload": name, "name": name, "part": part, "parts": parts}
    explorer._handle_custom_msg(told, [memoryview(piece)])


@pytest.mark.slow
def test_a_file_that_has_changed_is_measured_anew(folder, monkeypatch):
    """What was measured of other content of the same path is not shown for it; of the same content it is."""
    path = folder / "my orders.json"
    first = small(payload=path)
    assert first._archive.of(first.choice.user_data)
    monkeypatch.setattr(serbench.Explorer, "run", lambda self: begun.append(self.choice.payload))
    begun, before = [], path.read_text()
    serbench.Explorer(payload=path)
    assert [] == begun
    path.write_text(json.dumps([{**order, "id": 7} for order in ORDERS]))
    again = serbench.Explorer(payload=path)
    assert [str(path)] == begun
    assert [] == again.content["parts"]
    path.write_text(before)
    assert serbench.Explorer(payload=path).content["parts"]
    assert [str(path)] == begun


@pytest.mark.slow
def test_an_uploaded_file_is_measured(folder):
    """A file that the page sends is kept beside the store under its name, whatever its path, and measured."""
    explorer = serbench.Explorer("client")
    upload(explorer, "../../etc/orders.json", json.dumps(ORDERS[:2]).encode())
    explorer.cancel()
    joined(explorer._measuring.thread)
    assert "orders.json" == explorer.choice.data_name
    assert folder / "payloads" in Path(explorer.choice.payload).parents
    assert (2, 2) == (explorer.settings["records"], explorer.settings["depth"])


def test_parts_of_two_files_are_not_mixed(folder, monkeypatch):
    """Of two files whose parts come by turns the one that began last is opened, as it is."""
    explorer, opened = serbench.Explorer("client"), []
    monkeypatch.setattr(explorer, "_open", opened.append)
    files = {name: [f'[{{"{name}": 1}},'.encode(), f'{{"{name}": 2}}]'.encode()] for name in ("a.json", "b.json")}
    for part in range(2):
        for name, pieces in files.items():
            send_part(explorer, name, part, 2, pieces[part])
    (data,) = opened
    assert b"".join(files["b.json"]) == Path(data["payload"]).read_bytes()


@pytest.mark.slow
def test_an_upload_is_bounded_as_it_comes(folder, monkeypatch):
    """A file that is too large is refused with the part that makes it so, and nothing of it stays in memory or on the disk."""
    monkeypatch.setattr("serbench.api.notebook.user_data.MOST_BYTES", 10)
    explorer = serbench.Explorer("client", store=folder / "other" / "runs.sqlite")
    upload(explorer, "large.json", b"[1, 2, 3, 4, 5, 6]", 3)
    assert "large.json is larger than" in explorer.shown["note"]
    assert not (folder / "payloads").exists()
    assert not (folder / "other").exists()
    assert sum(map(len, explorer._parts)) <= 10


@pytest.mark.slow
def test_a_page_measures_only_what_its_controls_can_ask_for(folder):
    """A message that names a file or class that was not measured here runs nothing, and no message makes an environment."""
    explorer = serbench.Explorer("client")
    asked = {**explorer.settings, "model": f"{folder / 'order_model.py'}:Order"}
    explorer._on_message(None, {"do": "run", "settings": asked}, [])
    assert "was not measured here" in explorer.shown["note"]
    assert explorer._measuring is None
    asked = {**explorer.settings, "libraries": ["pydantic1"], "formats": ["orjson"], "effort": "quick"}
    explorer._on_message(None, {"do": "run", "settings": asked}, [])
    joined(explorer._measuring.thread)
    (run,) = serbench.runs()
    reasons = {row.reason for row in serbench.load(run.id).rows}
    assert 1 == len(reasons), reasons
    assert "builds it" in reasons.pop()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.json", b'[{"id": 1,', "broken.json"),
        ("empty.json", b"", "empty.json: the file is empty"),
        ("none.json", b"[]", "none.json"),
    ],
)
def test_a_broken_file_is_one_line(folder, name, content, told):
    """A file that cannot be used is one line with its name, and what was shown stays."""
    explorer = serbench.Explorer("client")
    upload(explorer, name, content, 1)
    assert told in explorer.shown["note"]
    assert "\n" not in explorer.shown["note"]
    assert str(folder) not in explorer.shown["note"]
    assert ({}, "client", None) == (explorer.choice.user_data, explorer.content["workload"], explorer._measuring)
    (folder / name).write_bytes(content)
    assert told in serbench.Explorer(payload=folder / name).shown["note"]


@pytest.mark.slow
def test_a_page_opens_only_what_was_measured(folder, monkeypatch):
    """Neither an address nor a message from the page reads another file or imports a module."""
    (folder / "evil.py").write_text("raise SystemExit('imported')")
    monkeypatch.setenv("QUERY_STRING", f"state=?model={folder}/evil.py:Order")
    with pytest.raises(PlanError, match="was not measured here"):
        serbench.Explorer()
    monkeypatch.delenv("QUERY_STRING")
    explorer = serbench.Explorer("client")
    explorer.settings = explorer.settings | {"payload": str(folder / "my orders.json")}
    assert "was not measured here" in explorer.shown["note"]
    explorer._handle_custom_msg({"do": "open", "own": {"model": f"{folder}:evil:Order"}}, [])
    assert "was not measured here" in explorer.shown["note"]
    assert not explorer.choice.user_data


def test_a_state_of_a_file_is_read_back(folder):
    """A path with any characters, its size and its schema are in the state."""
    choice = Settings(payload=str(folder / "a b?&#.json"), records=1, depth=2, literal_strings=True)
    assert choice == from_state(choice.state)
    assert "records=1" in choice.state


def test_paths_that_decide_are_part_of_the_data(folder):
    """They are in the state, and in a stored plan, whose lists are the same data; they are passed to the measurement."""
    choice = Settings(payload=str(folder / "a.json"), as_map=("$.pay", '"a b".*'), as_text=("at",))
    assert choice == from_state(choice.state)
    stored = user_data_of(
        {"payload": choice.payload, "as_map": ["$.pay", '"a b".*'], "as_text": ["at"], "as_union": []}
    )
    assert choice.user_data == stored
    assert Settings().of(stored).user_data == stored
    again = user_data_of(json.loads(json.dumps(stored)))
    assert again == stored
    assert {"as_map": choice.as_map, "as_text": choice.as_text}.items() <= run_arguments(choice).items()


def test_data_of_a_store_are_told_by_all_that_names_them(folder):
    """Of a run of a sample the number stands beside the file."""
    user_data = {"payload": "/x/a.json", "sample": 5, "literal_strings": True, "as_map": ("a", "b")}
    sheet = Sheet(published()[0].info, [], {}, "on", user_data=user_data)
    (choice,) = show(Settings(), Archive(folder / "none", [sheet]))["data"]["choices"]
    assert ("a.json", "/x/a.json, sample 5, a, b") == (choice["name"], choice["about"])


@pytest.mark.slow
def test_all_rows_are_relative_to_what_is_used_today(folder):
    """A case that is not measured is named, and Run would measure it too."""
    explorer = serbench.Explorer("client", present="pydantic/json/json")
    explorer.settings = explorer.settings | {"present": "namedtuple/json", "libraries": ["msgspec"]}
    assert "namedtuple" in run_arguments(explorer.choice)["libraries"]
    explorer.settings = explorer.settings | {"present": "nobody/json"}
    assert "nobody/json is not measured with this data" in explorer.shown["note"]


@pytest.mark.slow
def test_the_code_of_the_change_is_adopt_s(folder, monkeypatch):
    """The page gets the verified module, or the reason why there is none."""
    explorer = serbench.Explorer("tiny?depth=1", libraries=["msgspec"])
    sent = []
    monkeypatch.setattr(explorer, "send", lambda content, buffers=None: sent.append(content["adopted"]))
    for case in ("msgspec msgspec/json", "msgspec nothing/json"):
        explorer._handle_custom_msg({"do": "adopt", "case": case}, [])
        until(lambda case=case: sent and sent[-1]["case"] == case, f"an answer for {case}")
    assert serbench.adopt("msgspec", "msgspec/json", "tiny", records=1, depth=1).source == sent[0]["source"]
    assert "unknown codec" in sent[1]["reason"]


@pytest.mark.slow
def test_the_code_of_a_row_is_that_which_was_measured(folder, monkeypatch):
    """It is of the row's size and of the models with which it was measured, whatever the controls show and the file holds now."""
    explorer, sent = small(payload=folder / "my orders.json"), []
    monkeypatch.setattr(explorer, "send", lambda content, buffers=None: sent.append(content["code"]))
    row = next(row for row in explorer._archive.of(explorer.choice.user_data)[0].rows if row.library == "msgspec")
    (folder / "my orders.json").write_text(json.dumps({"other": 1}))
    asked = {"case": "msgspec orjson/json", "sha256": row.source_sha256, "records": row.records, "depth": row.depth}
    explorer._handle_custom_msg({"do": "code", "key": "a", **asked}, [])
    assert ("a", row.source_sha256, "that was measured") == tuple(sent[0][name] for name in ("key", "sha256", "which"))
    assert row.source_sha256 == hashlib.sha256(sent[0]["source"].encode()).hexdigest()
    explorer._handle_custom_msg({"do": "code", "key": "b", **asked, "sha256": "0" * 64}, [])
    assert "the measured code is not kept" in sent[1]["which"]


MANIFESTS = [{"id": 1, "needs": {"react": "1", "react-dom": "2"}}, {"id": 2, "needs": {"vue": "1", "vue-x": "2"}}]


@pytest.mark.slow
def test_a_decision_is_undone_before_anything_is_measured(folder, monkeypatch):
    """Data whose run ended without a row is shown and measured again, and each decision about it too."""
    path, asked, usual = folder / "manifests.json", [], running.run

    def cancelled(**arguments):
        asked.append(arguments.get("as_record", ()))
        arguments["cancel"].set()
        return usual(**arguments)

    monkeypatch.setattr("serbench.api.notebook.explorer.run", cancelled)
    path.write_text(json.dumps(MANIFESTS))
    explorer = serbench.Explorer(payload=path)
    joined(explorer._measuring.thread)
    for decided in (("needs",), ()):
        explorer._on_message(None, {"do": "decide", "option": "record", "path": "needs"}, [])
        assert decided == explorer.choice.as_record
        assert bool(decided) == ("class Needs" in explorer.shown["data"]["models"])
        joined(explorer._measuring.thread)
    assert [(), ("needs",), ()] == asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "path", "reason"), [("maps", "needs", "unknown option"), ("map", "nowhere", "no objects")]
)
def test_a_decision_that_cannot_be(option, path, reason, folder):
    """A decision that names no option or place is refused in a note, and nothing changes."""
    source = folder / "manifests.json"
    source.write_text(json.dumps(MANIFESTS))
    explorer = small(payload=source)
    explorer._on_message(None, {"do": "decide", "option": option, "path": path}, [])

    assert reason in explorer.shown["note"]
    assert explorer.choice.as_map == ()


def test_a_class_is_named_from_where_the_app_was_started(tmp_path, monkeypatch):
    """A file or module is found in the kernel's folder, then in the app's; what is no class is one line."""
    (tmp_path / "app").mkdir()
    (tmp_path / "kernel").mkdir()
    text = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    id: int\n"
    (tmp_path / "app" / "order_of_app.py").write_text(text)
    (tmp_path / "orders.json").write_text('[{"id": 1}, {"id": 2}]')
    monkeypatch.chdir(tmp_path / "kernel")
    monkeypatch.setenv("PWD", str(tmp_path / "app"))
    payload = {"payload": str(tmp_path / "orders.json")}
    for name in ("order_of_app.py:Order", " order_of_app:Order", f"{tmp_path}/app/order_of_app.py:Order"):
        chosen = class_data(name, payload)
        assert {**payload, "model": f"{tmp_path}/app:order_of_app:Order"} == chosen
    for name, why in (("Order", "model must be"), ("none.py:Order", "none"), ("order_of_app:None_", "None_")):
        with pytest.raises(SerbenchError, match=why):
            class_data(name, {})


@pytest.mark.slow
def test_the_page_names_a_class_and_an_address_does_not(folder, tmp_path, monkeypatch):
    """What is named under *Your class…* is opened and measured; a state or settings that name it are refused."""
    explorer = serbench.Explorer("client", store=tmp_path / "s")
    name = f"{folder}/order_model.py:Order"
    monkeypatch.setattr(explorer, "run", lambda: None)
    explorer._on_message(None, {"do": "open", "own": {"model": name}}, [])
    assert "was not measured here" in explorer.shown["note"]
    explorer._on_message(None, {"do": "class", "model": "no_such.py:Order"}, [])
    assert "no_such" in explorer.shown["note"]
    assert "client" == explorer.choice.data_name
    explorer._on_message(None, {"do": "class", "model": name}, [])
    assert "Order" == explorer.choice.data_name
    assert "" == explorer.progress["text"]
