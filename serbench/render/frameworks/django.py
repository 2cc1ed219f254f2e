"""Django: WSGI views behind the middleware that `startproject` sets up.

- `JsonResponse` writes builtins with the standard library and `DjangoJSONEncoder`; nothing is validated.
- An `HttpResponse` of bytes is sent as it is; `request.body` has the body.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://docs.djangoproject.com/en/5.2"
_JSON = f"{_DOCS}/ref/request-response/#jsonresponse-objects"
_RESPONSE = f"{_DOCS}/ref/request-response/#httpresponse-objects"
_SENT = 'HttpResponse({}, content_type="application/json")'
SETTINGS = """\
settings.configure(
    SECRET_KEY="a key of this benchmark",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    TIME_ZONE="UTC",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
)"""


def write(endpoint: Endpoint) -> None:
    """The settings of a new project, a view, and its place among the URLs."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("django.conf", "settings")
    module.use("django.core.wsgi", "get_wsgi_application")
    module.use("django.http", "HttpRequest", "HttpResponse", "JsonResponse")
    module.use("django.urls", "path")
    module.use("django.views.decorators.csrf", "csrf_exempt")
    module.add(SETTINGS)
    body = [f"return {way.value}"]
    if endpoint.takes:
        taken = ["    body = request.body", *(f"    {line}" for line in endpoint.taking), "    return HttpResponse()"]
        body = ['if request.method == "POST":', *taken, *body]
    module.define(f"@csrf_exempt\ndef {path}_view(request: HttpRequest) -> HttpResponse:", body)
    module.add(f'urlpatterns = [path("{path}", {path}_view)]')
    module.add("app = get_wsgi_application()")


FRAMEWORK = Framework(
    name="django",
    summary="WSGI views behind the middleware of a new project",
    docs=_DOCS,
    distributions=("django",),
    write=write,
    protocol="wsgi",
    registers=True,
    ways={
        "default": Way(_JSON, ("json", "pydantic+json"), "JsonResponse({builtins}, safe=False)"),
        "response": Way(
            _RESPONSE,
            ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            taken="{read}",
        ),
        FLOOR: Way(_RESPONSE, (FLOOR,), _SENT.replace("{}", "{value}")),
    },
)
