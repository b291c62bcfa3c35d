"""GetItem and BatchGetItem through the item cache; strongly consistent reads pass by."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import batch_get_item, get_item
from hashrange.api.dynamodb.items.batch_get_item import BatchGetItemPlan
from hashrange.api.dynamodb.items.get_item import GetItemPlan
from hashrange.api.dynamodb.items.pages import answered_item, answered_items
from hashrange.api.steps.operation import CallerContext, Outcome
from hashrange.capacity.units import Charge
from hashrange.dax.cache.entries import CacheKey
from hashrange.dax.cache.layer import CacheLayer
from hashrange.errors import DynamoError
from hashrange.limits.requests import BATCH_GET_BYTES_MAX
from hashrange.model.structures.dynamodb import BatchGetItemAnswer, GetItemAnswer
from hashrange.storage.engine import NO_FENCES, Engine, Fences, StaleFenceError


class OwnTables:
    """The tables of this server, as the source behind the caches."""

    joins_pages = False
    """Reads of the engine are short."""

    def is_unchanged(self, error: BaseException) -> bool:
        """Refusals change nothing; any other error may come after the write."""
        return isinstance(error, DynamoError | StaleFenceError)

    def note_writes(self, _keys: Iterable[CacheKey]) -> None:
        """Reads see all writes."""


class Reads:
    """Reads an engine, and keeps what was read in the item cache.

    Args:
        layer: the caches.
        engine: is read.
    """

    def __init__(self, layer: CacheLayer, engine: Engine) -> None:
        self._layer = layer
        self._engine = engine
        self.scan = engine.scan
        self.write = engine.write

    @property
    def key_bytes_max(self) -> int:
        """The limit of the engine."""
        return self._engine.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """As `Engine.read`; all keys are those of items."""
        return await self._layer.filled(keys, partial(self._engine.read, keys, fences=fences))


def filling(layer: CacheLayer, context: CallerContext) -> CallerContext:
    """The context of a request whose reads of items are kept."""
    store = context.store
    return msgspec.structs.replace(context, store=store.on(Reads(layer, store.engine)))


class KnownItem(GetItemAnswer, frozen=True):
    """The answer to GetItem of a hit, the same object for all hits of an entry.

    `encoded` is free for a protocol that keeps what it has made of the answer.
    """

    encoded: list[Any] = msgspec.field(default_factory=list, name="-")


class CachedGet:
    """The steps of GetItem that the cache changes."""

    def __init__(self, layer: CacheLayer) -> None:
        self._layer = layer

    def charges(self, plan: GetItemPlan) -> Sequence[Charge]:
        """Nothing for a hit."""
        return () if self._is_hit(plan) else get_item.charges(plan)

    def spot(self, plan: GetItemPlan) -> Charge | None:
        """The only charge of a miss."""
        return None if self._is_hit(plan) else get_item.spot(plan)

    def _is_hit(self, plan: GetItemPlan) -> bool:
        return is_eventual(plan) and self._layer.knows(plan.key)

    async def run(self, plan: GetItemPlan, context: CallerContext) -> Outcome:
        """Answer from the cache, or read the item and keep it."""
        if not is_eventual(plan):
            return await get_item.run(plan, context)
        found = self._layer.item(plan.key)
        if found is None:
            return await get_item.run(plan, filling(self._layer, context))
        projection = plan.checked.shape.projection
        if projection is not None:
            item = None if found.value is None else answered_item(found.value, projection)
            return Outcome(GetItemAnswer(item))
        if found.made is None:
            item = None if found.value is None else answered_item(found.value, None)
            found.made = Outcome(KnownItem(item))
        outcome: Outcome = found.made
        return outcome


is_eventual: Final = get_item.is_eventual


class CachedBatchGet:
    """The steps of BatchGetItem that the cache changes: each key is served by itself."""

    def __init__(self, layer: CacheLayer) -> None:
        self._layer = layer

    def charges(self, plan: BatchGetItemPlan) -> Sequence[Charge]:
        """Charges of the misses; all keys are charged if throttled ones are to be distinguished."""
        known = [
            self._layer.knows(key)
            for part, keys in zip(plan.parts, plan.keys, strict=True)
            if not part.sent.consistent_read
            for key in keys
        ]
        return () if known and all(known) and len(known) == _count(plan) else _charges(plan)

    async def run(self, plan: BatchGetItemPlan, context: CallerContext) -> Outcome:
        """Answer what is cached, and read the rest; it is a batch of its own."""
        found: list[list[bytes]] = []
        room = BATCH_GET_BYTES_MAX
        parts, left = [], []
        for part, keys in zip(plan.parts, plan.keys, strict=True):
            hits: list[bytes] = []
            missing = []
            for pair in zip(part.keys, keys, strict=True):
                hit = None
                if not part.sent.consistent_read and pair[1] not in plan.throttled:
                    hit = self._layer.item(pair[1])
                if hit is None or room < 0:
                    missing.append(pair)
                elif hit.value is not None:
                    room -= len(hit.value)
                    hits.append(hit.value)
            found.append(hits)
            parts.append(msgspec.structs.replace(part, keys=[key for key, _ in missing]))
            left.append([key for _, key in missing])
        outcome = await self._rest(plan, context, parts, left)
        answer = outcome.answer
        assert isinstance(answer, BatchGetItemAnswer)
        responses = dict(answer.responses)
        for part, hits in zip(plan.parts, found, strict=True):
            if hits:
                cached = answered_items(hits, part.projection)
                responses[part.name] = joined(cached, responses.get(part.name))
        answer = msgspec.structs.replace(answer, responses=responses)
        return msgspec.structs.replace(outcome, answer=answer)

    async def _rest(
        self,
        plan: BatchGetItemPlan,
        context: CallerContext,
        parts: list[batch_get_item.CheckedTable],
        keys: list[list[CacheKey]],
    ) -> Outcome:
        if not any(keys):
            empty: dict[str, Any] = {part.name: [] for part in plan.parts}
            return Outcome(BatchGetItemAnswer(responses=empty, unprocessed_keys={}))
        rest = msgspec.structs.replace(plan, parts=parts, keys=keys)
        if not any(part.sent.consistent_read for part in plan.parts):
            context = filling(self._layer, context)
        return await batch_get_item.run(rest, context)


def joined(one: Any, other: Any) -> Any:
    """Two lists of items as one; each may be the JSON of its items."""
    if not other:
        return one
    return [*_listed(one), *_listed(other)]


def _listed(items: Any) -> list[Any]:
    if isinstance(items, msgspec.Raw):
        found: list[Any] = msgspec.json.decode(items)
        return found
    return list(items)


def _count(plan: BatchGetItemPlan) -> int:
    return sum(map(len, plan.keys))


_charges: Final = batch_get_item.charges
