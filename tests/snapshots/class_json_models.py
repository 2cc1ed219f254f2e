# as dataclasses_json_models.py, but for:
class Item:
    def __init__(self, price: float) -> None:
        self.price = price
class Order:
    def __init__(self, title: str, placed: datetime, items: list[Item]) -> None:
        self.title = title
        self.placed = placed
        self.items = items
