# as dataclasses_lxml_xml_models.py, but for:
from xml.etree import ElementTree
def to_element(name: str, value: Any) -> Any:
    if NAME.fullmatch(name):
        element = ElementTree.Element(name)
    else:
        element = ElementTree.Element("entry", key=name)
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
def encode(orders: list[Order]) -> bytes:
    return ElementTree.tostring(
        to_element("document", [dump_order(entry) for entry in orders])
    )
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in from_element(ElementTree.fromstring(blob))]
def dumps(data: Any) -> bytes:
    return ElementTree.tostring(to_element("document", data))
def loads(blob: bytes) -> Any:
    return from_element(ElementTree.fromstring(blob))
