"""The context of a request, the stream that it names, and tokens of pages."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import msgspec

from hashrange.api.aws_services.kinesis.rates import ShardRates
from hashrange.api.aws_services.kinesis.service import (
    KinesisError,
    in_use,
    invalid,
    invalid_argument,
    limit_exceeded,
    not_found,
)
from hashrange.errors import DynamoError
from hashrange.limits.kinesis import PAGE_TOKEN_MS_MAX
from hashrange.messages import kinesis as messages
from hashrange.storage.engine import StaleFenceError
from hashrange.tables.kinesis.rows import OpenStream, StreamRows
from hashrange.tables.kinesis.streams import StoredShard, StoredStream, shard_id
from hashrange.tables.streams.iterators import ShardIterator, iterator_from, iterator_text
from hashrange.wire.rules import Rows
from hashrange.wire.service import AnyServiceOperation, ServiceOperation

T = TypeVar("T")

_LOOKS_MAX: Final = 10
"""Attempts to change a stream that others change meanwhile."""
_SHARD_MAX: Final = 2**31 - 1
_shard_number: Final = re.compile(r"(?:[^-]*-)?0*([0-9]{1,10})(?:-.*)?", re.ASCII).fullmatch
_ARN_PARTS: Final = 6
_UNBUILT: Final = {
    "dry_run": ("DryRun", (None, False)),
    "stream_id": ("StreamId", (None,)),
    "warm_throughput_mi_bps": ("WarmThroughputMiBps", (None,)),
    "max_record_size_in_ki_b": ("MaxRecordSizeInKiB", (None, 1024)),
    "record_distribution_strategy": ("RecordDistributionStrategy", (None, "USER_PARTITION_KEY")),
}
"""Members that are refused, with the values that change nothing."""


class Nothing(msgspec.Struct, frozen=True):
    """An empty answer."""


class StreamResource(msgspec.Struct, frozen=True):
    """A stream, or a consumer of one, as an ARN names it."""

    region: str
    account: str
    stream: str
    consumer: str | None = None


class KinesisContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of one request.

    Attributes:
        scope: whose streams the caller sees: `tables.keys.kinesis_keys`.
        loaded_ms: when the data were put back to another state; 0 for never.
        transient_ms: for how long changes are shown in the status.
        rates: counts what shards read and write; None without limits of capacity.
    """

    rows: StreamRows
    scope: str
    account: str
    region: str
    now_ms: int
    loaded_ms: int
    transient_ms: int
    rates: ShardRates | None

    async def open(self, name: str) -> OpenStream:
        """The stream of a name. Raises ResourceNotFoundException."""
        found = await self.rows.get(self.scope, name)
        if found is None:
            raise not_found(messages.no_stream(name, self.account))
        return found

    def status_of(self, stream: StoredStream) -> str:
        """The status of a stream now."""
        return stream.status(self.now_ms, self.transient_ms)

    def check_active(self, stream: StoredStream) -> None:
        """Raises ResourceInUseException for a stream that is being created or changed."""
        status = self.status_of(stream)
        if status != "ACTIVE":
            raise in_use(messages.not_active(stream.name, self.account, status))

    def check_created(self, stream: StoredStream) -> None:
        """Raises ResourceNotFoundException for a stream that is being created."""
        if self.status_of(stream) == "CREATING":
            raise not_found(messages.no_stream(stream.name, self.account))


def operation(
    request: type[Any], run: Callable[[Any, KinesisContext], Awaitable[object]], rows: Rows
) -> AnyServiceOperation:
    """The row of an operation, which refuses members that are not built."""

    async def checked(typed: Any, context: KinesisContext) -> object:
        for attribute, (member, values) in _UNBUILT.items():
            if getattr(typed, attribute, None) not in values:
                raise invalid(messages.unbuilt_member(member))
        return await run(typed, context)

    return ServiceOperation(request=request, run=checked, constraints=rows)


def resource_in(arn: str) -> StreamResource | None:
    """The stream or consumer of an ARN; None if it is of something else."""
    parts = arn.split(":", _ARN_PARTS - 1)
    if len(parts) != _ARN_PARTS or parts[0] != "arn" or parts[2] != "kinesis":
        return None
    kind, _, rest = parts[5].partition("/")
    stream, _, consumer = rest.partition("/consumer/")
    if kind != "stream" or not stream or "/" in stream:
        return None
    return StreamResource(parts[3], parts[4], stream, consumer or None)


def named_resource(arn: str, context: KinesisContext) -> StreamResource:
    """The stream or consumer of an ARN of the caller's. Raises ResourceNotFoundException."""
    resource = resource_in(arn)
    if resource is None:
        raise invalid_argument(messages.stream_missing())
    if context.scope and (resource.account, resource.region) != (context.account, context.region):
        raise not_found(messages.no_stream(resource.stream, resource.account))
    return resource


def stream_name(request: Any, context: KinesisContext) -> str:
    """The name of the stream that a request names by StreamName, StreamARN or both.

    Raises InvalidArgumentException, ResourceNotFoundException.
    """
    name: str | None = getattr(request, "stream_name", None)
    arn: str | None = request.stream_arn
    if arn is None:
        if name is None:
            raise invalid_argument(messages.stream_missing())
        return name
    named = named_resource(arn, context).stream
    if name is not None and name != named:
        raise invalid_argument(messages.streams_differ())
    return named


async def attempt(
    context: KinesisContext, name: str, act: Callable[[OpenStream], Awaitable[T]]
) -> T:
    """Act on a stream, again if it is changed meanwhile. Raises LimitExceededException."""
    for _ in range(_LOOKS_MAX):
        opened = await context.open(name)
        try:
            return await act(opened)
        except StaleFenceError:
            continue
    raise limit_exceeded(messages.keeps_changing(name, context.account))


def shard_of(stream: StoredStream, text: str, context: KinesisContext) -> StoredShard:
    """The shard of an id, or of its number alone. Raises ResourceNotFoundException.

    The service reads the digits behind the first dash, or all. Source: kinesalite.
    """
    match = _shard_number(text)
    number = _SHARD_MAX + 1 if match is None else int(match[1])
    if number > _SHARD_MAX:
        raise not_found(messages.no_shard_id(text, stream.name, context.account))
    shard = stream.shard(number)
    if shard is None:
        raise not_found(messages.no_shard(shard_id(number), stream.name, context.account))
    return shard


def token_of(subject: str, position: int, context: KinesisContext) -> str:
    """The token of the next page of a list, which goes on behind a position."""
    return iterator_text(ShardIterator(subject, position, 0, context.now_ms))


def position_of_token(token: str, context: KinesisContext) -> tuple[str, int]:
    """The subject and the position of a token.

    Raises InvalidArgumentException, ExpiredNextTokenException.
    """
    try:
        found = iterator_from(token)
    except DynamoError as error:
        raise invalid_argument(messages.token_invalid()) from error
    if context.now_ms - found.created_ms > PAGE_TOKEN_MS_MAX:
        raise KinesisError("ExpiredNextTokenException", messages.token_expired())
    return found.stream_arn, found.log


def seconds(ms: int) -> float:
    """A timestamp of an answer."""
    return ms / 1000
