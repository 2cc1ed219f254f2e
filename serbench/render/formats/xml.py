"""XML: elements in text, here with the type of each value as an attribute.

- A record or map is an element with `type="object"` and a child for each item, named after its key; a key
  that is not an XML name is the attribute `key` of an `<entry>`. A list is `type="array"` with `<item>` children.
- A number is `type="int"` or `"float"`, a bool `type="bool"`, None `type="null"`; text has no attribute, and
  dates, times, UUIDs, decimals and bytes are text.
- Text with a control character other than tab and newline cannot be written (XML 1.0);
  ElementTree writes a carriage return as it is, and every reader makes a newline of it.
- xsdata is not a codec of this format: it needs dataclasses with metadata of its own, and writes elements without
  types, which only those classes tell (https://xsdata.readthedocs.io/en/latest/models/fields/). Nor is it a library
  here: that takes a format of its own for XML without types, and 26.10 refuses maps and lists of lists.
"""

from __future__ import annotations

from typing import Any

from serbench.render.codec import CPYTHON, NO_CONTROL_CHARACTERS, UNTYPED, Calls, Codec, Format, Limits, Loss


def _read_with_elementtree(blob: bytes) -> Any:
    from xml.etree import ElementTree as ET

    return _value(ET.fromstring(blob))  # noqa: S314  # bytes of this very run


def _read_with_lxml(blob: bytes) -> Any:
    from lxml import etree

    return _value(etree.fromstring(blob, etree.XMLParser(huge_tree=True, resolve_entities=False)))


def _value(element: Any) -> Any:
    text = element.text or ""
    match element.get("type"):
        case None:
            return text
        case "object":
            return {item.get("key", item.tag): _value(item) for item in element}
        case "array":
            return [_value(item) for item in element]
        case "int":
            return int(text)
        case "float":
            return float(text)
        case "bool":
            return text == "true"
        case "null":
            return None
        case other:
            raise ValueError(f"a value of type {other!r} has no meaning here")


def _write(value: Any) -> bytes:
    """Written as text, by hand: escaped, and with every key as an attribute."""
    from xml.sax.saxutils import escape, quoteattr

    def element(tag: str, key: str, item: Any) -> str:
        name = f" key={quoteattr(key)}" if key else ""
        if isinstance(item, dict):
            inner = "".join(element("entry", k, v) for k, v in item.items())
            return f'<{tag}{name} type="object">{inner}</{tag}>'
        if isinstance(item, list):
            return f'<{tag}{name} type="array">{"".join(element("item", "", v) for v in item)}</{tag}>'
        if isinstance(item, str):
            return f"<{tag}{name}>{escape(item)}</{tag}>"
        if item is None:
            return f'<{tag}{name} type="null" />'
        text = str(item).lower() if isinstance(item, bool) else repr(item)
        return f'<{tag}{name} type="{type(item).__name__}">{text}</{tag}>'

    return element("document", "", value).encode()


_PATTERN = r'NAME = re.compile(r"(?!xml)[A-Za-z_][A-Za-z0-9_.-]*", re.IGNORECASE)'
_TO_ELEMENT = """def to_element(name: str, value: Any) -> Any:
    if NAME.fullmatch(name):
        element = etree.Element(name)
    else:
        element = etree.Element("entry", key=name)
    if isinstance(value, str):
        element.text = value
    elif isinstance(value, dict):
        element.set("type", "object")
        element.extend([to_element(key, item) for key, item in value.items()])
    elif isinstance(value, (list, tuple)):
        element.set("type", "array")
        element.extend([to_element("item", item) for item in value])
    elif isinstance(value, bool):
        element.set("type", "bool")
        element.text = "true" if value else "false"
    elif value is None:
        element.set("type", "null")
    else:
        element.set("type", type(value).__name__)
        element.text = repr(value)
    return element"""
_FROM_ELEMENT = """def from_element(element: Any) -> Any:
    kind = element.get("type")
    if kind is None:
        return element.text or ""
    if kind == "object":
        return {item.get("key", item.tag): from_element(item) for item in element}
    if kind == "array":
        return [from_element(item) for item in element]
    if kind == "null":
        return None
    return CONVERT[kind](element.text)"""
_CONVERT = """CONVERT: dict[str, Callable[[str], Any]] = {
    "bool": "true".__eq__,
    "float": float,
    "int": int,
}"""
_LXML = Codec(
    name="lxml",
    docs="https://lxml.de/tutorial.html",
    distribution="lxml",
    marker=CPYTHON,
    calls=Calls(
        dumps='etree.tostring(to_element("document", {}))',
        loads="from_element(etree.fromstring({}))",
        imports=("re", "lxml:etree", "collections.abc:Callable", "typing:Any"),
        functions=(_PATTERN, _CONVERT, _TO_ELEMENT, _FROM_ELEMENT),
    ),
    limits=Limits(spoils=NO_CONTROL_CHARACTERS, unchecked=UNTYPED),
)

FORMAT = Format(
    name="xml",
    summary="elements in text, with the types as attributes",
    codecs=(
        _LXML,
        _LXML.changed(
            name="elementtree",
            docs="https://docs.python.org/3/library/xml.etree.elementtree.html",
            distribution=None,
            marker="",
            imports=("re", "xml.etree:ElementTree", "collections.abc:Callable", "typing:Any"),
            dumps='ElementTree.tostring(to_element("document", {}))',
            loads="from_element(ElementTree.fromstring({}))",
            functions=tuple(block.replace("etree.Element", "ElementTree.Element") for block in _LXML.calls.functions),
            loses={"str": Loss("newlines", "carriage returns", "https://www.w3.org/TR/xml/#sec-line-ends")},
        ),
    ),
    readers={"elementtree": _read_with_elementtree, "lxml": _read_with_lxml},
    write=_write,
)
