"""Query and Scan through the query cache: pages by all parameters of their requests."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from hashrange.api.dynamodb.items import pages
from hashrange.api.dynamodb.items.pages import PagePlan
from hashrange.api.pipeline.operation import CallerContext, Outcome
from hashrange.capacity.charges import Charge
from hashrange.dax.cache.layer import CacheLayer
from hashrange.model.structures.dynamodb import PageAnswer
from hashrange.tables.opened.open_table import OpenTable

_encode: Final = msgspec.json.Encoder(order="deterministic").encode


class CachedPagePlan(PagePlan, frozen=True):
    """A plan with the key of its page in the query cache."""

    cache_key: bytes = b""


class CachedPages:
    """The steps of Query, or of Scan, that the cache changes.

    Args:
        layer: the caches.
        fit: that of the operation.
        is_scan: which of the two it is.
    """

    def __init__(
        self, layer: CacheLayer, fit: Callable[[Any, OpenTable], PagePlan], *, is_scan: bool
    ) -> None:
        self._layer = layer
        self._fit = fit
        self._is_scan = is_scan

    def fit(self, checked: Any, table: OpenTable) -> CachedPagePlan:
        """As the operation's own; the key has the number of the table instead of its name."""
        plan = self._fit(checked, table)
        request = msgspec.structs.replace(
            checked.request, table_name=None, return_consumed_capacity=None
        )
        key = f"{self._is_scan:d}{table.number}:".encode() + _encode(request)
        return CachedPagePlan(plan.source, plan.keys, plan.limit, plan.filter, plan.constants, key)

    def charges(self, plan: CachedPagePlan) -> Sequence[Charge]:
        """Nothing for a hit."""
        return () if self._is_hit(plan) else pages.charges(plan)

    def spot(self, plan: CachedPagePlan) -> Charge | None:
        """The only charge of a query that is no hit."""
        return None if self._is_hit(plan) else pages.spot(plan)

    def _is_hit(self, plan: CachedPagePlan) -> bool:
        return pages.is_eventual(plan) and self._layer.knows_page(plan.cache_key)

    async def run(self, plan: CachedPagePlan, context: CallerContext) -> Outcome:
        """Answer from the cache, or read the page and keep it."""
        if not pages.is_eventual(plan):
            return await pages.read_view(plan, context)
        outcome: Outcome | None = None

        async def read() -> PageAnswer:
            nonlocal outcome
            outcome = await pages.read_view(plan, context)
            assert isinstance(outcome.answer, PageAnswer)
            return outcome.answer

        answer = await self._layer.page(plan.cache_key, read, is_scan=self._is_scan)
        return Outcome(answer) if outcome is None else outcome
