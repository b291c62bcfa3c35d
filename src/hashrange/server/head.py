"""A parsed head of a request: what its headers say, its body and its signature apart."""

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, Final, NoReturn

import msgspec

from hashrange.api.pipeline.operation import Caller, Performer
from hashrange.errors import DynamoError
from hashrange.observe.counts import OperationCounts
from hashrange.wire.answers import content_type
from hashrange.wire.codec import is_json
from hashrange.wire.reading import unreadable

NOBODY: Final = Caller("", "", "")
"""The caller of a refused head."""

significant_headers: Final = itemgetter(b"content-type", b"x-amz-target", b"host", b"x-amz-date")
"""The headers, beside Authorization, that decide what a head says. KeyError if one is missing."""


class Head(msgspec.Struct, frozen=True):
    """A parsed head.

    Attributes:
        operation: its name.
        answer_type: the content type of the answer.
        counts: those of the operation's requests.
        caller: account, region and host.
        decode: decodes a body too short to be nested deeply. Raises msgspec's exceptions for
            bodies that `reread` may accept, DynamoError if the head itself is refused.
        reread: decodes any body. Raises DynamoError only.
        perform: executes the decoded request.
    """

    operation: str
    answer_type: bytes
    counts: OperationCounts
    caller: Caller
    decode: Callable[[bytes], Any]
    reread: Callable[[bytes], Any]
    perform: Performer


def has_usual_type(significant: tuple[bytes, ...]) -> bool:
    """Whether the content type, the first of the significant headers, fits every body."""
    return content_type(significant[0], has_body=True) is not None


def refused(
    error: DynamoError, operation: str, answer_type: bytes, counts: OperationCounts
) -> Head:
    """A head that refuses each request when its body is decoded."""
    refuse = partial(_refuse, error.as_value())
    return Head(operation, answer_type, counts, NOBODY, refuse, refuse, _never)


def _refuse(error: DynamoError, body: bytes) -> NoReturn:
    # DynamoDB refuses a body that is not JSON before the target and the caller, but an empty body
    # after them.
    if body and not is_json(body):
        raise unreadable()
    # Another one: with the calls that it passes, the kept one would refer to the head that has it.
    raise DynamoError(error.fault, error.message, members=error.members)


async def _never(_request: object) -> object:
    raise AssertionError("a refused request is not executed")
