"""Falcon: resources with a method for each verb, called by ASGI; nothing is validated.

- `response.media` is written by the standard library; `response.data` is sent as it is.
- `request.stream` has the body.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, Endpoint, Framework, Way

_DOCS = "https://falcon.readthedocs.io/en/stable"
_MEDIA = f"{_DOCS}/api/media.html"
_DATA = f"{_DOCS}/api/request_and_response_asgi.html#falcon.asgi.Response.data"


def write(endpoint: Endpoint) -> None:
    """The app with a resource."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("falcon.asgi")
    both = "self, request: falcon.asgi.Request, response: falcon.asgi.Response"
    lines = [f"async def on_get({both}) -> None:", f"    response.{way.options} = {way.value}"]
    if way.taken:
        lines += ["", f"async def on_post({both}) -> None:", "    body = await request.stream.read()"]
        lines += [f"    {line}" for line in endpoint.taking]
    module.define("class Resource:", lines)
    module.add("app = falcon.asgi.App()")
    module.add(f'app.add_route("/{path}", Resource())')


FRAMEWORK = Framework(
    name="falcon",
    summary="resources with a method for each verb, by ASGI",
    docs=_DOCS,
    distributions=("falcon",),
    write=write,
    ways={
        "default": Way(_MEDIA, OF_BUILTINS, "{builtins}", options="media"),
        "response": Way(_DATA, OF_BYTES, "{bytes}", options="data", taken="{read}"),
    },
)
