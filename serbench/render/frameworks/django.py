"""Django: WSGI views behind the middleware that `startproject` sets up.

- `JsonResponse` writes builtins with the standard library and `DjangoJSONEncoder`; nothing is validated.
- An `HttpResponse` of bytes is sent as it is; `request.body` has the body.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, App, Framework, Way

_DOCS = "https://docs.djangoproject.com/en/5.2"
_JSON = f"{_DOCS}/ref/request-response/#jsonresponse-objects"
_RESPONSE = f"{_DOCS}/ref/request-response/#httpresponse-objects"
IMPORTS = ("django.conf: settings", "django.core.wsgi: get_wsgi_application", "django.urls: path")
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
URLS = 'urlpatterns = [path("{path}", {path}_view)]\napp = get_wsgi_application()'

FRAMEWORK = Framework(
    name="django",
    summary="WSGI views behind the middleware of a new project",
    docs=_DOCS,
    distributions=("django",),
    write=App(
        imports=(
            *IMPORTS,
            "django.http: HttpRequest HttpResponse JsonResponse",
            "django.views.decorators.csrf: csrf_exempt",
        ),
        before=SETTINGS,
        get="@csrf_exempt\ndef {path}_view(request: HttpRequest) -> HttpResponse:",
        body="request.body",
        answer="return HttpResponse()",
        after=URLS,
    ).write,
    protocol="wsgi",
    registers=True,
    ways={
        "default": Way(_JSON, OF_BUILTINS, "JsonResponse({builtins}, safe=False)"),
        "response": Way(_RESPONSE, OF_BYTES, 'HttpResponse({bytes}, content_type="application/json")', taken="{read}"),
    },
)
