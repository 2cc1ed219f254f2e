"""How an app is requested without a server: one request after the other, by the app object's own protocol."""

from __future__ import annotations

from collections.abc import Callable

from serbench.render.source.module import Module, block, literal


def _asgi(module: Module, path: str, *, takes: bool, query: str = "") -> None:
    """Add the functions that request an ASGI app, on one event loop that stays open."""
    module.use("asyncio")
    module.add("loop = asyncio.new_event_loop()")
    module.add(f"""\
scope: dict[str, Any] = {{
    "type": "http",
    "asgi": {{"version": "3.0", "spec_version": "2.4"}},
    "http_version": "1.1",
    "scheme": "http",
    "path": {literal(f"/{path}")},
    "raw_path": b{literal(f"/{path}")},
    "query_string": b{literal(query)},
    "root_path": "",
    "server": ("localhost", 80),
    "client": ("localhost", 50000),
}}""")
    module.add("""\
def requested(method: str, body: bytes = b"") -> bytes:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    length = str(len(body)).encode()
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", length)]
    loop.run_until_complete(app({**scope, "method": method, "headers": headers}, receive, send))
    answer = b"".join([message.get("body", b"") for message in sent[1:]])
    if not 200 <= sent[0]["status"] < 300:
        raise ValueError(f"status {sent[0]['status']}: {answer[:200].decode()}")
    now["headers"] = sent[0]["headers"]
    return answer""")
    module.add(
        block(
            "def headers() -> dict[str, str]:",
            ['return {bytes(name).decode().lower(): bytes(value).decode() for name, value in now["headers"]}'],
        )
    )
    _ways(module, path, takes=takes)


def _wsgi(module: Module, path: str, *, takes: bool, query: str = "") -> None:
    """Add the functions that request a WSGI app."""
    module.plain |= {"io", "sys"}
    module.add(f"""\
environ: dict[str, Any] = {{
    "SCRIPT_NAME": "",
    "PATH_INFO": {literal(f"/{path}")},
    "QUERY_STRING": {literal(query)},
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
    module.add("""\
def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
    now["status"], now["headers"] = status, headers
    return None""")
    module.add("""\
def requested(method: str, body: bytes = b"") -> bytes:
    given = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    parts = app({**environ, **given}, start_response)
    try:
        answer = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    if not now["status"].startswith("2"):
        raise ValueError(f"status {now['status']}: {answer[:200].decode()}")
    return answer""")
    module.add(
        block("def headers() -> dict[str, str]:", ['return {name.lower(): value for name, value in now["headers"]}'])
    )
    _ways(module, path, takes=takes)


def _ways(module: Module, name: str, *, takes: bool) -> None:
    """Add what requests the document, and what sends a body and returns what the endpoint got."""
    module.define("def fetch(document: Any) -> bytes:", [f'now["{name}"] = document', 'return requested("GET")'])
    if takes:
        module.define("def send(body: bytes) -> Any:", ['requested("POST", body)', f'return now["{name}"]'])


DRIVERS: dict[str, Callable[..., None]] = {"asgi": _asgi, "wsgi": _wsgi}
"""Protocol → what adds the functions that request an app by it."""
