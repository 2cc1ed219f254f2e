"""Django REST framework: views around serializers with a field for each value, behind Django's middleware.

- A serializer makes builtins of what a view has, which `JSONRenderer` writes; nothing is validated on the way out.
- A JSON body is read by the standard library, and validated by a serializer.
"""

from __future__ import annotations

from serbench.render.framework import App, Endpoint, Framework, Way
from serbench.render.frameworks.django import IMPORTS, SETTINGS, URLS
from serbench.results import FLOOR

_DOCS = "https://www.django-rest-framework.org"
_VIEWS = f"{_DOCS}/tutorial/2-requests-and-responses/"


_APP = App(
    imports=(*IMPORTS, "django.http: HttpResponse"),
    get='@api_view(["GET"{and_post}])\ndef {path}_view(request: Request) -> HttpResponse:',
    and_post=', "POST"',
    answer="return Response()",
    after=URLS,
)


def write(endpoint: Endpoint) -> None:
    """The settings of a new project before the serializers, a view, and its place among the URLs."""
    module = endpoint.module
    module.plain.discard("django")  # which the serializers' module sets up if nothing else does
    imports = ["decorators import api_view", "request import Request"]
    imports += ["response import Response"] if endpoint.way.taken else []
    late = [f"from rest_framework.{line}  # noqa: E402 (it needs the settings)" for line in imports]
    serializers = [block for block in module.blocks if not block.startswith("if not settings.configured")]
    module.blocks = [SETTINGS, *late, *serializers]
    _APP.write(endpoint)


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
