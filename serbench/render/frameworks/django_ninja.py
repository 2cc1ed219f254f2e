"""django-ninja: functions whose annotations say what a request takes and returns, with pydantic behind Django's middleware.

- What a function returns is dumped by a pydantic model, which validates what is no instance of it, and written by the
  standard library. In a list, an instance of its own `Schema` is validated too.
- It writes names of fields in place of aliases, unless it is given `by_alias=True`.
- A JSON body is read by the standard library, and validated by pydantic.
- A member of a plain `Enum` is written as "Role.ADMIN" (django-ninja 1.7.1, `ninja/responses.py`), where its schema has the
  value, so the answer is not what was returned.
"""

from __future__ import annotations

import re
from dataclasses import replace

from serbench.render.framework import App, Endpoint, Framework, Way
from serbench.render.frameworks.django import IMPORTS, SETTINGS
from serbench.render.source.module import Unsupported
from serbench.results import FLOOR

_DOCS = "https://django-ninja.dev"
_RESPONSE = f"{_DOCS}/guides/response/"


_APP = App(
    imports=(*IMPORTS, "django.http: HttpRequest HttpResponse"),
    before="api = NinjaAPI()",
    get='@api.get("/{path}"{options})\ndef get_{path}(request: HttpRequest){arrow}:',
    post='@api.post("/{path}")\ndef post_{path}(request: HttpRequest, {parameter}) -> None:',
    after='urlpatterns = [path("", api.urls)]\napp = get_wsgi_application()',
)


def write(endpoint: Endpoint) -> None:
    """The settings of a new project, the API of schemas, and its place among the URLs."""
    module, way = endpoint.module, endpoint.way
    if ": dict[" in way.parameter:
        raise Unsupported(f"it takes a dict for a part of the address, and not for the body ({_DOCS})")
    if any(re.match(r"class \w+\(Enum\):", block) for block in module.blocks):
        raise Unsupported(
            f"django-ninja 1.7.1 writes members of a plain Enum as text such as Role.ADMIN, where its schema has values ({_DOCS})"
        )
    names = "NinjaAPI, Schema" if way.taken else "NinjaAPI"
    late = f"from ninja import {names}  # noqa: E402 (it needs the settings)"
    models = [re.sub(r"^(class \w+)\(BaseModel\):", r"\1(Schema):", block) for block in module.blocks]
    module.blocks = [SETTINGS, late, *models]
    if endpoint.aliased and way.taken:
        endpoint.way = replace(way, options=f"{way.options}, by_alias=True")
    _APP.write(endpoint)


FRAMEWORK = Framework(
    name="django-ninja",
    summary="annotations that pydantic validates, behind Django's middleware",
    docs=_DOCS,
    distributions=("django-ninja", "django", "pydantic"),
    modules=("ninja",),
    write=write,
    protocol="wsgi",
    registers=True,
    ways={
        "default": Way(
            _RESPONSE, ("pydantic",), "{value}", options=", response={type}", parameter="{name}: {type}", taken="{name}"
        ),
        FLOOR: Way(
            f"{_RESPONSE}#returning-responses-directly",
            (FLOOR,),
            'HttpResponse({value}, content_type="application/json")',
            returns="HttpResponse",
        ),
    },
)
