"""Models of pydantic from the rows of a database: by their attributes, or by keywords."""

from pydantic import BaseModel, ConfigDict


class Row:
    def __init__(self, number):
        self.id, self.name, self.price, self.active = number, f"item {number}", number / 7, True


class Item(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    name: str
    price: float
    active: bool


def make(number):
    return [Row(number + place) for place in range(100)]


def from_attributes(rows):
    return [Item.model_validate(row) for row in rows]


def keywords(rows):
    return [Item(id=row.id, name=row.name, price=row.price, active=row.active) for row in rows]


def constructed(rows):
    return [Item.model_construct(id=row.id, name=row.name, price=row.price, active=row.active) for row in rows]
