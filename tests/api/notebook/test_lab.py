"""The notebooks travel with serbench, and a copy of one's own is not overwritten; the app opens on one's own data."""

from __future__ import annotations

import http.server
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import psutil
import pytest
from pages import new_page
from waits import LONGEST_S, run, until

from serbench.api.notebook.app import FIRST, PICTURE, copy_notebooks, open_app, open_lab
from serbench.api.notebook.settings import PRESET, from_state
from serbench.errors import PlanError

AS_ANOTHER = """
exec 3<>/dev/tcp/127.0.0.1/$0
printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' $0 >&3
cat <&3
cat "$1"
grep -slFf - /proc/[0-9]*/cmdline /proc/[0-9]*/environ || echo read nowhere
"""
"""What another user of the machine may try."""
FOLDER = Path(__file__).parents[3] / "notebooks"


def test_all_notebooks_are_copied_once(tmp_path):
    """The folder gets each notebook, the sample data and the figures that they show; what is there already stays."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / FIRST).write_text("mine")
    copied = copy_notebooks(tmp_path / "own")
    assert "mine" == (tmp_path / "own" / FIRST).read_text()
    wanted = {path.name for path in FOLDER.iterdir() if path.suffix in (".ipynb", ".json")}
    figures = {path.name for path in copied if path.suffix == ".svg"}
    assert (wanted | figures | {Path(PICTURE).name}) - {FIRST} == {path.name for path in copied}
    shown = {
        name
        for path in copied
        if path.suffix == ".ipynb"
        for name in re.findall(r"\]\(([^)]+\.svg)\)", path.read_text())
    }
    assert shown == {f"images/{name}" for name in figures}
    assert len(figures) == 13
    written = {
        line for path in copied if path.suffix == ".ipynb" for line in re.findall(r"output: str = .+", path.read_text())
    }
    assert written
    assert all(line.startswith(r"output: str = \"results/") for line in written), "what is published is written over"
    assert [] == copy_notebooks(tmp_path / "own")


@pytest.mark.slow
def test_lab_asks_nothing_about_news(tmp_path, monkeypatch):
    """No question stands over the first screen; what the user or an administrator has set stays."""
    import jupyterlab
    from jupyterlab_server.settings_utils import get_settings

    (tmp_path / "lab" / "settings").mkdir(parents=True)
    (tmp_path / "lab" / "settings" / "overrides.json").write_text(
        '{"@jupyterlab/apputils-extension:themes": {"theme": "Mine"}}'
    )
    monkeypatch.setenv("JUPYTERLAB_DIR", str(tmp_path / "lab"))
    shown = {}

    def launch(*, argv):
        (settings,) = (text.partition("=")[2] for text in argv if "app_settings_dir" in text)
        for name, key in (("notification", "fetchNews"), ("themes", "theme")):
            of = f"@jupyterlab/apputils-extension:{name}"
            found, _ = get_settings(settings, Path(jupyterlab.__file__).parent / "schemas", tmp_path / "user", of)
            shown[key] = found["schema"]["properties"][key]["default"]

    monkeypatch.setattr("jupyterlab.labapp.LabApp.launch_instance", launch)
    assert 0 == open_lab(tmp_path / "folder", browser=False)
    assert {"fetchNews": "false", "theme": "Mine"} == shown


def test_lab_serves_no_file_without_its_token(tmp_path, monkeypatch):
    """Voila, which enables itself in JupyterLab and serves pictures to everybody, is off there."""
    from jupyter_server.serverapp import ServerApp

    arguments = []
    monkeypatch.setattr("jupyterlab.labapp.LabApp.launch_instance", lambda *, argv: arguments.extend(argv))
    open_lab(tmp_path, browser=False)
    usual = ServerApp()
    usual.find_server_extensions()
    assert usual.jpserver_extensions["voila.server_extension"], "it no longer enables itself: remove SERVED of lab.py"
    server = ServerApp()
    server.parse_command_line([text for text in arguments if text.startswith("--ServerApp.")])
    server.find_server_extensions()
    assert {"jupyterlab": True, "voila.server_extension": False}.items() <= server.jpserver_extensions.items()


def test_voila_finds_the_template():
    """`voila --template=serbench` has it where serbench is installed; without it Voila waits for ever."""
    from jupyter_core.paths import jupyter_path

    paths = [Path(folder) / "voila" / "templates" / "serbench" / "index.html.j2" for folder in jupyter_path()]
    assert any(path.is_file() for path in paths), "install serbench again: pip install -e ."


@pytest.mark.slow
def test_the_app_opens_on_a_file(tmp_path, monkeypatch):
    """Voila gets the notebook, this machine's address alone and the file's state; Explorer opens on that."""
    (tmp_path / "my orders.json").write_text('[{"id": 1}, {"id": 2}]')
    started = []
    monkeypatch.setattr(
        "serbench.api.notebook.app_server.AppServer.launch_instance", lambda **options: started.append(options["argv"])
    )
    monkeypatch.setenv(PRESET, "")
    assert 0 == open_app(str(tmp_path / "my orders.json"), browser=False)
    (argv,) = started
    assert {"--template=serbench", "--Voila.ip=127.0.0.1", "--Voila.auto_token=True", "--no-browser"} <= set(argv)
    choice = from_state(os.environ[PRESET])
    assert ({"payload": str(tmp_path / "my orders.json")}, 2, 1) == (choice.user_data, choice.records, choice.depth)


def test_the_app_opens_on_a_workload(tmp_path, monkeypatch):
    """The state of an untouched workload is its name; a file of that name is the user's."""
    monkeypatch.setattr("serbench.api.notebook.app_server.AppServer.launch_instance", lambda **_: None)
    monkeypatch.setenv(PRESET, "")
    monkeypatch.chdir(tmp_path)
    assert 0 == open_app("client", browser=False)
    assert "client" == os.environ[PRESET]
    (tmp_path / "client").write_text('[{"id": 1}]')
    assert 0 == open_app("client", browser=False)
    assert from_state(os.environ[PRESET]).payload == str(tmp_path / "client")
    with pytest.raises(PlanError, match="clinet: no such file"):
        open_app("clinet", browser=False)


def test_the_app_says_what_is_missing(tmp_path, monkeypatch):
    """A file that cannot be read is one line, whether Voila is there or not; without Voila one line says what to install."""
    monkeypatch.setenv(PRESET, "")
    monkeypatch.setattr("serbench.api.notebook.app.find_spec", lambda _: None)
    code = "import sys, serbench.api.notebook.app; print('voila' in sys.modules)"
    assert "False\n" == run([sys.executable, "-c", code]).stdout
    (tmp_path / "broken.json").write_text("[1,")
    with pytest.raises(PlanError, match=r"broken\.json"):
        open_app(str(tmp_path / "broken.json"))
    with pytest.raises(PlanError, match=r"the app needs Voila: pip install '\.\[notebook\]'"):
        open_app()


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """A running app, and as its browser a program that waits: its address with the token."""
    folder = tmp_path_factory.mktemp("app")
    code = "import sys; from serbench.api.notebook.app import open_app; sys.exit(open_app())"
    settings = {**os.environ, "SERBENCH_STORE": str(folder / "runs.sqlite"), "PYTHONWARNINGS": "ignore"}
    settings["BROWSER"] = f"{sys.executable} -c 'import time; time.sleep(600)' %s"
    log = folder / "app.log"
    with log.open("w") as said:
        running = subprocess.Popen([sys.executable, "-c", code], env=settings, cwd=folder, stdout=said, stderr=said)
    try:
        yield until(lambda: re.search(r"http://127\.0\.0\.1:\d+/\?token=\w+", log.read_text()), f"an address in {log}")[
            0
        ]
    finally:
        below = psutil.Process(running.pid).children(recursive=True)
        running.terminate()
        running.wait(LONGEST_S)
        for one in below:
            with suppress(psutil.NoSuchProcess):
                one.terminate()


def opened(program):
    """The file that its browser was told to open, in the command line that all users can read."""
    for one in psutil.Process(program).children():
        with suppress(psutil.Error, IndexError):
            if one.cmdline()[-1].endswith("open.html"):
                return Path(urlsplit(one.cmdline()[-1]).path)
    return None


def answer(address, **headers):
    """The status and the last address of a request; 0 and the error if nothing is answered."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as found:
            return found.status, found.geturl()
    except urllib.error.HTTPError as error:
        return error.code, error.geturl()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "api/kernels", "voila/render/explore.ipynb"])
def test_the_app_lets_nobody_in_without_its_token(app, path):
    """Who has no token gets the page that asks for it, and who comes under another host's name nothing, token or not."""
    root, _, token = app.partition("?")
    assert answer(root + path)[0] in (403, 404)
    for query in ("", f"?{token}"):
        assert 403 == answer(root + path + query, Host="evil.example")[0]


@pytest.mark.slow
def test_a_message_to_the_app_s_kernel_needs_the_token(app):
    """No WebSocket opens without it, so that no page and no other user can start a run."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    at = app.partition("?")[0] + "api/kernels/00000000-0000-0000-0000-000000000000/channels"
    assert answer(at, **headers)[0] in (401, 403, 404)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="what others may read is said otherwise")
def test_only_its_user_can_read_the_token(app):
    """The browser has it from a file that nobody else can read; no command line on the machine has it."""
    ours = (one for one in psutil.process_iter(["ppid", "cmdline"]) if one.info["ppid"] == os.getpid())
    (program,) = (one.pid for one in ours if "open_app" in " ".join(one.info["cmdline"] or ()))
    way = until(lambda: opened(program), "a browser")
    assert f"url={app}" in way.read_text()
    assert 0o700 == way.parent.stat().st_mode & 0o777
    token = app.partition("=")[2]
    assert not [one for one in psutil.process_iter(["cmdline"]) if token in " ".join(one.info["cmdline"] or ())]
    if os.getuid() == 0:
        tried = subprocess.run(
            ["bash", "-c", AS_ANOTHER, str(urlsplit(app).port), way],
            input=token,
            text=True,
            capture_output=True,
            check=False,
            timeout=LONGEST_S,
            user=65534,
            group=65534,
            extra_groups=[],
        )
        assert "HTTP/1.1 403 Forbidden" == tried.stdout.splitlines()[0], tried
        assert "This address does not open the app" in tried.stdout
        assert f"cat: {way}: Permission denied" in tried.stderr
        assert "read nowhere" in tried.stdout


@pytest.mark.slow
def test_the_first_screen_opens_only_what_was_measured(tmp_path, monkeypatch):
    """An address that names a class runs nothing of it: what is stored or published is shown instead, and no mark-up of it."""
    from serbench.api.notebook.app import first_screen

    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))
    monkeypatch.delenv(PRESET, raising=False)
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    usual = first_screen()
    assert usual == first_screen(f"?model={tmp_path}/evil.py:Order")
    assert '"workload":"client-rich"' in usual
    assert "<img" not in first_screen("client?contains=<img src=x>")
    assert not (tmp_path / "runs.sqlite").exists()


@pytest.fixture
def elsewhere():
    """The address of a page that another program of this machine serves."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


ATTACKS = """async ([root, kernel]) => {
  const status = async (path, options) => {
    try { return (await fetch(root + path, {credentials: "include", ...options})).status; } catch { return 0; }
  };
  const socket = await new Promise((ended) => {
    const opened = new WebSocket(root.replace("http", "ws") + `api/kernels/${kernel}/channels`);
    opened.onopen = () => ended("open");
    opened.onerror = () => ended("refused");
  });
  const frame = document.createElement("iframe");
  frame.src = root;
  document.body.append(frame);
  await new Promise((ended) => { frame.onload = ended; });
  return {
    socket,
    page: await status("", {}),
    kernel: await status(`api/kernels/${kernel}`, {}),
    end: await status(`voila/api/shutdown/${kernel}`, {method: "POST", mode: "no-cors"}),
  };
}"""


@pytest.mark.full
@pytest.mark.parametrize("width", [1440, 390])
def test_the_app_ends_with_its_content_and_is_called_by_its_finding(app, browser, width):
    """The notebook from which the explorer came takes no room below it, and the title is that of the page of results."""
    page = new_page(browser, viewport={"width": width, "height": 900})
    page.goto(app, wait_until="commit")
    page.wait_for_function("globalThis.serbenchFirst === null && document.querySelector('body > .jp-LabShell')")
    height = page.evaluate("document.getElementById('serbench-app').getBoundingClientRect().height")
    assert abs(page.evaluate("document.documentElement.scrollHeight") - max(height, 900)) < 2
    assert page.title() == f"{page.locator('#finding').inner_text()} · serbench"
    page.close()


@pytest.mark.full
def test_a_page_of_another_origin_gets_nothing(app, browser, elsewhere):
    """A browser that has the app open, and its cookie, lets no other page read it, reach its kernel or end that; nor does another name."""
    context = browser.new_context()
    context.set_default_timeout(LONGEST_S * 1000)
    ours = context.new_page()
    sockets = []
    ours.on("websocket", lambda one: sockets.append(one.url))
    ours.goto(app, wait_until="commit")
    ours.wait_for_function("globalThis.serbenchFirst === null")
    (kernel,) = {re.search(r"kernels/([\w-]+)/channels", one)[1] for one in sockets}
    root = app.partition("?")[0]
    assert [one for one in context.cookies(root) if one["httpOnly"]]
    theirs = context.new_page()
    theirs.goto(elsewhere)
    got = theirs.evaluate(ATTACKS, [root, kernel])
    assert {"socket": "refused", "page": 0, "kernel": 0, "end": 0} == got
    assert 0 == theirs.frames[-1].locator("#serbench-app").count()
    renamed = context.new_page()
    for host in ("localhost.evil.localhost", "evil.localhost"):  # Chromium looks for these on this machine
        assert 403 == renamed.goto(app.replace("127.0.0.1", host)).status
    ours.locator("[data-view=code]").click()  # which the kernel, still there, answers
    ours.locator("#view pre", has_text="def decode").wait_for()
    assert 200 == ours.evaluate("async (at) => (await fetch(at)).status", f"{root}api/kernels/{kernel}")
    context.close()


@pytest.mark.full
def test_a_file_is_received_whose_dialogue_was_opened_before_the_kernel(app, browser, tmp_path):
    """The first screen's *Your file…* is that of the kernel too: a file that is chosen later is read, here with a line on why not."""
    (tmp_path / "broken.json").write_text("[1,")
    page = new_page(browser)
    page.goto(app, wait_until="commit")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Your file…").click()
    page.wait_for_function("globalThis.serbenchFirst === null")
    chooser.value.set_files(tmp_path / "broken.json")
    page.locator(".note", has_text="broken.json").wait_for()
    page.close()


@pytest.mark.full
def test_the_app_s_own_page_works(app, browser):
    """The address with the token shows headline and figure before there is a kernel, which then goes on with what was chosen.

    A page that is loaded again ends its kernel.
    """
    page = browser.new_page()
    page.set_default_timeout(LONGEST_S * 1000)
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(app, wait_until="commit")
    lane = "document.querySelector('.sb-page')?.shadowRoot.querySelector('#view .lane')"
    page.wait_for_function(f"globalThis.serbenchFirst && {lane}")  # at once: the kernel may come meanwhile
    page.locator("[data-view=table]").click()
    page.wait_for_function("globalThis.serbenchFirst === null")
    page.locator("#view table.rows").wait_for()
    page.wait_for_function("new URLSearchParams(location.search).get('state')?.includes('view=table')")
    page.locator("[data-view=code]").click()  # which the kernel answers
    page.locator("#view pre", has_text="def decode").wait_for()
    assert 1 == page.locator(".serbench-explorer").count()
    kernel = f"{app.partition('?')[0]}api/kernels/{re.search(r'kernels/([^/]+)/channels', sockets[0])[1]}"
    status = f"fetch('{kernel}').then((answer) => answer.status)"
    assert 200 == page.evaluate(status)
    page.reload(wait_until="commit")
    until(lambda: 404 == page.evaluate(status), "the end of the first page's kernel")
    page.close()


def said(page):
    """The line of progress below the controls."""
    return page.locator(".sb-action span").inner_text()


@pytest.mark.full
def test_a_run_is_seen_after_a_reload_and_cancelled_in_another_tab(app, browser):
    """One run at a time: the page that is loaded again and a second tab show how far it is, and either ends it."""
    context = browser.new_context()
    context.set_default_timeout(LONGEST_S * 1000)
    first = context.new_page()
    first.goto(
        f"{app}&state={quote('client?effort=thorough&libraries=msgspec,pydantic&formats=orjson')}", wait_until="commit"
    )
    first.wait_for_function("globalThis.serbenchFirst === null")
    first.locator(".sb-run").click()
    first.wait_for_function("document.querySelector('.sb-action').textContent.includes('measuring')")
    first.reload(wait_until="commit")
    second = context.new_page()
    second.goto(app.partition("?")[0], wait_until="commit")
    for page in (first, second):
        page.wait_for_function("globalThis.serbenchFirst === null")
        until(lambda page=page: said(page).startswith("another tab or program measures: "), "the run in another tab")
        assert page.locator(".sb-run").is_disabled()
        assert "one run at a time" in page.locator(".sb-run").get_attribute("title")
    second.get_by_role("button", name="Cancel").click()
    for page in (first, second):
        until(lambda page=page: said(page).endswith(" has ended"), "its end")
        assert page.locator(".sb-run").is_enabled()
    context.close()


@pytest.mark.full
def test_the_app_s_links_open_it(app, browser):
    """One that was copied opens the app in a browser that has no token; without it a page says what to do. *Skip* leads to the results."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(app, wait_until="commit")
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Home")
    page.evaluate("document.activeElement.blur()")
    page.locator("#serbench-skip").focus()
    page.keyboard.press("Enter")
    assert "serbench-results" == page.evaluate("document.activeElement.id")
    context.close()
    stranger = browser.new_context()
    other = stranger.new_page()
    state = urlsplit(link).query.partition("&")[2]
    assert 403 == other.goto(f"{app.partition('?')[0]}?{state}").status
    assert other.locator("pre").inner_text().startswith("serbench app client")
    assert 200 == other.goto(link, wait_until="commit").status
    other.locator("#serbench-first .sb-run").wait_for()
    stranger.close()
