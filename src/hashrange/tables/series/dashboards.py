"""Dashboards of metrics, as rows of the engine."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import msgspec

from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.key_ranges import pairs, prefix_range
from hashrange.tables.keys.metric_keys import dashboard_key, dashboard_prefix

_ROWS: int = 20
"""Rows of a page, since a body may be long."""


class Dashboard(msgspec.Struct, frozen=True, rename="camel"):
    """A dashboard.

    Attributes:
        body: JSON, as it was put.
        modified_ms: when.
    """

    name: str
    body: str
    modified_ms: int
    tags: Mapping[str, str] = {}


_decode = msgspec.json.Decoder(Dashboard).decode
_encode = msgspec.json.Encoder().encode


class Dashboards:
    """The dashboards of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def change(
        self, scope: str, name: str, decide: Callable[[Dashboard | None], Dashboard]
    ) -> None:
        """Store a dashboard in place of the one of its name; errors of `decide` are passed on."""
        key = dashboard_key(scope, name)

        def decided(stored: list[bytes | None]) -> Changes[None]:
            before = None if stored[0] is None else _decode(stored[0])
            return Changes(answer=None, puts={key: _encode(decide(before))})

        await self._engine.write([key], decided)

    async def get(self, scope: str, name: str) -> Dashboard | None:
        """The dashboard of a name."""
        (row,) = await self._engine.read([dashboard_key(scope, name)])
        return None if row is None else _decode(row)

    async def all(self, scope: str, prefix: str) -> AsyncIterator[Dashboard]:
        """The dashboards whose names have a prefix, in the order of their names."""
        keys = prefix_range(dashboard_prefix(scope, prefix))
        async for _, row in pairs(self._engine, keys, rows=_ROWS):
            yield _decode(row)

    async def delete(self, scope: str, names: Sequence[str]) -> list[str]:
        """Delete all of some dashboards, or none if some are missing: their names."""
        keys = [dashboard_key(scope, name) for name in names]

        def decide(stored: list[bytes | None]) -> Changes[list[str]]:
            missing = [name for name, row in zip(names, stored, strict=True) if row is None]
            return Changes(answer=missing, deletes=[] if missing else keys)

        return await self._engine.write(keys, decide)
