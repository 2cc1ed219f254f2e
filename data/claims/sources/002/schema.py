"""The JSON Schema that transmute-core makes of a class, for its documentation of an API."""

from .transmute import MODELS, default_context


def prepare(model):
    return MODELS[model]


def schema(kind):
    return default_context.serializers.to_json_schema(kind)


def answer(found, before=""):
    """Names and types of the fields, those of the nested object too; an integer is a number."""
    fields = []
    for name, field in found["properties"].items():
        nested = "properties" in field
        fields += (
            answer(field, f"{name}.") if nested else [f"{before}{name} {field['type'].replace('integer', 'number')}"]
        )
    return sorted(fields)
