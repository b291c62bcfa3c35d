"""The whole copy: what is to be copied, refused before anything is changed; then table by table."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from hashrange.copying.comparing import named_differences
from hashrange.copying.definitions import Definition, left_behind, without_encryption
from hashrange.copying.digests import Digest, Tally, digest_of_any_text, digest_of_text
from hashrange.copying.items import Route, copy_items, tally_of
from hashrange.copying.place import CopyError, Named, Pause, Place
from hashrange.copying.progress import Begun, Progress, Segment
from hashrange.copying.tables import defined, described, dropped, finished, made
from hashrange.operations.pipeline.operation import Caller
from hashrange.wire.arns import parsed

_NAMES_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was asked for: names of tables, all if there are none; and how."""

    names: Sequence[str]
    overwrite: bool
    parallel: int


class Watcher(Protocol):
    """Sees how a copy goes on. Numbers of items that a place tells are rough."""

    def note(self, text: str) -> None:
        """Something that people should know."""

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """A table is copied; `items_before` of it were by an earlier start."""

    def compares(self, label: str) -> None:
        """The table that began is read in TO."""

    def moved(self, items: int) -> None:
        """So many items more were copied, or compared."""

    def ends(self, label: str, items: int) -> None:
        """A table is complete, and compared."""

    def differs(self, text: str) -> None:
        """Something of a table in TO is not as it was read."""


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    label: str
    read: Named
    written: Named
    shown: dict[str, Any]
    wanted: Definition
    begun: Begun | None
    replaces: bool
    """There is another one in TO, which goes."""


class Copy:
    """A copy between two places.

    Args:
        source: FROM.
        target: TO.
        order: what was asked for.
        progress: what an earlier start has done.
        watcher: is told what happens.
        pause: waits.

    Attributes:
        has_begun: what was asked for can be, and there may be something to go on from.
    """

    def __init__(
        self,
        source: Place,
        target: Place,
        *,
        order: Order,
        progress: Progress,
        watcher: Watcher,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._source = source
        self._target = target
        self._order = order
        self._progress = progress
        self._watcher = watcher
        self._pause = pause
        # Between two engines no item need be parsed to be summed: a fifth of all the work.
        are_engines = source.is_canonical and target.is_canonical
        self._digest: Digest = digest_of_text if are_engines else digest_of_any_text
        # Engines record which encryption was asked for, and encrypt nothing.
        self._keeps_encryption = are_engines
        self.has_begun = False

    async def run(self, tables: Sequence[Named]) -> list[str]:
        """Copy and compare tables of FROM; what is different then, a line each, as was told.

        Raises CopyError. Nothing is changed if what was asked for cannot be; otherwise the file of
        progress is there to go on from.
        """
        if self._progress.is_kept:
            self._watcher.note(f"continues the copy recorded in {self._progress.path}")
        found: list[str] = []
        plans = await self._plans(tables)
        self.has_begun = True
        for plan in plans:
            for words in left_behind(plan.shown, keeps_encryption=self._keeps_encryption):
                self._watcher.note(f"{plan.label}: {words} cannot be copied")
            for text in await self._copy(plan):
                found.append(f"{plan.label}: {text}")
                self._watcher.differs(found[-1])
        await self._target.settle()
        self._progress.forget([plan.label for plan in plans])
        return found

    async def _plans(self, tables: Sequence[Named]) -> list[_Plan]:
        described_all = await asyncio.gather(*(self._described(table) for table in tables))
        plans = await asyncio.gather(
            *(self._plan(*pair) for pair in zip(tables, described_all, strict=True))
        )
        self._refuse_namesakes(plans)
        there = [plan.label for plan in plans if plan.replaces]
        if there and not self._order.overwrite:
            raise CopyError(
                f"{self._target.shown} already has {listed(there)}: "
                "--overwrite replaces them, --table selects other tables"
            )
        return plans

    async def _described(self, table: Named) -> dict[str, Any]:
        shown = await described(self._source, table)
        if shown is None:
            raise CopyError(f"{self._source.shown} no longer has a table {table.name}")
        return shown

    async def _plan(self, read: Named, shown: dict[str, Any]) -> _Plan:
        written = Named(read.name, _owner(read.caller, shown))
        label = _label(written) if self._source.separate else read.name
        there = await described(self._target, written)
        begun = self._progress.tables.get(label)
        if begun is not None and not _is_of(begun, shown, there):
            begun = None
        replaces = there is not None and begun is None
        if there is not None and replaces:
            _refuse_itself((self._source, self._target), shown, there)
            if self._order.overwrite and there.get("DeletionProtectionEnabled"):
                text = "is protected from deletion and not replaced"
                raise CopyError(f"{self._target.shown}: table {label} {text}")
        wanted = await defined(self._source, read, shown)
        return _Plan(
            label=label,
            read=read,
            written=written,
            shown=shown,
            wanted=wanted if self._keeps_encryption else without_encryption(wanted),
            begun=begun,
            replaces=replaces,
        )

    def _refuse_namesakes(self, plans: Sequence[_Plan]) -> None:
        if self._target.separate:
            return
        counted = Counter(plan.written.name for plan in plans)
        double = [plan.label for plan in plans if counted[plan.written.name] > 1]
        if double:
            raise CopyError(
                f"{self._target.shown} can hold one table of each name, but "
                f"{self._source.shown} has {listed(double)}"
            )

    async def _copy(self, plan: _Plan) -> list[str]:
        """Bring one table to its end, from wherever it is; what is different."""
        about = int(plan.shown.get("ItemCount", 0))
        begun = plan.begun or await self._begin(plan)
        self._watcher.begins(plan.label, items_about=about, items_before=begun.tally.items)
        if begun.state == "CREATING":
            shown = await made(self._target, plan.written, plan.wanted, self._pause)
            begun.target_created = shown["CreationDateTime"]
            begun.segments = [Segment() for _ in range(self._order.parallel)]
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
        )
        differing: list[str] = []
        if begun.state == "COPYING":
            await copy_items(
                route, begun.segments, parallel=self._order.parallel, noted=self._noted
            )
            differing = await self._compared(plan, begun.tally, route)
        if plan.begun is not None and not self._source.is_live and not differing:
            differing = await self._changed(plan, begun.tally)
        if begun.state == "COPYING" and not differing:
            differing = await finished(self._target, plan.written, plan.wanted, self._pause)
        if differing:
            self._progress.forget([plan.label])
            return differing
        begun.state, begun.segments = "DONE", [Segment(begun.tally, is_done=True)]
        self._progress.save()
        self._watcher.ends(plan.label, begun.tally.items)
        return []

    async def _begin(self, plan: _Plan) -> Begun:
        if plan.replaces:
            await dropped(self._target, plan.written, self._pause)
        begun = Begun("CREATING", plan.shown["CreationDateTime"])
        self._progress.tables[plan.label] = begun
        self._progress.save()
        return begun

    def _noted(self, items: int) -> None:
        self._progress.save()
        self._watcher.moved(items)

    async def _compared(self, plan: _Plan, wanted: Tally, route: Route) -> list[str]:
        """What is different in TO from what was read."""
        self._watcher.compares(plan.label)
        found = await self._tally(self._target, plan.written, route.digest)
        if found == wanted:
            return []
        if found.items == wanted.items and await self._are_same_items(plan, route):
            return []
        named = await named_differences(route)
        counts = f"{wanted.items:,} items were read, {found.items:,} are in {self._target.shown}"
        return [counts, *named]

    async def _are_same_items(self, plan: _Plan, route: Route) -> bool:
        """Whether only their texts differ."""
        if route.digest is digest_of_any_text:
            return False
        source = await self._tally(self._source, plan.read, digest_of_any_text)
        return source == await self._tally(self._target, plan.written, digest_of_any_text)

    async def _tally(self, place: Place, table: Named, digest: Digest) -> Tally:
        parallel, moved = self._order.parallel, self._watcher.moved
        return await tally_of(place, table, digest, parallel=parallel, told=moved)

    async def _changed(self, plan: _Plan, wanted: Tally) -> list[str]:
        """Whether a server has used the directory since an earlier start read it."""
        self._watcher.compares(plan.label)
        if await self._tally(self._source, plan.read, self._digest) == wanted:
            return []
        return [f"items in {self._source.shown} have changed since this copy was begun"]


def _refuse_itself(ends: tuple[Place, Place], shown: dict[str, Any], there: dict[str, Any]) -> None:
    """Two addresses may lead to one server, and --overwrite would delete what is to be read."""
    source, target = ends
    same = shown.get("TableId") == there.get("TableId") is not None
    if same and (source.is_live or target.is_live):
        raise CopyError(
            f"{source.shown} and {target.shown} have the very same table "
            f"{shown['TableName']}: are FROM and TO one place?"
        )


async def chosen(source: Place, names: Sequence[str]) -> list[Named]:
    """The tables of FROM that were asked for. Raises CopyError where there are none of a name."""
    tables = await source.tables()
    if not tables:
        text = f"{source.shown} has no tables"
        if source.shown.startswith("http"):
            text += " for these credentials and this region"
        raise CopyError(text)
    missing = [name for name in names if name not in {table.name for table in tables}]
    if missing:
        there = listed([table.name for table in tables])
        raise CopyError(f"{source.shown} has no table {missing[0]}; it has {there}")
    return [table for table in tables if not names or table.name in names]


def listed(labels: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    text = ", ".join(labels[:_NAMES_SHOWN])
    more = len(labels) - _NAMES_SHOWN
    return f"{text} and {more} more" if more > 0 else text


def _is_of(begun: Begun, shown: dict[str, Any], there: dict[str, Any] | None) -> bool:
    """Whether what was begun is between these two tables, and no later ones of their names."""
    if begun.source_created != shown["CreationDateTime"]:
        return False
    if begun.state == "CREATING":
        return True
    return there is not None and begun.target_created == there["CreationDateTime"]


def _owner(caller: Caller, shown: dict[str, Any]) -> Caller:
    """Who has the table: its ARN knows the account, and the caller the region that was asked."""
    arn = parsed(shown["TableArn"])
    return caller if arn is None else msgspec.structs.replace(caller, account=arn.account)


def _label(table: Named) -> str:
    return f"{table.caller.account}:{table.caller.region}:{table.name}"
