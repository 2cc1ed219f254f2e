"""Nested schemas of marshmallow: many of one, or a list of it."""

from marshmallow import Schema, fields


class Line(Schema):
    sku = fields.String()
    price = fields.Float()
    quantity = fields.Integer()


class Many(Schema):
    lines = fields.Nested(Line, many=True)


class Listed(Schema):
    lines = fields.List(fields.Nested(Line))


many_schema, list_schema = Many(), Listed()


def make(number):
    return {"lines": [{"sku": f"s{number}{place}", "price": 1.5, "quantity": place} for place in range(50)]}


def many(order):
    return many_schema.dump(order)


def listed(order):
    return list_schema.dump(order)


def load_many(order):
    return many_schema.load(order)


def load_listed(order):
    return list_schema.load(order)
