# as dataclasses_pickle_models.py, but for:
from pydantic import BaseModel
class Item(BaseModel):
    price: float
class Order(BaseModel):
    title: str
    placed: datetime
    items: list[Item]
