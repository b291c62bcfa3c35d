"""Answers gets that were answered before from the item cache, with the bytes that are kept there.

A get that arrives again byte for byte has the same plan as long as its table is the same, and the
plan of a hit is a key of the cache. So the second hit needs neither the pipeline nor an encoder.
Only where nothing decides on single requests: no policy, admission or disturbance of the pipeline,
and no signatures. In all other cases, and for all that is not a hit, `answer` returns None, and the
call is executed as any other.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from hashrange.api.dynamodb.items import get_item
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller
from hashrange.dax.cache.caches import Caches
from hashrange.dax.cache.entries import Kind
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.session import Received
from hashrange.model.structures.dynamodb import GetItem
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable


class KnownGet(msgspec.Struct, frozen=True):
    """A get that may be answered at once.

    Attributes:
        hits: those that know it; the same bytes may arrive at another cluster.
        call: as it was decoded.
        account: of the caller.
        region: of the caller.
        catalog: the tables that the caller sees.
        scope: of the attribute lists of the caller.
        table: that it was planned with; None for a get that is never a hit.
        name: of the table.
        key: in the cache.
    """

    hits: "Hits"
    call: Call
    account: str
    region: str
    catalog: Catalog
    scope: str
    table: OpenTable | None = None
    name: str = ""
    key: bytes = b""


class Hits:
    """Answers hits of one pair of caches.

    Args:
        caches: of an endpoint or a cluster.
        pipeline: executes the calls that are no hits.
        catalog_of: the tables that a caller sees.
        scope_of: which attribute lists are a caller's, as `CallerFacts.scope`.
        now_ms: the time.
    """

    def __init__(
        self,
        caches: Caches[Any],
        pipeline: Pipeline,
        *,
        catalog_of: Callable[[Caller], Catalog],
        scope_of: Callable[[Caller], str],
        now_ms: Callable[[], int],
    ) -> None:
        self._caches = caches
        self._pipeline = pipeline
        self._catalog_of = catalog_of
        self._scope_of = scope_of
        self._now_ms = now_ms

    def learn(self, received: Received, call: Call, caller: Caller) -> None:
        """Remember the key of a get that was answered."""
        request, known = call.request, received.known_get
        if not isinstance(request, GetItem):
            return
        if known is not None and known.hits is self and known.call is call and known.table is None:
            return
        catalog, scope = self._catalog_of(caller), self._scope_of(caller)
        known = KnownGet(self, call, caller.account, caller.region, catalog, scope)
        checked = get_item.check(request)
        name, shape = checked.table_names[0], checked.shape
        table = catalog.cached(name)
        if shape.projection is None and not shape.consistent and table is not None:
            key = get_item.fit(checked, table).key
            known = msgspec.structs.replace(known, table=table, name=name, key=key)
        received.known_get = known

    def answer(self, received: Received, caller: Caller) -> tuple[Call, bytes] | None:
        """The call and the bytes of its answer, if it is a hit that needs no decision."""
        known: KnownGet | None = received.known_get
        if (
            known is None
            or known.hits is not self
            or known.table is None
            or known.account != caller.account
            or known.region != caller.region
            or known.catalog.cached(known.name) is not known.table
            or not self._pipeline.is_plain
        ):
            return None
        found = self._caches.entries.get(Kind.ITEM, known.key, self._now_ms())
        if found is None or found.made is None:
            return None
        encoded = found.made.answer.encoded
        if not encoded or encoded[0] != known.scope:
            return None
        self._caches.items.hits += 1
        return known.call, encoded[1]
