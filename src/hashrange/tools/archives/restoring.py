"""Puts items of an archive back into their table."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.copying.place import CopyError, RefusedError, ask
from hashrange.tools.copying.seeding import key_of
from hashrange.tools.copying.tables import describe_table
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.sql.results import pages_of
from hashrange.tools.sql.session import Session
from hashrange.tools.sql.shapes import escaped, literal, quoted
from hashrange.tools.sql.statements import statements_of

CONNECTIONS: Final = 16
_IS_THERE: Final = "ConditionalCheckFailedException"
_DAY_SECONDS: Final = 86_400
_MS: Final = 1000


class RestoreChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a restore, and how they are put.

    Attributes:
        table: in the archive.
        target: the table that gets the items.
        where: a condition in SQL on the rows of the archive; None for all.
        overwrites: items that are in the table are replaced.
        keeps_expiry: the attribute of time to live stays as it is.
        days: after which restored items expire; None for never.
    """

    table: str
    target: str
    where: str | None = None
    overwrites: bool = False
    keeps_expiry: bool = False
    days: int | None = None


class Restored(msgspec.Struct):
    """Counts of items.

    Attributes:
        written: those that were put.
        there: those that were in the table, and stayed as they were.
    """

    written: int = 0
    there: int = 0


class Restore:
    """A restore from an archive.

    Args:
        session: statements on the archive.
        place: has the table.
        choices: what is restored.
        clock: the time.
        on_items: called with the number of items after each page.
    """

    def __init__(
        self,
        session: Session,
        place: Endpoint,
        choices: RestoreChoices,
        *,
        clock: Clock,
        on_items: Callable[[int], None],
    ) -> None:
        self._session, self._place, self._choices = session, place, choices
        self._table = place.named(choices.target)
        self._clock, self._on_items = clock, on_items
        self._key: Sequence[str] = ()
        self._expiry: str | None = None
        self._found = Restored()

    async def run(self) -> Restored:
        """Put the items, of each key the newest. Raises InputError, CopyError."""
        shown = await describe_table(self._place, self._table)
        if shown is None:
            raise CopyError(f"{self._place.shown} has no table {self._table.name}")
        self._key = [name for name, _ in key_of(shown)]
        await self._find_expiry()
        statements = statements_of(self._sql())
        if len(statements) != 1:
            raise InputError("--where is one condition")
        await self._session.prepare(statements[0])
        with self._session.database.answers(statements[0]) as cursor:
            for page in pages_of(cursor):
                await self._put_all(row[0] for row in page)
                self._on_items(len(page))
        return self._found

    @property
    def expiry(self) -> str | None:
        """The attribute of time to live that is changed; None if there is none."""
        return None if self._choices.keeps_expiry else self._expiry

    async def _find_expiry(self) -> None:
        request = {"TableName": self._table.name}
        answer = await ask(self._place, self._table.caller, "DescribeTimeToLive", request)
        self._expiry = answer["TimeToLiveDescription"].get("AttributeName")
        if self.expiry in self._key:
            raise InputError(f"{self.expiry} is a part of the key: give --keep-expiry")

    def _sql(self) -> str:
        key = ", ".join(f"item->{literal(f'/{escaped(name)}')}" for name in self._key)
        where = "" if self._choices.where is None else f"WHERE (\n{self._choices.where}\n)"
        return (
            f"SELECT item FROM {quoted(self._choices.table)} {where} "  # noqa: S608 - a read-only connection
            f"QUALIFY row_number() OVER (PARTITION BY {key} ORDER BY _time DESC) = 1"
        )

    async def _put_all(self, items: Iterator[str]) -> None:
        async def put_some() -> None:
            for item in items:
                await self._put(msgspec.json.decode(item, type=dict[str, msgspec.Raw]))

        async with asyncio.TaskGroup() as tasks:
            for _ in range(CONNECTIONS):
                tasks.create_task(put_some())

    async def _put(self, item: dict[str, msgspec.Raw]) -> None:
        if self.expiry in item:
            assert self.expiry is not None, "the item has it"
            del item[self.expiry]
            if self._choices.days is not None:
                time = self._clock.now_ms() // _MS + self._choices.days * _DAY_SECONDS
                item[self.expiry] = msgspec.Raw(msgspec.json.encode({"N": str(time)}))
        request: dict[str, Any] = {"TableName": self._table.name, "Item": item}
        if not self._choices.overwrites:
            request["ConditionExpression"] = "attribute_not_exists(#key)"
            request["ExpressionAttributeNames"] = {"#key": self._key[0]}
        try:
            await ask(self._place, self._table.caller, "PutItem", request)
        except RefusedError as error:
            if error.code != _IS_THERE:
                raise
            self._found.there += 1
        else:
            self._found.written += 1
