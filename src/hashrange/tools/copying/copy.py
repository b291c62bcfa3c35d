"""The whole copy: checks all tables before anything is changed, then copies table by table."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from hashrange.api.steps.operation import Caller
from hashrange.tools.copying.comparing import named_differences
from hashrange.tools.copying.definitions import Definition, not_copied, without_encryption
from hashrange.tools.copying.digests import Digest, Tally, digest_of_any_text, digest_of_text
from hashrange.tools.copying.items import Altered, Route, copy_items, tally_of, unaltered
from hashrange.tools.copying.place import CopyError, Pause, Place, TableRef
from hashrange.tools.copying.progress import Progress, Segment, TableProgress
from hashrange.tools.copying.tables import (
    create_table,
    definition_of_table,
    delete_table,
    describe_table,
    finish_table,
)
from hashrange.wire.arns import parsed

_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """The options of a copy."""

    names: Sequence[str]
    """Names of tables; empty for all tables."""
    overwrite: bool
    """Replace tables that exist in TO."""
    parallel: int
    """The number of segments that are read at the same time."""
    altering: Callable[[Sequence[str]], Altered | None] | None = None
    """Alters the items of a table with these key attributes; None if they are copied as they
    are. It raises CopyError if the table cannot be copied so."""


class Watcher(Protocol):
    """Receives the events of a copy."""

    def note(self, text: str) -> None:
        """Show a text to the operator."""

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """The copy of a table begins.

        `items_about` is an estimate; `items_before` were copied by an earlier run.
        """

    def compares(self, label: str) -> None:
        """The comparison of a table begins."""

    def moved(self, items: int) -> None:
        """More items were copied or compared: `items` since the last call."""

    def ends(self, label: str, items: int) -> None:
        """A table with `items` items is complete and compared."""

    def differs(self, text: str) -> None:
        """A table in TO differs from the table that was read; `text` says how."""


class _TablePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The copy of one table, after all checks."""

    label: str
    read: TableRef
    written: TableRef
    shown: dict[str, Any]
    """The description of the table in FROM."""
    wanted: Definition
    begun: TableProgress | None
    """The progress of an earlier run; None to copy from the start."""
    altered: Altered
    replaces: bool
    """TO has another table of the name, which is deleted first."""


class Copy:
    """A copy between two places.

    Args:
        source: FROM.
        target: TO.
        options: the options of the command.
        progress: the progress of an earlier run, if any.
        watcher: receives the events.
        pause: waits before retries and polls.

    Attributes:
        has_begun: all checks were passed, so there may be progress to continue from.
    """

    def __init__(
        self,
        source: Place,
        target: Place,
        *,
        options: CopyOptions,
        progress: Progress,
        watcher: Watcher,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._source = source
        self._target = target
        self._options = options
        self._progress = progress
        self._watcher = watcher
        self._pause = pause
        # Equal items have equal JSON in engines, so their digests need no parsing, which would be a
        # fifth of the time.
        are_engines = source.is_canonical and target.is_canonical
        has_texts = are_engines and options.altering is None
        self._digest: Digest = digest_of_text if has_texts else digest_of_any_text
        # The key of a directory means nothing to another one, nor do keys that were only recorded.
        same_key = source.master_key_id == target.master_key_id
        self._keeps_encryption = are_engines and same_key
        self.has_begun = False

    async def run(self, tables: Sequence[TableRef]) -> list[str]:
        """Copy and compare tables of FROM; returns the differences that remain, a line each.

        Raises CopyError. If a check fails, nothing was changed; after other errors, the progress
        file lets another run continue.
        """
        if self._progress.is_kept:
            self._watcher.note(f"continues the copy recorded in {self._progress.path}")
        differing: list[str] = []
        plans = await self._plans(tables)
        self.has_begun = True
        for plan in plans:
            for words in not_copied(plan.shown, keeps_encryption=self._keeps_encryption):
                self._watcher.note(f"{plan.label}: {words} cannot be copied")
            for text in await self._copy(plan):
                differing.append(f"{plan.label}: {text}")
                self._watcher.differs(differing[-1])
        await self._target.drain()
        self._progress.forget([plan.label for plan in plans])
        return differing

    async def _plans(self, tables: Sequence[TableRef]) -> list[_TablePlan]:
        described_all = await asyncio.gather(*(self._described(table) for table in tables))
        plans = await asyncio.gather(
            *(self._plan(*pair) for pair in zip(tables, described_all, strict=True))
        )
        self._refuse_namesakes(plans)
        there = [plan.label for plan in plans if plan.replaces]
        if there and not self._options.overwrite:
            raise CopyError(
                f"{self._target.shown} already has {shortened_list(there)}: "
                "--overwrite replaces them, --table selects other tables"
            )
        return plans

    async def _described(self, table: TableRef) -> dict[str, Any]:
        shown = await describe_table(self._source, table)
        if shown is None:
            raise CopyError(f"{self._source.shown} no longer has a table {table.name}")
        return shown

    async def _plan(self, read: TableRef, shown: dict[str, Any]) -> _TablePlan:
        written = TableRef(read.name, _owner(read.caller, shown))
        label = _label(written) if self._source.separate else read.name
        there = await describe_table(self._target, written)
        begun = self._progress.tables.get(label)
        if begun is not None and not _is_of(begun, shown, there):
            begun = None
        replaces = there is not None and begun is None
        if there is not None and replaces:
            _refuse_itself((self._source, self._target), shown, there)
            if self._options.overwrite and there.get("DeletionProtectionEnabled"):
                text = "is protected from deletion and not replaced"
                raise CopyError(f"{self._target.shown}: table {label} {text}")
        wanted = await definition_of_table(self._source, read, shown)
        return _TablePlan(
            label=label,
            read=read,
            written=written,
            shown=shown,
            wanted=wanted if self._keeps_encryption else without_encryption(wanted),
            begun=begun,
            altered=_altered(self._options, wanted),
            replaces=replaces,
        )

    def _refuse_namesakes(self, plans: Sequence[_TablePlan]) -> None:
        if self._target.separate:
            return
        counted = Counter(plan.written.name for plan in plans)
        double = [plan.label for plan in plans if counted[plan.written.name] > 1]
        if double:
            raise CopyError(
                f"{self._target.shown} can hold one table of each name, but "
                f"{self._source.shown} has {shortened_list(double)}"
            )

    async def _copy(self, plan: _TablePlan) -> list[str]:
        """Copy one table, from the state of an earlier run if any; returns the differences."""
        about = int(plan.shown.get("ItemCount", 0))
        begun = plan.begun or await self._begin(plan)
        self._watcher.begins(plan.label, items_about=about, items_before=begun.tally.items)
        if begun.state == "CREATING":
            shown = await create_table(self._target, plan.written, plan.wanted, self._pause)
            begun.target_created = shown["CreationDateTime"]
            begun.segments = [Segment() for _ in range(self._options.parallel)]
            begun.state = "COPYING"
            self._progress.save()
        route = Route(
            source=self._source,
            target=self._target,
            read=plan.read,
            written=plan.written,
            key_names=[element["AttributeName"] for element in plan.wanted["KeySchema"]],
            digest=self._digest,
            pause=self._pause,
            altered=plan.altered,
        )
        differing: list[str] = []
        if begun.state == "COPYING":
            await copy_items(
                route, begun.segments, parallel=self._options.parallel, on_page=self._page_copied
            )
            differing = await self._compared(plan, begun.tally, route)
        if plan.begun is not None and not self._source.is_live and not differing:
            differing = await self._changed(plan, begun.tally)
        if begun.state == "COPYING" and not differing:
            differing = await finish_table(self._target, plan.written, plan.wanted, self._pause)
        if differing:
            self._progress.forget([plan.label])
            return differing
        begun.state, begun.segments = "DONE", [Segment(begun.tally, is_done=True)]
        self._progress.save()
        self._watcher.ends(plan.label, begun.tally.items)
        return []

    async def _begin(self, plan: _TablePlan) -> TableProgress:
        if plan.replaces:
            await delete_table(self._target, plan.written, self._pause)
        begun = TableProgress("CREATING", plan.shown["CreationDateTime"])
        self._progress.tables[plan.label] = begun
        self._progress.save()
        return begun

    def _page_copied(self, items: int) -> None:
        self._progress.save()
        self._watcher.moved(items)

    async def _compared(self, plan: _TablePlan, wanted: Tally, route: Route) -> list[str]:
        """The differences between the items in TO and those that were read."""
        self._watcher.compares(plan.label)
        actual = await self._tally(self._target, plan.written, route.digest)
        if actual == wanted:
            return []
        if actual.items == wanted.items and await self._are_same_items(plan, route):
            return []
        named = await named_differences(route)
        counts = f"{wanted.items:,} items were read, {actual.items:,} are in {self._target.shown}"
        return [counts, *named]

    async def _are_same_items(self, plan: _TablePlan, route: Route) -> bool:
        """Whether the items are equal although their JSON differs."""
        if route.digest is digest_of_any_text:
            return False
        source = await self._tally(self._source, plan.read, digest_of_any_text)
        return source == await self._tally(self._target, plan.written, digest_of_any_text)

    async def _tally(self, place: Place, table: TableRef, digest: Digest) -> Tally:
        parallel, moved = self._options.parallel, self._watcher.moved
        return await tally_of(place, table, digest, parallel=parallel, on_items=moved)

    async def _changed(self, plan: _TablePlan, wanted: Tally) -> list[str]:
        """The difference if a server has changed the directory since an earlier run read it."""
        self._watcher.compares(plan.label)
        digest = _digest_of_altered(self._digest, plan.altered)
        if await self._tally(self._source, plan.read, digest) == wanted:
            return []
        return [f"items in {self._source.shown} have changed since this copy was begun"]


def _altered(options: CopyOptions, wanted: Definition) -> Altered:
    key_names = [element["AttributeName"] for element in wanted["KeySchema"]]
    return (options.altering and options.altering(key_names)) or unaltered


def _digest_of_altered(digest: Digest, altered: Altered) -> Digest:
    return lambda item: digest(altered(item))


def _refuse_itself(ends: tuple[Place, Place], shown: dict[str, Any], there: dict[str, Any]) -> None:
    """Refuse to copy a table onto itself: with --overwrite it would be deleted first.

    Two addresses may lead to one server. Raises CopyError.
    """
    source, target = ends
    same = shown.get("TableId") == there.get("TableId") is not None
    if same and (source.is_live or target.is_live):
        raise CopyError(
            f"{source.shown} and {target.shown} have the very same table "
            f"{shown['TableName']}: are FROM and TO one place?"
        )


async def selected_tables(source: Place, names: Sequence[str]) -> list[TableRef]:
    """The selected tables of FROM, or all. Raises CopyError if a name has no table."""
    tables = await source.tables()
    if not tables:
        text = f"{source.shown} has no tables"
        if source.shown.startswith("http"):
            text += " for these credentials and this region"
        raise CopyError(text)
    missing = [name for name in names if name not in {table.name for table in tables}]
    if missing:
        there = shortened_list([table.name for table in tables])
        raise CopyError(f"{source.shown} has no table {missing[0]}; it has {there}")
    return [table for table in tables if not names or table.name in names]


def shortened_list(labels: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    text = ", ".join(labels[:_NAMES_SHOWN])
    more = len(labels) - _NAMES_SHOWN
    return f"{text} and {more} more" if more > 0 else text


def _is_of(begun: TableProgress, shown: dict[str, Any], there: dict[str, Any] | None) -> bool:
    """Whether earlier progress is of these two tables, and not of others with their names."""
    if begun.source_created != shown["CreationDateTime"]:
        return False
    if begun.state == "CREATING":
        return True
    return there is not None and begun.target_created == there["CreationDateTime"]


def _owner(caller: Caller, shown: dict[str, Any]) -> Caller:
    """The caller with the account of the table's ARN; the region is that of the request."""
    arn = parsed(shown["TableArn"])
    return caller if arn is None else msgspec.structs.replace(caller, account=arn.account)


def _label(table: TableRef) -> str:
    return f"{table.caller.account}:{table.caller.region}:{table.name}"
