"""The operations of DynamoDB and its streams by name, and both as services.

The module of an operation is imported when its row is first read: most servers use few operations.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from hashrange.api.steps.operation import AnyOperation
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.operations import Service as Prefix
from hashrange.wire.answers import JSON_1_0
from hashrange.wire.codec import Decoder
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import Service

_PACKAGE: Final = "hashrange.api.dynamodb"


class _Operations(Mapping[str, AnyOperation]):
    """The operations that this server has, of some services."""

    def __init__(self, *services: Prefix) -> None:
        self._paths = {
            each.name: each.implementation
            for each in sorted(OPERATION_FACTS.values(), key=lambda facts: facts.name)
            if each.service in services and each.implementation is not None
        }

    def __getitem__(self, name: str) -> AnyOperation:
        return _operation(self._paths[name])

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@cache
def _operation(path: str) -> AnyOperation:
    module, _, name = path.rpartition(".")
    operation: AnyOperation = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    return operation


OPERATIONS: Final[Mapping[str, AnyOperation]] = _Operations(*Prefix)


@cache
def decoder_of(name: str) -> Decoder[Any]:
    """Decodes the requests of an operation. Raises KeyError: this server does not have it."""
    row = OPERATIONS[name]
    if not row.needed:
        return Decoder(row.request)
    from hashrange.wire.strict_reading import StrictDecoder  # noqa: PLC0415 - few servers search

    return StrictDecoder(row.request, row.needed)


def _service(prefix: Prefix) -> Service:
    rows = _Operations(prefix)
    return Service(
        name="dynamodb",
        version="2012-08-10",
        protocols=(JsonProtocol(target=prefix.value.encode(), content_type=JSON_1_0),),
        operations=lambda: rows,
    )


DYNAMODB: Final = _service(Prefix.DYNAMODB)
STREAMS: Final = _service(Prefix.STREAMS)
