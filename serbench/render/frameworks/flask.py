"""Flask: WSGI functions that return builtins or a response, and validate nothing.

- A dict or list is written by `jsonify`: the standard library's JSON, with sorted keys.
- A `Response` of bytes is sent as it is; `request.get_data()` has the body.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://flask.palletsprojects.com/en/stable"
_JSON = f"{_DOCS}/quickstart/#apis-with-json"
_RESPONSE = f"{_DOCS}/api/#flask.Response"
_SENT = 'Response({}, mimetype="application/json")'


def write(endpoint: Endpoint) -> None:
    """The app with a view for each method."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("flask", "Flask", "Response", "jsonify", "request")
    module.add("app = Flask(__name__)")
    module.define(f'@app.get("/{path}")\ndef get_{path}(){endpoint.arrow}:', [f"return {way.value}"])
    if endpoint.takes:
        body = ["body = request.get_data()", *endpoint.taking, 'return ""']
        module.define(f'@app.post("/{path}")\ndef post_{path}() -> str:', body)


FRAMEWORK = Framework(
    name="flask",
    summary="WSGI functions that return builtins or a response",
    docs=_DOCS,
    distributions=("flask", "werkzeug"),
    write=write,
    protocol="wsgi",
    ways={
        "default": Way(_JSON, ("json", "pydantic+json"), "jsonify({builtins})", returns="Response"),
        "response": Way(
            _RESPONSE,
            ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            returns="Response",
            taken="{read}",
        ),
        FLOOR: Way(_RESPONSE, (FLOOR,), _SENT.replace("{}", "{value}"), returns="Response"),
    },
)
