"""What a web framework is: the constant of each file in `frameworks/`, and its endpoints and those of own apps as cases.

An endpoint is a library to everything else: `encode` requests the document and returns the body of the answer, `decode`
sends a body and returns what the endpoint's function got. A case names its framework, the *way* of returning as variant,
and what writes the body as codec. `FLOOR`, which returns ready bytes, costs what any request costs.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any, NoReturn
from urllib.parse import quote

from serbench.errors import PlanError, WorkloadError, check
from serbench.machine.platform import exit_text
from serbench.model.data.files import parse_json
from serbench.model.plug_ins import plug_ins
from serbench.model.records import Enum, List, Map, Optional, Ref, Schema, Type
from serbench.model.scalars import ANY, BYTES, Scalar
from serbench.render.codec import Calls, Codec, codec_named
from serbench.render.environments import MAIN, Recipe, main_environment, run_script
from serbench.render.library import Library, Rendered, libraries
from serbench.render.requests import DRIVERS
from serbench.render.selection import begins, exactly
from serbench.render.source.models import annotation
from serbench.render.source.module import Module, Unsupported, bound_name, filled, literal, root_name
from serbench.render.user_class.conversion import left
from serbench.render.user_class.find import function_located, load_model
from serbench.render.user_class.library import BASES, user_library
from serbench.results import FLOOR, OPERATIONS, bracketed

WRITERS = {
    "pydantic": ("pydantic", "pydantic/json"),
    "msgspec": ("msgspec", "msgspec/json"),
    "dataclasses": ("dataclasses", "orjson/json"),
    "orjson": ("typeddict", "orjson/json"),
    "json": ("typeddict", "json/json"),
    "pydantic+json": ("pydantic", "json/json"),
    "pydantic+orjson": ("pydantic", "orjson/json"),
    "djangorestframework": ("djangorestframework", "json/json"),
}
"""What writes a body → the library of the endpoint's objects, and the codec of JSON that goes with it."""
OF_BUILTINS = ("json", "pydantic+json")
OF_BYTES = ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson")
"""The writers of a way that returns builtins, and of one that returns bytes."""
_TEXT = re.compile(
    r"(?P<name>[a-z][a-z-]*)(?:@(?P<version>\d[\w.]*))?(?P<more>(?:\+[\w-]+==[\w.]+)*)"
    r"(?:\[(?P<way>[^\[\]]+)\])?(?:/(?P<writer>[\w+*]+))?"
)


@dataclass(frozen=True)
class Way:
    """A way of returning a document, and perhaps of taking one.

    In its expressions `{value}` is what the endpoint has to return, `{bytes}` and `{builtins}` what the writer makes of
    that, `{type}` the annotation of the document and `{record_type}` that of its records, `{read}` what the writer makes of `body`, and
    `{validated}` what its library makes of `request.data`. Of JSON Lines, `{records}` are the records, `{builtins}` these as
    builtins, and `{bytes}` what the writer makes of the `record`.

    Attributes:
        docs: the page that shows it.
        writers: those of `WRITERS` that it is for, the usual one first.
        value: the expression that the endpoint returns.
        returns: the annotation of its function.
        options: further arguments of its decorator.
        parameter: of the function that takes a body, if it needs one.
        taken: the expression that is kept of a body; empty if it takes none of its own.
        each: the expression with the records of JSON Lines; empty if the body is one document.
        line: what is yielded for each `record`.
        inside: the keys below which the body has the document, or its text.
        wrapped: one more of a document that is no object.
        of_dicts: whether the endpoint has plain dicts, and not objects of the writer's library.
        leaves_out: what the documents leave out, in the words of a work class.
        by_names: the writers whose objects it sends, or takes, with names of fields in place of their keys.
    """

    docs: str
    writers: tuple[str, ...]
    value: str
    returns: str = ""
    options: str = ""
    parameter: str = ""
    taken: str = ""
    each: str = ""
    line: str = ""
    inside: tuple[str | int, ...] = ()
    wrapped: str = ""
    of_dicts: bool = False
    leaves_out: str = ""
    by_names: tuple[str, ...] = ("dataclasses",)


@dataclass
class Endpoint:
    """An endpoint that a framework writes: its module, the name of the document, its way with filled expressions, and its writer.

    The name is also the path of both requests, without a slash in front. It is `aliased` if keys are no names of fields,
    and `reads` a body if that is what its way takes.
    """

    module: Module
    name: str
    way: Way
    writer: str
    aliased: bool = False
    reads: bool = False

    @property
    def taking(self) -> list[str]:
        """How the function that takes a document leaves it where the endpoint finds it."""
        return [f'now["{self.name}"] = {self.way.taken}']

    @property
    def yielding(self) -> list[str]:
        """The body of the generator of JSON Lines."""
        return [f"for record in {self.way.each}:", f"    yield {self.way.line}"]


@dataclass(frozen=True)
class App:
    """The app of a framework as its documentation shows it.

    In its texts `{path}` is the name of the document, `{options}`, `{parameter}` and `{arrow}` are those of the way, and
    `{and_post}` is there if the endpoint takes a body.

    Attributes:
        imports: "module" or "module: name name" each.
        get: the head of the function that returns the document.
        post: that of the function that takes one; empty if `get` is called for both.
        before: what stands before both.
        after: what stands behind.
        body: the expression with the body of a request.
        answer: the last statement of a function that took a body.
        and_post: what `{and_post}` means.
    """

    imports: tuple[str, ...]
    get: str
    post: str = ""
    before: str = ""
    after: str = ""
    body: str = ""
    answer: str = ""
    and_post: str = ""

    def write(self, endpoint: Endpoint) -> None:
        """Add the app with its endpoint to the module."""
        module, way = endpoint.module, endpoint.way

        def spelled(template: str, and_post: str = "") -> str:
            arrow = f" -> {way.returns}" if way.returns else ""
            return template.format(
                path=endpoint.name, options=way.options, parameter=way.parameter, arrow=arrow, and_post=and_post
            )

        and_post = spelled(self.and_post) if way.taken else ""
        for text in self.imports:
            source, _, names = spelled(text).partition(": ")
            module.use(source, *names.split())
        if self.before:
            module.add(spelled(self.before))
        if way.each and way.value:
            module.define("async def lines() -> AsyncIterable[bytes]:", endpoint.yielding)
        taking = [*([f"body = {self.body}"] if endpoint.reads else []), *endpoint.taking, *filter(None, [self.answer])]
        returning = [f"return {way.value}"] if way.value else endpoint.yielding
        if way.taken and not self.post:
            returning = ['if request.method == "POST":', *(f"    {line}" for line in taking), *returning]
        module.define(spelled(self.get, and_post), returning)
        if way.taken and self.post:
            module.define(spelled(self.post), taking)
        if self.after:
            module.add(spelled(self.after, and_post))


def _unset(*_: object) -> NoReturn:
    raise AssertionError("a framework is made with `write`, from which its `render` follows")


@dataclass(frozen=True)
class Framework(Library):
    """A web framework.

    Attributes:
        write: adds the app with its endpoint to a module, as the documentation shows it.
        ways: variant → the way, "default" among them; `FLOOR` is that of `{bytes}`, unless it is given.
        protocol: by which its app is called, a key of `DRIVERS`.
    """

    render: Callable[..., Rendered] = _unset
    write: Callable[[Endpoint], None] = _unset
    ways: Mapping[str, Way] = field(default_factory=dict, hash=False)
    protocol: str = "asgi"
    core: bool = True

    def __post_init__(self) -> None:
        """Fill in what follows from its ways."""
        if self.render is _unset:
            sent = next((way for way in self.ways.values() if "{bytes}" in way.value), None)
            if sent and FLOOR not in self.ways:
                expression = sent.value.replace("{bytes}", "{value}")
                floor = replace(sent, writers=(FLOOR,), value=expression, parameter="", taken="")
                object.__setattr__(self, "ways", {**self.ways, FLOOR: floor})
            steps = {name for name in OPERATIONS if name not in ("encode", "decode", "reject", "reject_first")}
            facts = {
                "render": partial(_rendered, self),
                "variants": {name: way.docs for name, way in self.ways.items() if name != "default"},
                "omits": {name: way.leaves_out for name, way in self.ways.items() if way.leaves_out},
                "cannot": dict.fromkeys(sorted(steps), f"a request has no such step ({self.docs})"),
            }
            for name, value in facts.items():
                object.__setattr__(self, name, value)
        super().__post_init__()


@cache
def frameworks() -> dict[str, Framework]:
    """Every framework by name, in the order of the names."""
    return plug_ins("serbench.render.frameworks", "FRAMEWORK", Framework)


def is_endpoint(text: str) -> bool:
    """Return True if a text begins with the name of a framework, as `fastapi[response-model]/pydantic` does."""
    return re.split(r"[\[@+/]", text)[0] in frameworks()


def endpoint_cases(texts: Sequence[str], model: str | None = None) -> list[tuple[Library, str, Codec, Recipe]]:
    """Framework, way, writer and environment of each endpoint, with the floor of each framework first.

    A text is `fastapi`, `fastapi[response-model]`, `litestar/msgspec`, `fastapi@0.130.0+starlette==0.52.1`,
    `fastapi[*]` for all its ways, or `all`. With a class of the user's (`model`), each way that takes it returns that. Of
    all, those that do not are cases that say so, and those without a writer that is asked for are left out.

    Raises:
        PlanError: an unknown framework, way or writer, or a way that is asked for and does not return the class.
    """
    cases: dict[tuple[Library, str, Codec, Recipe], None] = {}
    for text, of_all in chain.from_iterable(
        [(name, True) for name in frameworks()] if text == "all" else [(text, False)] for text in texts
    ):
        match = _TEXT.fullmatch(text)
        check("framework", match["name"] if match else text, frameworks())
        assert match is not None
        framework = frameworks()[match["name"]]
        recipe = _recipe(framework, match["version"], match["more"])
        if match["way"] not in (None, "*"):
            check(f"way of {framework.name}", match["way"], framework.ways)
        ways = [*framework.ways] if match["way"] == "*" else [match["way"] or "default"]
        if match["writer"] not in (None, "*"):
            written = dict.fromkeys(chain.from_iterable(framework.ways[way].writers for way in ways))
            check(f"writer of {framework.name}[{match['way'] or 'default'}]", match["writer"], written)
            ways = [way for way in ways if match["writer"] in framework.ways[way].writers]
        for way in dict.fromkeys((FLOOR, *ways)):
            asked = match["writer"] if way != FLOOR else None
            for library, writer in _writers(framework, way, asked, model, of_all=of_all or match["way"] == "*"):
                cases[_with(library, writer), way, _codec(library, way, writer), recipe] = None
    return [*cases]


def _writers(
    framework: Framework, name: str, asked: str | None, model: str | None, *, of_all: bool
) -> list[tuple[Framework, str]]:
    way = framework.ways[name]
    chosen = way.writers if asked == "*" else (asked or way.writers[0],)
    if model is None or name == FLOOR:
        return [(framework, writer) for writer in chosen]
    own = load_model(model)
    base = BASES[own.kind]
    taking = [writer for writer in (way.writers if asked is None else chosen) if WRITERS[writer][0] == base]
    if taking:
        return [(_of_class(framework, model), writer) for writer in (taking if asked == "*" else taking[:1])]
    returned = dict.fromkeys(WRITERS[writer][0] for writer in way.writers)
    objects = " or ".join("dicts" if one == "typeddict" else f"objects of {one}" for one in returned)
    refusal = f"{framework.name}[{name}] returns {objects}, and not {own.name} ({own.kind})"
    if not of_all:
        others = ", ".join(_returning(base))
        raise PlanError(f"{refusal}; {f'endpoints that do: {others}' if others else 'no endpoint does'}")
    return [(_of_class(framework, model, refusal), chosen[0])]


def _returning(base: str) -> Iterator[str]:
    """An endpoint of each framework that returns classes of a library."""
    for framework in frameworks().values():
        for name, way in framework.ways.items():
            if name != FLOOR and base in (WRITERS[writer][0] for writer in way.writers):
                yield f"{framework.name}{bracketed(name)}"
                break


@cache
def _of_class(framework: Framework, model: str, refusal: str = "") -> Framework:
    """The framework with endpoints for a class of the user's, or with a refusal of it."""
    own = user_library(load_model(model))
    render = partial(_refused, refusal) if refusal else partial(_rendered, framework, own=own)
    return replace(framework, user_class=model, render=render)


def _refused(refusal: str, *_: object, **__: object) -> NoReturn:
    raise Unsupported(refusal)


def _with(framework: Framework, writer: str) -> Framework:
    written = () if writer == FLOOR else libraries()[WRITERS[writer][0]].distributions
    return replace(framework, distributions=tuple(dict.fromkeys((*framework.distributions, *written))))


def _recipe(framework: Framework, version: str | None, more: str) -> Recipe:
    """The environment of a framework in that version or serbench's own, with further requirements and the writers of its own."""
    here = main_environment()
    wanted = {name: version or str(here.installed(name)) for name in framework.distributions[:1]}
    wanted |= dict(text.split("==") for text in more.split("+")[1:])
    if all(begins(str(here.installed(name)), beginning) for name, beginning in wanted.items()):
        return MAIN
    same = [f"{name}=={here.installed(name)}" for name in ("pydantic", "msgspec", "orjson") if name not in wanted]
    needed = [exactly(name, beginning) for name, beginning in wanted.items()]
    return Recipe((*needed, *same), label=" + ".join(needed))


def _codec(framework: Framework, way: str, writer: str) -> Codec:
    """What writes the body of an endpoint, as the codec of its case."""
    if writer == FLOOR:
        inner = codec_named("msgspec/json")
        cannot = {"decode": f"it returns ready bytes and takes no body ({framework.docs})"}
    else:
        inner = codec_named(WRITERS[writer][1])
        takes = any(one.taken for one in framework.ways.values())
        why = "it decodes as another way of the framework does" if takes else "none of its ways takes a document"
        cannot = {} if framework.ways[way].taken else {"decode": f"{why} ({framework.docs})"}
    limits = replace(inner.limits, cannot=cannot)
    return replace(
        inner,
        name=writer,
        docs=framework.ways[way].docs,
        only=frozenset({framework.name}),
        built_on=inner.name,
        core=False,
        calls=Calls(),
        limits=limits,
    )


def _rendered(
    framework: Framework, schema: Schema, codec: Codec, variant: str, *, own: Library | None = None, **of_class: Any
) -> Rendered:
    """The module of an endpoint: the models, the app, and the two functions that request."""
    way, name = framework.ways[variant], root_name(schema)
    if codec.name == FLOOR:
        rendered = Rendered(Module(), schema=Schema(BYTES))
        expressions = {"type": "bytes"}
    else:
        _refuse(way, schema.root)
        library, inner = WRITERS[codec.name][0], codec_named(WRITERS[codec.name][1])
        cannot = {} if way.taken else {"decode": ""}
        chosen = own or libraries()[library]
        rendered = chosen.render(schema, inner.changed(cannot={**inner.limits.cannot, **cannot}), "default", **of_class)
        expressions = _expressions(rendered, inner, rendered.schema or schema, name)
        if way.each:
            expressions |= _of_records(rendered, inner, rendered.schema or schema, expressions)
        if way.of_dicts:
            rendered = replace(rendered, schema=Schema(List(Map(ANY)) if isinstance(schema.root, List) else Map(ANY)))
    module, held = rendered.module, rendered.schema
    value = f'now["{name}"]'

    def spelled(template: str) -> str:
        for word in ("bytes", "builtins", "read", "validated", "records", "record_type"):
            template = template.replace(f"{{{word}}}", expressions.get(word, ""))
        return template.replace("{value}", value).replace("{type}", expressions["type"]).replace("{name}", name)

    texts: dict[str, Any] = {
        one: spelled(getattr(way, one)) for one in ("value", "returns", "options", "parameter", "taken", "each", "line")
    }
    module.use("typing", "Any")
    module.add("now: dict[str, Any] = {}")
    aliased, reads = "alias" in schema.features, "{read}" in way.taken
    if aliased and own is None and way.value == "{value}" and codec.name in way.by_names:
        raise Unsupported(f"with {codec.name} it writes and reads names of fields in place of keys ({way.docs})")
    framework.write(Endpoint(module, name, replace(way, **texts), codec.name, aliased, reads))
    _leave_out_unused(module)
    if codec.name == FLOOR:
        module.use("msgspec")
        module.define("def build(values: Any) -> bytes:", ["return msgspec.json.encode(values)"])
    elif way.of_dicts:
        module.define("def build(values: Any) -> Any:", ["return values"])
    DRIVERS[framework.protocol](module, name, takes=bool(way.taken))
    decode = "send(blob)" if way.taken else ""
    return Rendered(
        module,
        encode=f"fetch({root_name(held or schema)})",
        decode=decode,
        untyped=bool(decode),
        schema=held,
        in_lines=bool(way.each),
        inside=way.inside if not way.wrapped or isinstance(schema.root, Ref | Map) else (*way.inside, way.wrapped),
        user_facts=rendered.user_facts,
    )


def _refuse(way: Way, root: Type) -> None:
    """Refuse a document that the way would not return or take as its body.

    Annotated with the type of a lone value, a parameter is read from the address in place of the body.
    """
    item = root.item if isinstance(root, List) else root
    if "{record_type}" in way.options and not isinstance(item, Ref):
        raise Unsupported(f"it returns and takes records, and no other values ({way.docs})")
    typed = root == ANY or "{type}" in f"{way.parameter}{way.returns}"
    if isinstance(root, Scalar | Enum | Optional) and typed and "{bytes}" not in way.value:
        raise Unsupported(f"it returns and takes an object or a list, and no lone value ({way.docs})")


def _expressions(rendered: Rendered, codec: Codec, schema: Schema, name: str) -> dict[str, str]:
    """What a library makes of `{value}` and of `body`, as expressions."""
    value, read = 'now["' + name + '"]', codec.calls.loads
    dumped = filled(rendered.dump, value) if rendered.dump else value
    written = rendered.encode and re.sub(rf"\b{root_name(schema)}\b", lambda _: value, rendered.encode)
    options = ", ".join((dumped, *rendered.options))
    validated = filled(rendered.load or "{}", "request.data")
    loaded = filled(rendered.load or "{}", read.replace("{}", "body", 1))
    return {
        "type": annotation(schema.root, rendered.module),
        "record_type": annotation(schema.root.item if isinstance(schema.root, List) else schema.root, rendered.module),
        "builtins": dumped,
        "validated": validated,
        "bytes": written or codec.calls.dumps.replace("{}", options, 1),
        "read": re.sub(r"\bblob\b", "body", rendered.decode) if rendered.decode else loaded,
    }


def _of_records(rendered: Rendered, codec: Codec, schema: Schema, of_document: Mapping[str, str]) -> dict[str, str]:
    """The expressions of a document that is sent as one line for each record."""
    many = isinstance(schema.root, List)
    return {
        "records": "{value}" if many else "[{value}]",
        "builtins": of_document["builtins"] if many else f"[{of_document['builtins']}]",
        "bytes": codec.calls.dumps.replace("{}", ", ".join(("record", *rendered.options)), 1),
    }


def _leave_out_unused(module: Module) -> None:
    """Leave out functions, values and modules of the models' library that the app does not name."""
    kept = ("app", "now", "urlpatterns", "build")
    while True:
        text = "\n".join(module.blocks)
        names = {block: re.match(r"(?:def )?([a-z]\w*)(?= = |\()", block) for block in module.blocks}
        unused = [
            block
            for block, match in names.items()
            if match and match[1] not in kept and len(re.findall(rf"\b{match[1]}\b", text)) == 1
        ]
        if not unused:
            module.plain = {name for name in module.plain if re.search(rf"\b{bound_name(name)}\.", text)}
            return
        module.blocks = [block for block in module.blocks if block not in unused]


_DOCS = "https://asgi.readthedocs.io/en/latest/specs/www.html"
_REQUEST = re.compile(r"GET (/\S*)")
_START_S = 60.0
_HELPER = Path(__file__).parents[1] / "measure" / "worker" / "user_code.py"  # which workers load for the case
_MARK = "serbench answers "
_SCRIPT = """
import base64, importlib.util, json, os, sys
told = os.dup(1)
for number in (1, 2):  # what the app prints, perhaps without end, is not kept
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
spec = importlib.util.spec_from_file_location("_serbench_user_code", {helper})
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
names, dumps = {{}}, json.dumps
try:
    exec({source}, names)
    found = {{"answer": base64.b64encode(names["answer"]).decode()}}
except BaseException as error:
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    ours = last.tb_frame.f_globals is names and type(error) in (ValueError, RuntimeError)  # and no error of the app
    found = {{"error": str(error) if ours else f"{{type(error).__name__}}: {{error}}"}}
with open(told, "w") as answers:
    answers.write({mark} + dumps(found))
os._exit(0)  # whatever the app has left running
"""
_PROTOCOL = """
import inspect
def takes(*arguments):
    try:
        inspect.signature(app).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # a compiled app does not tell
        pass
    return True
waits = inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None))
if not callable(app) or not (takes({}, None) or takes({}, None, None)):
    answer = b""
else:
    answer = b"asgi with lifespan" if waits or not takes({}, None) else b"wsgi"
"""
_ANSWER = """
answer = fetch(None)
coding = headers().get("content-encoding", "identity")
if coding != "identity":
    raise ValueError(f"its answer is compressed ({coding}), which the request does not ask for; name the app without that")
"""


@dataclass(frozen=True)
class OwnApp(Library):
    """An app of the user's as a library of its own.

    Attributes:
        protocol: by which it is called, a key of `DRIVERS`.
    """

    protocol: str = "asgi"


def is_own_app(text: str) -> bool:
    """Return True if an endpoint is `file.py:app` or `module:app`."""
    return ":" in text


def located_app(text: str) -> str:
    """The place of an app as "folder:module:app", which means the same anywhere and stays as it is; so does any other endpoint.

    Raises:
        PlanError: the text has another form, there is no such file, or nothing in it has the name.
    """
    if not is_own_app(text) or Path(text.rpartition(":")[0].rpartition(":")[0]).is_absolute():
        return text
    place = function_located(text)
    if place is None:
        raise PlanError(f"{text!r} does not name an app; write file.py:app or module:app, such as shop/api.py:app")
    return ":".join(place)


def own_cases(apps: Sequence[str], request: str) -> list[tuple[OwnApp, str, Codec]]:
    """The apps as libraries of their own, with what they answer to a request.

    Raises:
        PlanError: an app cannot be imported.
    """
    return [_own_case(located, name, request) for located, name in _names(list(dict.fromkeys(apps))).items()]


def _names(apps: Sequence[str]) -> dict[str, str]:
    """Each app with its module and name, behind as many of its folders as tell it from the others."""
    names = []
    for app in apps:
        others = [other for other in apps if other != app]
        for folders in range(len(Path(app.rsplit(":", 2)[0]).parts)):
            name = _name(app, folders)
            if name not in [_name(other, folders) for other in others]:
                break
        names.append(name)
    if len({"_".join(re.findall("[a-z0-9]+", name)) for name in names}) < len(names):  # as modules are named
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return dict(zip(apps, names, strict=True))


def _name(app: str, folders: int) -> str:
    """An app as a library's name, behind the last of its folders."""
    folder, module, name = app.rsplit(":", 2)
    parts = Path(folder).parts
    text = ".".join([*parts[len(parts) - folders :], module.removesuffix(".py"), name]).lower()
    return re.sub(r"[^a-z0-9._-]", "-", text).lstrip("._-0123456789") or "app"


def _own_case(located: str, name: str, request: str) -> tuple[OwnApp, str, Codec]:
    protocol = _protocol(located)

    def render(_schema: Schema, _codec: Codec, _variant: str) -> Rendered:
        module = _module(located, request, protocol)
        return Rendered(module, encode="fetch(value)", schema=Schema(ANY))

    library = OwnApp(
        name=name,
        summary="your own app",
        docs=_DOCS,
        render=render,
        protocol=protocol,
        core=True,
        cannot={"decode": f"only its answers are measured, not what it takes ({_DOCS})"},
    )
    return library, "default", Codec(request, _DOCS, only=frozenset({name}), format="json", calls=Calls())


def answer_of(located: str, request: str) -> Any:
    """What the app answers to a request, read as JSON.

    Raises:
        PlanError: the app cannot be imported, does not answer, or answers with anything else than JSON.
    """
    module = _module(located, request, _protocol(located))
    body = _run(located, module, _ANSWER, f"{request} fails")
    if not body:
        raise PlanError(f"{shown(located)} answers {request} with an empty body; name a request that JSON answers")
    try:
        return parse_json(Path("body"), body)
    except WorkloadError as error:
        reason = str(error).removeprefix("body: ").rpartition("; ")[0]
        raise PlanError(f"{shown(located)} answers {request} with what cannot be read: {reason}") from None


@cache
def _protocol(located: str) -> str:
    protocol = _run(located, _imported(located), _PROTOCOL, "it cannot be imported").decode()
    if not protocol:
        raise PlanError(f"{shown(located)} is not an ASGI or WSGI app: it takes other arguments; name the app itself")
    return protocol


def _run(located: str, module: Module, more: str, fails: str) -> bytes:
    """The `answer` of a module with these further statements."""
    script = _SCRIPT.format(helper=literal(str(_HELPER)), source=literal(module.text() + more), mark=literal(_MARK))
    limit_s = left(_START_S)
    printed, code, _ = run_script(main_environment(), script, "", limit_s)
    if code is None:
        raise PlanError(f"{shown(located)}: no answer within {limit_s:.3g} s")
    _, mark, text = printed.rpartition(_MARK)
    found = json.loads(text) if mark else {"error": f"the process ended ({exit_text(code)})"}
    if "error" in found:
        text = shorten(found["error"].rstrip(": "), 300, placeholder=" …")
        cure = "; name the request that it leads to" if re.match("status 3", text) else ""
        raise PlanError(f"{shown(located)}: {fails}: {text}{cure}")
    return b64decode(found["answer"])


def _module(located: str, request: str, protocol: str) -> Module:
    path, query = path_and_query(request)
    module = _imported(located)
    module.add("now: dict[str, Any] = {}")
    module.define("def build(values: Any) -> Any:", ["return values"])
    DRIVERS[protocol](module, path, takes=False, query=query)
    return module


def path_and_query(request: str) -> tuple[str, str]:
    """The path of a request such as "GET /orders?page=2", without a slash in front, and its query, both quoted.

    Raises:
        PlanError: the request has another form.
    """
    match = _REQUEST.fullmatch(request)
    if match is None:
        raise PlanError(
            f"request is a method and a path, such as 'GET /orders?page=2', not {request!r}; only GET is measured"
        )
    path, _, query = match[1].partition("?")
    path, query = (quote(part, safe="/?%:@!$&'()*+,;=~", errors="surrogateescape") for part in (path, query))
    return path.removeprefix("/"), query


def _imported(located: str) -> Module:
    """A module with the app, whose place stands in it as texts and never as code."""
    folder, name, app = located.rsplit(":", 2)
    module = Module()
    module.use("_serbench_user_code")
    module.use("typing", "Any")
    module.add(f"imported = _serbench_user_code.module_at({literal(folder)}, {literal(name)})")
    module.add(f"app: Any = _serbench_user_code.attribute(imported, {literal(app)})")
    return module


def shown(located: str) -> str:
    """An app as the user writes it: its module and its name."""
    _, module, app = located.rsplit(":", 2)
    return f"{module}:{app}"
