from typing import Any, TypedDict

import django
import orjson
from django.conf import settings
from rest_framework import serializers

if not settings.configured:
    settings.configure(TIME_ZONE="UTC")
    django.setup()


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


class UserSerializer(serializers.Serializer):
    fullname = serializers.CharField(allow_blank=True, trim_whitespace=False)
    email = serializers.CharField(allow_blank=True, trim_whitespace=False)


class ClientSerializer(serializers.Serializer):
    user = UserSerializer()
    last_contact = serializers.CharField(allow_blank=True, trim_whitespace=False)


def validated(data: Any) -> list[Client]:
    serializer = ClientSerializer(data=data, many=True)
    serializer.is_valid(raise_exception=True)
    clients: list[Client] = serializer.validated_data
    return clients


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(ClientSerializer(clients, many=True).data)


def decode(blob: bytes) -> list[Client]:
    return validated(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return ClientSerializer(clients, many=True).data


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return validated(data)
