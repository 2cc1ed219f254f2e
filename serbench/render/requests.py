"""How an app is requested: without a server, one request after the other, by the app object's own protocol; or through one."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote

from serbench.render.source.module import Module, block, literal

_LIFESPAN = """\
state: dict[str, Any] = {}


def started() -> Any:
    messages = [{"type": "lifespan.startup"}]
    answered = loop.create_future()

    async def receive() -> dict[str, Any]:
        return messages.pop() if messages else await loop.create_future()

    async def send(message: Any) -> None:
        if not answered.done():
            answered.set_result(message)

    async def lifespan() -> None:
        await app({"type": "lifespan", "asgi": scope["asgi"], "state": state}, receive, send)

    task = loop.create_task(lifespan())
    loop.run_until_complete(asyncio.wait({task, answered}, return_when="FIRST_COMPLETED"))
    if answered.done() and answered.result()["type"] == "lifespan.startup.failed":
        lines = answered.result().get("message", "").strip().split("\\n")
        raise RuntimeError(f"lifespan.startup.failed: {lines[-1]}")
    if task.done():
        task.exception()  # it has no lifespan
    return task


lifespan = started()"""  # the variable keeps the task


_MCP = "2026-07-28"
"""The revision of MCP, the first without sessions."""
_HEADERS = {"host": "localhost", "content-type": "application/json"}
_DRIVER = re.compile(r"^(?:loop|environ\b[^=]*) = ", re.MULTILINE)
"""The first line of what requests an app, behind the app."""


class Request(NamedTuple):
    """A request that a client sends to a server; it has a body only if it is no GET."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: str = ""


def sent(protocol: str, path: str, query: str = "") -> Request:
    """The request for the document at a path, without a slash in front."""
    if protocol == "mcp":
        return Request("POST", "/mcp", _headers_of_call(path), json.dumps(literal_eval(_call(path))))
    return Request("GET", f"/{path}?{query}" if query else f"/{path}", _HEADERS)


def served(source: str, path: str) -> str:
    """The module of an endpoint for a server: its app, and in place of what requests it an `encode` that keeps the document."""
    app = _DRIVER.split(source, maxsplit=1)[0]
    return f'{app}\n\ndef encode(document):\n    now[{literal(path)}] = document\n    return b""\n'


def _asgi(module: Module, path: str, *, takes: bool, query: str = "", lifespan: bool = False) -> None:
    """Add the functions that request an ASGI app, on one event loop that stays open; with `lifespan` it is started once."""
    _asked_by_asgi(module, path, query=query, lifespan=lifespan)
    _ways(module, path, takes=takes)


def _mcp(module: Module, path: str, *, takes: bool) -> None:  # noqa: ARG001 (no tool takes a document)
    """Add the functions that call a tool of an MCP server by the ASGI app of its HTTP transport."""
    _asked_by_asgi(module, "mcp", lifespan=True, headers=_headers_of_call(path))
    module.use("json")
    module.add(f"call = {_call(path)}\nasked = json.dumps(call).encode()")
    body = [f'now["{path}"] = document', 'return requested("POST", asked)']
    module.define("def fetch(document: Any) -> bytes:", body)


def _headers_of_call(path: str) -> dict[str, str]:
    of_call = {"mcp-protocol-version": _MCP, "mcp-method": "tools/call", "mcp-name": f"get_{path}"}
    return {**_HEADERS, "host": "localhost:80", "accept": "application/json, text/event-stream", **of_call}


def _call(path: str) -> str:
    return f"""\
{{
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {{
        "name": "get_{path}",
        "arguments": {{}},
        "_meta": {{
            "io.modelcontextprotocol/protocolVersion": "{_MCP}",
            "io.modelcontextprotocol/clientInfo": {{"name": "client", "version": "1"}},
            "io.modelcontextprotocol/clientCapabilities": {{}},
        }},
    }},
}}"""


def _asked_by_asgi(
    module: Module, path: str, *, query: str = "", lifespan: bool = False, headers: Mapping[str, str] = _HEADERS
) -> None:
    module.use("asyncio")
    module.add("loop = asyncio.new_event_loop()")
    module.add(f"""\
scope: dict[str, Any] = {{
    "type": "http",
    "asgi": {{"version": "3.0", "spec_version": "2.4"}},
    "http_version": "1.1",
    "scheme": "http",
    "path": {literal(unquote(f"/{path}"))},
    "raw_path": b{literal(f"/{path}")},
    "query_string": b{literal(query)},
    "root_path": "",
    "server": ("localhost", 80),
    "client": ("localhost", 50000),
}}""")
    if lifespan:
        module.add(_LIFESPAN)
    state = ', "state": {**state}' if lifespan else ""
    request = """\
def requested(method: str, body: bytes = b"") -> bytes:
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Any] = []
    waiting: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not messages:  # the client waits for its answer
            waiting.append(loop.create_future())
            await waiting[-1]
        return messages.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    length = str(len(body)).encode()
    headers = [TOLD, (b"content-length", length)]
    loop.run_until_complete(app({**scope, "method": method, "headers": headers STATE}, receive, send))
    for future in waiting:
        future.cancel()
    answer = b"".join([message.get("body", b"") for message in sent[1:]])
    if not sent or "status" not in sent[0]:
        raise ValueError("the app does not begin an answer by http.response.start")
    if not 200 <= sent[0]["status"] < 300:
        raise ValueError(f"status {sent[0]['status']}: {answer[:200].decode(errors='replace')}")
    now["headers"] = sent[0]["headers"]
    return answer"""
    told = ", ".join(f'(b"{name}", b"{value}")' for name, value in headers.items())
    module.add(request.replace(" STATE", state).replace("TOLD", told))
    module.add(
        block(
            "def headers() -> dict[str, str]:",
            ['return {bytes(name).decode().lower(): bytes(value).decode() for name, value in now["headers"]}'],
        )
    )


def _wsgi(module: Module, path: str, *, takes: bool, query: str = "") -> None:
    module.plain |= {"io", "sys"}
    module.add(f"""\
environ: dict[str, Any] = {{
    "SCRIPT_NAME": "",
    "PATH_INFO": {literal(unquote(f"/{path}", "latin-1"))},
    "QUERY_STRING": {literal(query)},
    "REMOTE_ADDR": "127.0.0.1",
    "SERVER_NAME": "localhost",
    "SERVER_PORT": "80",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "HTTP_HOST": "localhost",
    "CONTENT_TYPE": "application/json",
    "wsgi.version": (1, 0),
    "wsgi.url_scheme": "http",
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": False,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}}""")
    module.add("written: list[bytes] = []")
    module.add("""\
def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
    now["status"], now["headers"] = status, headers
    return written.append""")
    module.add("""\
def requested(method: str, body: bytes = b"") -> bytes:
    given = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    written.clear()
    now["status"] = ""
    parts = app({**environ, **given}, start_response)
    try:
        answer = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    answer = b"".join(written) + answer
    if not now["status"]:
        raise ValueError("the app does not call start_response")
    if not now["status"].startswith("2"):
        raise ValueError(f"status {now['status']}: {answer[:200].decode(errors='replace')}")
    return answer""")
    module.add(
        block("def headers() -> dict[str, str]:", ['return {name.lower(): value for name, value in now["headers"]}'])
    )
    _ways(module, path, takes=takes)


def _aiohttp(module: Module, path: str, *, takes: bool) -> None:
    """Add the functions that request an app of aiohttp by its server's protocol, on a connection that stays open."""
    module.plain |= {"asyncio", "re"}
    module.use("aiohttp", "web")
    module.add("loop = asyncio.new_event_loop()")
    module.add("""\
class _Connection(asyncio.Transport):
    closed = True
    server: Any = None

    async def answer_to(self, request: bytes) -> bytes:
        if self.server is None:
            runner = web.AppRunner(app)
            await runner.setup()
            self.server = runner.server
        if self.closed:
            self.closed, self.protocol = False, self.server()
            self.protocol.connection_made(self)
        self.written, self.answered = bytearray(), loop.create_future()
        self.protocol.data_received(request)
        await self.answered
        return bytes(self.written)

    def write(self, data: Any) -> None:
        self.written += data
        end = self.written.find(b"\\r\\n\\r\\n")
        length = re.search(rb"(?i)\\ncontent-length: (\\d+)", self.written[: max(end, 0)])
        if length and len(self.written) >= end + 4 + int(length[1]) and not self.answered.done():
            self.answered.set_result(None)

    def close(self) -> None:
        self.closed = True
        if not self.answered.done():
            self.answered.set_result(None)

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


connection = _Connection()""")
    module.add(f"""\
def requested(method: str, body: bytes = b"") -> bytes:
    lines = [f"{{method}} /{path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {{len(body)}}", "", ""]
    request = "\\r\\n".join(lines).encode() + body
    head, _, answer = loop.run_until_complete(connection.answer_to(request)).partition(b"\\r\\n\\r\\n")
    status = head[len("HTTP/1.1 ") :][:3].decode()
    if not status.startswith("2"):
        raise ValueError(f"status {{status}}: {{answer[:200].decode(errors='replace')}}")
    now["head"] = head
    return answer""")
    module.add("""\
def headers() -> dict[str, str]:
    told = [line.partition(": ") for line in now["head"].decode().split("\\r\\n")[1:]]
    return {name.lower(): value for name, _, value in told}""")
    _ways(module, path, takes=takes)


def _ways(module: Module, name: str, *, takes: bool) -> None:
    """Add what requests the document, and what sends a body and returns what the endpoint got."""
    module.define("def fetch(document: Any) -> bytes:", [f'now["{name}"] = document', 'return requested("GET")'])
    if takes:
        module.define("def send(body: bytes) -> Any:", ['requested("POST", body)', f'return now["{name}"]'])


DRIVERS: dict[str, Callable[..., None]] = {
    "asgi": _asgi,
    "asgi with lifespan": partial(_asgi, lifespan=True),
    "wsgi": _wsgi,
    "aiohttp": _aiohttp,
    "mcp": _mcp,
}
"""Protocol → what adds the functions that request an app by it."""
