# as serpy_orjson_json_models.py, but for:
import msgpack
class DatetimeField(serpy.Field):
    def to_value(self, value: datetime) -> str:
        return value.isoformat()
class OrderSerializer(serpy.Serializer):
    title = serpy.Field()
    placed = DatetimeField()
    items = ItemSerializer(many=True)
def encode(orders: list[Order]) -> bytes:
    return msgpack.packb(OrderSerializer(orders, many=True).data)
def dumps(data: Any) -> bytes:
    return msgpack.packb(data)
