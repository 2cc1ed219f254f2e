"""The MCP SDK: tools for language models, whose results become JSON in each call, by the ASGI app of its HTTP transport.

- A result of an annotated type is sent twice: as indented text, a block for each item of a list, and as structured content.
- A text is sent once, as a text in JSON; `structured_output=False` leaves the structured content out.
- A tool's call is a POST request of revision 2026-07-28, which has no session; what a client does is not measured.
"""

from __future__ import annotations

from serbench.render.framework import App, Framework, Way

_DOCS = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools"
_STRUCTURED = f"{_DOCS}#structured-content"
_TEXT = f"{_DOCS}#text-content"

FRAMEWORK = Framework(
    name="mcp",
    summary="tools for language models, whose results are sent as text and as structured content",
    docs=_DOCS,
    distributions=("mcp", "pydantic"),
    write=App(
        imports=("mcp.server: MCPServer",),
        before='server = MCPServer("{path}", log_level="WARNING")',
        get="@server.tool({options})\nasync def get_{path}(){arrow}:",
        after="app = server.streamable_http_app(json_response=True)",
    ).write,
    protocol="mcp",
    ways={
        "default": Way(
            _STRUCTURED,
            ("pydantic", "dataclasses"),
            "{value}",
            returns="{type}",
            inside=("result", "structuredContent"),
            wrapped="result",
        ),
        "text": Way(
            _TEXT,
            ("pydantic", "msgspec", "orjson", "dataclasses"),
            "{bytes}.decode()",
            returns="str",
            options="structured_output=False",
            inside=("result", "content", 0, "text"),
        ),
    },
)
