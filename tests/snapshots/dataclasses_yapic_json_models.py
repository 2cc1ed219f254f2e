# as dataclasses_csv_models.py, but for:
import yapic.json as yapic_json
def encode(orders: list[Order]) -> bytes:
    return yapic_json.dumpb([dump_order(item) for item in orders])
def dumps(data: Any) -> bytes:
    return yapic_json.dumpb(data)
# without COLUMNS, to_csv, from_csv, load_order, decode, loads, load
