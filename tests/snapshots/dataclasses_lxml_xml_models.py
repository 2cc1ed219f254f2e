# as dataclasses_json_models.py, but for:
import re
from collections.abc import Callable
from lxml import etree
NAME = re.compile(r"(?!xml)[A-Za-z_][A-Za-z0-9_.-]*", re.IGNORECASE)
CONVERT: dict[str, Callable[[str], Any]] = {
    "bool": "true".__eq__,
    "float": float,
    "int": int,
}
def to_element(name: str, value: Any) -> Any:
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
    return element
def from_element(element: Any) -> Any:
    kind = element.get("type")
    if kind is None:
        return element.text or ""
    if kind == "object":
        return {item.get("key", item.tag): from_element(item) for item in element}
    if kind == "array":
        return [from_element(item) for item in element]
    if kind == "null":
        return None
    return CONVERT[kind](element.text)
def encode(orders: list[Order]) -> bytes:
    return etree.tostring(
        to_element("document", [dump_order(entry) for entry in orders])
    )
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in from_element(etree.fromstring(blob))]
def dumps(data: Any) -> bytes:
    return etree.tostring(to_element("document", data))
def loads(blob: bytes) -> Any:
    return from_element(etree.fromstring(blob))
