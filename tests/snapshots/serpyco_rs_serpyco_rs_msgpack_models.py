# as serpyco_rs_serpyco_rs_json_models.py, but for:
from serpyco_rs import MSGPACK, Serializer
serializer = Serializer(list[Order], codec=MSGPACK)
