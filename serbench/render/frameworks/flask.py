"""Flask: WSGI functions that return builtins or a response, and validate nothing.

- A dict or list is written by `jsonify`: the standard library's JSON, with sorted keys.
- A `Response` of bytes is sent as it is; `request.get_data()` has the body.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, App, Framework, Way

_DOCS = "https://flask.palletsprojects.com/en/stable"
_JSON = f"{_DOCS}/quickstart/#apis-with-json"
_RESPONSE = f"{_DOCS}/api/#flask.Response"

FRAMEWORK = Framework(
    name="flask",
    summary="WSGI functions that return builtins or a response",
    docs=_DOCS,
    distributions=("flask", "werkzeug"),
    write=App(
        imports=("flask: Flask Response jsonify request",),
        before="app = Flask(__name__)",
        get='@app.get("/{path}")\ndef get_{path}(){arrow}:',
        post='@app.post("/{path}")\ndef post_{path}() -> str:',
        body="request.get_data()",
        answer='return ""',
    ).write,
    protocol="wsgi",
    ways={
        "default": Way(_JSON, OF_BUILTINS, "jsonify({builtins})", returns="Response"),
        "response": Way(
            _RESPONSE, OF_BYTES, 'Response({bytes}, mimetype="application/json")', returns="Response", taken="{read}"
        ),
    },
)
