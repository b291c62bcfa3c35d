"""The data of Kinesis Data Streams in a process, and what policies must allow.

Requests need to be allowed on the stream or the consumer that they name, and those that name none
on `*`. A stream has the ARN that it was created with, whatever region a request is signed for.
"""

from typing import Any, Final

from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.resources import tag_keys
from hashrange.access.policies.service_keys import tag_keys_of
from hashrange.api.aws_services.kinesis.rates import ShardRates
from hashrange.api.aws_services.kinesis.requests import KinesisContext, StreamResource, resource_in
from hashrange.api.aws_services.kinesis.service import KINESIS
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Requirement
from hashrange.errors import DynamoError
from hashrange.tables.kinesis.rows import StreamRows
from hashrange.tables.streams.iterators import iterator_from
from hashrange.tables.writing.store import Store

_CREATE: Final = f"{KINESIS.name}:CreateStream"
_ADD_TAGS: Final = f"{KINESIS.name}:AddTagsToStream"
_REGISTER: Final = f"{KINESIS.name}:RegisterStreamConsumer"
_TAG: Final = f"{KINESIS.name}:TagResource"
_WITH_TAGS: Final = {_CREATE: _ADD_TAGS, _REGISTER: _TAG}
"""Actions that are needed beside another for tags."""


class Kinesis:
    """The backend of Kinesis Data Streams: see `service_api.Backend`.

    Args:
        store: its engine has the rows.
        separate: each account and region has streams of its own.
        transient_ms: for how long changes are shown in the status of a stream.
        rates: counts what shards read and write; None without limits of capacity.
    """

    def __init__(
        self, store: Store, *, separate: bool, transient_ms: int, rates: ShardRates | None
    ) -> None:
        self._store = store
        self._separate = separate
        self._transient_ms = transient_ms
        self._rates = rates
        self._rows = StreamRows(store.engine)

    def context(self, caller: Caller) -> KinesisContext:
        """The streams that a caller can see."""
        return KinesisContext(
            rows=self._rows,
            scope=f"{caller.account}:{caller.region}" if self._separate else "",
            account=caller.account,
            region=caller.region,
            now_ms=self._store.clock.now_ms(),
            loaded_ms=self._store.loaded_ms,
            transient_ms=self._transient_ms,
            rates=self._rates,
        )

    async def requirements(
        self, action: str, typed: Any, caller: Caller, context: KinesisContext
    ) -> list[Requirement]:
        """The operation on the stream or consumer; tags of a new one by themselves."""
        tags = getattr(typed, "tags", None) or {}
        keys = tag_keys_of(tags, tuple(getattr(typed, "tag_keys", None) or ()))
        resource = await _resource(typed, caller, context)
        found = [Requirement(action, resource, keys)]
        if tags and action in _WITH_TAGS:
            found.append(Requirement(_WITH_TAGS[action], resource, keys))
        return found


async def _resource(typed: Any, caller: Caller, context: KinesisContext) -> GovernedResource:
    """The stream or consumer that a request names; one that is not there has no tags."""
    named = _named(typed, caller)
    if named is None:
        return GovernedResource("*", caller.account)
    arn = f"arn:aws:{KINESIS.name}:{named.region}:{named.account}:stream/{named.stream}"
    opened = await context.rows.get(context.scope, named.stream)
    tags = {} if opened is None else opened.stream.tags
    if opened is not None:
        arn = opened.stream.arn
    if named.consumer is not None:
        arn = f"{arn}/consumer/{named.consumer}"
        consumers = () if opened is None else opened.stream.consumers
        name = named.consumer.partition(":")[0]
        tags = next((each.tags for each in consumers if each.name == name), {})
        for each in consumers:
            if opened is not None and each.name == name:
                arn = opened.stream.consumer_arn(each)
    return GovernedResource(arn, caller.account, keys=tag_keys(tags))


def _named(typed: Any, caller: Caller) -> StreamResource | None:
    """The stream or consumer of a request; None if it names none, or in no form of the API."""
    members = ("consumer_arn", "stream_arn", "resource_arn")
    arns = (getattr(typed, member, None) for member in members)
    arn = next((each for each in arns if each is not None), None)
    name = getattr(typed, "stream_name", None) or _name_in_text(typed)
    resource = None if arn is None else resource_in(arn)
    if resource is None:
        return None if name is None else StreamResource(caller.region, caller.account, name)
    consumer = getattr(typed, "consumer_name", None)
    registered = resource.consumer is None and consumer is not None
    is_new = type(typed).__name__ == "RegisterStreamConsumer"
    if registered and not is_new:
        return StreamResource(resource.region, resource.account, resource.stream, consumer)
    return resource


def _name_in_text(typed: Any) -> str | None:
    """The name of the stream in an iterator, or in the token of a page of shards."""
    is_list = type(typed).__name__ == "ListShards"
    text = getattr(typed, "next_token" if is_list else "shard_iterator", None)
    if text is None:
        return None
    try:
        return iterator_from(text).stream_arn.partition(":")[0]
    except DynamoError:  # the operation reports it
        return None
