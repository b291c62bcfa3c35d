"""`hashrange copy --follow`: moves tables between endpoints while they are written."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hashrange.cli.endpoints import Address, reached_at
from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.tools.copying.copy import Watcher
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.sinks.moving import Move
    from hashrange.tools.sinks.positions import StateFile


class MoveOptions(msgspec.Struct, frozen=True):
    """The options of a move."""

    names: Sequence[str]
    """Names of tables; empty for all tables."""
    finishes: bool


def move_of(options: dict[str, Any]) -> MoveOptions | None:
    """The options of a move, None for a copy; its own are taken out. Raises Misuse."""
    follows, finishes = options.pop("follow"), options.pop("finish")
    if not (follows or finishes):
        return None
    if options["overwrite"] or options["mask"]:
        raise Misuse("--follow and --finish take neither --overwrite nor --mask")
    return MoveOptions(options["names"], finishes)


async def moved(
    ends: tuple[Address | None, Address | None],
    options: MoveOptions,
    progress: Path | None,
    watcher: "Watcher",
) -> bool:
    """Follow until it is stopped, or finish; whether nothing differs at the end.

    Raises Misuse: a place is no endpoint; CopyError, OSError.
    """
    from hashrange.tools.copying.copy import selected_tables
    from hashrange.tools.copying.progress import file_name
    from hashrange.tools.sinks.positions import StateFile

    source, target = ends
    if source is None or target is None:
        raise Misuse("--follow and --finish are for endpoints: start servers on both places")
    path = progress or Path(file_name(source.url, target.url).replace("-copy-", "-follow-"))
    async with reached_at(source) as read, reached_at(target) as written:
        tables = sorted(table.name for table in await selected_tables(read, options.names))
        state = StateFile(path, f"{source.url} {target.url} {' '.join(tables)}")
        with state.opened():
            move = _move((read, written), tables, state, watcher)
            if not options.finishes:
                await move.follow()
            differing = await move.finish()
    for text in differing:
        watcher.differs(text)
    if not differing:
        path.unlink(missing_ok=True)
    return not differing


def _move(
    places: "tuple[Endpoint, Endpoint]",
    tables: Sequence[str],
    state: "StateFile",
    watcher: "Watcher",
) -> "Move":
    from hashrange.clock import SystemClock
    from hashrange.tools.sinks.figures import SinkFigures
    from hashrange.tools.sinks.moving import Move
    from hashrange.tools.sinks.replication import Process

    clock = SystemClock()
    figures = SinkFigures(clock.now_ms)
    process = Process(clock=clock, pause=asyncio.sleep, note=watcher.note, figures=figures)
    return Move(*places, tables, state, process=process)
