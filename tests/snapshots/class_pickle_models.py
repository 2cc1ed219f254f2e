import pickle


class User:
    def __init__(self, fullname: str, email: str) -> None:
        self.fullname = fullname
        self.email = email


class Client:
    def __init__(self, user: User, last_contact: str) -> None:
        self.user = user
        self.last_contact = last_contact


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
