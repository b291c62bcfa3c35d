"""SELECT: a read of one item by its key, or pages of ranges of keys or of a scan."""

from collections.abc import Sequence
from functools import partial

import msgspec

from hashrange.api.dynamodb.items import get_item
from hashrange.api.dynamodb.items.pages import PageSource, filtered, last_key, units_of_page
from hashrange.api.dynamodb.items.scanned import charges_of_scan, position_in, sizes_in
from hashrange.api.dynamodb.partiql.next_tokens import (
    Position,
    binding,
    claimed_number,
    position_of,
    token_of,
)
from hashrange.api.dynamodb.partiql.statements import Page, StatementPlan
from hashrange.api.steps.operation import CallerContext, OfIndexes, Outcome
from hashrange.capacity.consumed import Units, consumed
from hashrange.capacity.units import Charge, HashRange, read_units, units_of_reads
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.program import Condition, Constants
from hashrange.limits.requests import STATEMENT_PAGE_READS_MAX
from hashrange.messages import partiql as messages
from hashrange.model.structures.dynamodb import GetItemAnswer, StatementAnswer
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.items.images import size_of
from hashrange.tables.keys.key_ranges import Range
from hashrange.tables.opened.reader import KeyRange, fetch_items, read_page
from hashrange.tables.opened.reader import Page as PageOfItems
from hashrange.tables.opened.vector_entries import charged_sizes
from hashrange.tables.writing.store import Store


class PointRead(StatementPlan, frozen=True):
    """One item by its key, as GetItem reads it.

    Attributes:
        plan: the read.
        ends_page: the request has a Limit that the item reaches.
    """

    plan: get_item.GetItemPlan
    ends_page: bool = False

    def charges(self) -> Sequence[Charge]:
        """The least read units of the key."""
        return tuple(get_item.charges(self.plan))

    def spot(self) -> Charge:
        """The least read units of the key."""
        return get_item.spot(self.plan)

    def is_eventual(self) -> bool:
        """Whether ConsistentRead is not set."""
        return get_item.is_eventual(self.plan)

    async def run(self, context: CallerContext) -> Outcome:
        """Read the item."""
        outcome = await get_item.run(self.plan, context)
        answer = outcome.answer
        assert isinstance(answer, GetItemAnswer)
        if answer.item is None:
            found = StatementAnswer([], None, answer.consumed_capacity)
            return Outcome(found, outcome.read_units)
        checked = self.plan.checked
        context.units[checked.table_names[0]].items += 1
        last = checked.key if self.ends_page else None
        found = StatementAnswer([answer.item], None, answer.consumed_capacity, last)
        return Outcome(found, outcome.read_units)


class PageRead(StatementPlan, frozen=True):
    """A page of ranges, read one after the other, or of a scan.

    Attributes:
        reading: what is read, and what becomes of it.
        ranges: of keys, in the order in which they are read.
        partitions: the one of each range; None for a scan.
        points: of each range whether it is the key of one item.
        reverse: each range is read from its end.
        limit: of items evaluated.
        filter: tests the items.
        constants: of the statement.
        page: which page is read.
    """

    reading: PageSource
    ranges: Sequence[Range]
    partitions: Sequence[AttributeValue] | None
    points: Sequence[bool]
    reverse: bool
    limit: int | None
    filter: Condition | None
    constants: Constants
    page: Page

    @property
    def scans(self) -> bool:
        """The condition `dynamodb:FullTableScan` of policies: no partitions are named."""
        return self.partitions is None

    def charges(self) -> Sequence[Charge]:
        """The least read units of each partition, or of the range of a scan."""
        reading = self.reading
        index = reading.access_path.index
        name = None if index is None else index.name
        units, table = read_units(0, consistent=reading.consistent), reading.table_names[0]
        if self.partitions is not None:
            token = self.page.next_token
            first = 0 if token is None else claimed_number(token)
            read = self.partitions[first : first + STATEMENT_PAGE_READS_MAX]
            return [Charge(table, (value,), name, read_units=units) for value in read]
        start, end = self.ranges[0]
        hashes = HashRange(*reading.access_path.hashes(start, end))
        position = position_in(reading.access_path, start)
        return [Charge(table, hashes, name, read_units=units, position=position)]

    def is_eventual(self) -> bool:
        """Whether ConsistentRead is not set."""
        return not self.reading.consistent

    async def run(self, context: CallerContext) -> Outcome:
        """Read a page. The filter comes after the limit, and after the charge."""
        reading, store = self.reading, context.store
        engine, now_ms = store.engine, store.clock.now_ms()
        access_path, consistent = reading.access_path, reading.consistent
        bound = binding(self.page.text, self.constants, access_path.table, context.caller)
        first, ranges = self._from_token(bound, store.secret, now_ms)
        end = min(len(ranges), first + STATEMENT_PAGE_READS_MAX)
        stored: list[bytes] = []
        size, units, left = 0, Units(), self.limit
        charged: list[Charge] = []
        number, page, is_full = first, PageOfItems([], 0, more=False), False
        for number in range(first, end):
            keys = KeyRange(*ranges[number], self.reverse)
            page = await self._read(store, keys, left)
            items = page.stored
            if reading.view.fetch:
                page, items = await fetch_items(
                    engine, access_path.table, page, store.page_bytes_max
                )
                fetched = units_of_reads(
                    charged_sizes(access_path.table.table, items), consistent=consistent
                )
                units = units.plus(Units(table=fetched))
                charged.append(Charge(reading.table_names[0], read_units=fetched))
            placed = self._charges_of(keys, page)
            charged += placed
            own = sum([charge.read_units for charge in placed])
            units = units.plus(units_of_page(access_path, own))
            stored += items
            size += page.size
            left = None if left is None else left - len(page.stored)
            is_full = left == 0 or size >= store.page_bytes_max
            if page.more or is_full:
                break
        count, found = filtered(stored, self.filter, reading.view)
        context.units[reading.table_names[0]].items += count
        assert found is not None, "nothing is counted only"
        following, last = self._following(number, page, is_full=is_full)
        token = None if following is None else token_of(following, bound, store.secret, now_ms)
        return self._outcome(found, units, charged, (token, last))

    async def _read(self, store: Store, keys: KeyRange, left: int | None) -> PageOfItems:
        """A page of a range; of a partition one item more is read, which shows whether it ends."""
        access_path = self.reading.access_path
        sizes = sizes_in(access_path)
        read = partial(
            read_page,
            store.engine,
            access_path.table,
            keys,
            page_bytes_max=store.page_bytes_max,
            sizes=sizes,
        )
        if self.scans or left is None:
            return await read(items_max=left)
        page = await read(items_max=left + 1)
        if len(page.stored) <= left:
            return page
        *stored, beyond = page.stored
        less = size_of(beyond) if sizes is None else sum(sizes([beyond]))
        return PageOfItems(stored, page.size - less, more=True)

    def _following(
        self, number: int, page: PageOfItems, *, is_full: bool
    ) -> tuple[Position | None, Item | None]:
        """Where the next page begins, and the LastEvaluatedKey of this one.

        A range that was read to its end leaves no LastEvaluatedKey, but the key of an item does
        where it reached the limit, unless there is a filter. Source: measured by users, September
        2026.

        Args:
            number: of the range that was read last.
            page: what was read of it.
            is_full: there is no room for further items.
        """
        if page.more:
            last = last_key(page, self.reading.access_path)
            return Position(number, last), last
        following = Position(number + 1, None) if number + 1 < len(self.ranges) else None
        if not (is_full and page.stored and self.points[number]) or self.filter is not None:
            return following, None
        return following, last_key(page, self.reading.access_path)

    def _from_token(self, bound: bytes, secret: bytes, now_ms: int) -> tuple[int, Sequence[Range]]:
        """The position of the first range to read, and all ranges; it begins after the token."""
        if self.page.next_token is None:
            return 0, self.ranges
        position = position_of(self.page.next_token, bound, secret, now_ms)
        if position.number >= len(self.ranges):
            raise invalid(messages.next_token_invalid())
        if position.key is None:
            return position.number, self.ranges
        try:
            key = self.reading.access_path.position(position.key)
        except DynamoError as error:
            raise invalid(messages.next_token_invalid()) from error
        start, end = self.ranges[position.number]
        if key is None or not start <= key < end:
            raise invalid(messages.next_token_invalid())
        rest = (start, key) if self.reverse else (key + b"\x00", end)
        ranges = [*self.ranges]
        ranges[position.number] = rest
        return position.number, ranges

    def _outcome(
        self,
        found: msgspec.Raw | list[Item],
        units: Units,
        charged: Sequence[Charge],
        following: tuple[str | None, Item | None] = (None, None),
    ) -> Outcome:
        reading = self.reading
        name, (token, last) = reading.table_names[0], following
        answer = StatementAnswer(found, token, consumed(name, units, reading.consumed_detail), last)
        of_indexes: OfIndexes = ("read", {name: units}) if units.global_indexes else None
        if reading.access_path.table.limiter is None:
            charged = ()
        return Outcome(answer, units.total, charges=charged, of_indexes=of_indexes)

    def _charges_of(self, keys: KeyRange, page: PageOfItems) -> Sequence[Charge]:
        """The charges of a page of one range; of a scan that is limited, one for each partition."""
        reading, access_path = self.reading, self.reading.access_path
        name, consistent = reading.table_names[0], reading.consistent
        if self.scans and access_path.table.limiter is not None:
            return charges_of_scan(name, access_path, keys, page, consistent=consistent)
        index = None if access_path.index is None else access_path.index.name
        units = read_units(page.size, consistent=consistent)
        position = position_in(access_path, keys.start)
        return [Charge(name, index=index, read_units=units, position=position)]
