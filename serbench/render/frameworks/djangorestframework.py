"""Django REST framework: views around serializers with a field for each value, behind Django's middleware.

- A serializer makes builtins of what a view has, which `JSONRenderer` writes; nothing is validated on the way out.
- A JSON body is read by the standard library, and validated by a serializer.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.render.frameworks.django import SETTINGS
from serbench.results import FLOOR

_DOCS = "https://www.django-rest-framework.org"
_VIEWS = f"{_DOCS}/tutorial/2-requests-and-responses/"


def write(endpoint: Endpoint) -> None:
    """The settings of a new project, a view, and its place among the URLs."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.plain.discard("django")  # which the serializers' module sets up if nothing else does
    module.use("django.conf", "settings")
    module.use("django.core.wsgi", "get_wsgi_application")
    module.use("django.http", "HttpResponse")
    module.use("django.urls", "path")
    imports = ["decorators import api_view", "request import Request"]
    imports += ["response import Response"] if endpoint.takes else []
    late = [f"from rest_framework.{one}  # noqa: E402 (it needs the settings)" for one in imports]
    module.blocks = [
        SETTINGS,
        *late,
        *(block for block in module.blocks if not block.startswith("if not settings.configured")),
    ]
    body = [f"return {way.value}"]
    if endpoint.takes:
        body = [
            'if request.method == "POST":',
            *(f"    {line}" for line in endpoint.taking),
            "    return Response()",
            *body,
        ]
    methods = '["GET", "POST"]' if endpoint.takes else '["GET"]'
    module.define(f"@api_view({methods})\ndef {path}_view(request: Request) -> HttpResponse:", body)
    module.add(f'urlpatterns = [path("{path}", {path}_view)]')
    module.add("app = get_wsgi_application()")


FRAMEWORK = Framework(
    name="djangorestframework",
    summary="views around serializers with a field for each value",
    docs=_DOCS,
    distributions=("djangorestframework", "django"),
    modules=("rest_framework",),
    write=write,
    protocol="wsgi",
    registers=True,
    ways={
        "default": Way(_VIEWS, ("djangorestframework",), "Response({builtins})", taken="{validated}"),
        FLOOR: Way(_VIEWS, (FLOOR,), 'HttpResponse({value}, content_type="application/json")'),
    },
)
