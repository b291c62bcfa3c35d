"""`hashrange copy FROM TO`: copies all tables and compares them."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import gc
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from hashrange.cli.encryption_keys import key_options, key_settings
from hashrange.cli.endpoints import AWS, Address, address_of, reached_at
from hashrange.cli.masking_options import TableMasks, mask_options, masking_of
from hashrange.cli.refusals import REFUSED, Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.clock import Clock
    from hashrange.settings.settings import Settings
    from hashrange.tools.copying.copy import CopyOptions, Watcher
    from hashrange.tools.copying.place import Place

PARALLEL_MAX: Final = 64
_CONNECTIONS_PER_SEGMENT: Final = 4
"""Batches of one page that are sent to an endpoint at the same time."""
_GARBAGE_ALLOCATIONS: Final = 50_000
_looks_like_an_address: Final = re.compile(r"[\w.-]+:[0-9]+/?").fullmatch
_scheme: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://").match

_OF_DYNAMODB_LOCAL: Final = """\
{path} is a database of DynamoDB Local, which hashrange does not read: start DynamoDB Local with \
-dbPath {directory} -port 8001, and run: hashrange copy http://127.0.0.1:8001 {target}"""
_LIVE: Final = """\
Note: {place} accepts writes during the copy, so the copy is not a snapshot: changes made \
meanwhile may or may not be in it."""


@click.command()
@click.argument("source", metavar="FROM", type=click.Path())
@click.argument("target", metavar="TO", type=click.Path())
@click.option(
    "--table", "names", metavar="NAME", multiple=True, help="Copy only this table; repeatable."
)
@click.option("--overwrite", is_flag=True, help="Replace tables that exist in TO.")
@click.option(
    "--parallel",
    metavar="N",
    type=click.IntRange(1, PARALLEL_MAX),
    default=4,
    show_default=True,
    help="Segments of a table that are copied at the same time.",
)
@click.option(
    "--progress",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to keep the progress  [default: hashrange-copy-….json in this folder]",
)
@click.option("--follow", is_flag=True, help="Copy tables that are written, and their changes.")
@click.option("--finish", is_flag=True, help="End what --follow began, once writes have stopped.")
@click.option("--quiet", is_flag=True, help="Print differences and errors only.")
@key_options
@click.option("--encrypt", is_flag=True, help="Encrypt a new data directory TO with the key.")
@click.option("--profile", metavar="NAME", help="Profile of the shared AWS files, for endpoints.")
@click.option("--region", metavar="NAME", help="Region of requests  [default: AWS_REGION]")
@click.option("--to-profile", metavar="NAME", help="The profile for TO  [default: --profile]")
@click.option("--to-region", metavar="NAME", help="The region for TO  [default: --region]")
@mask_options
@click.pass_context
def copy(
    context: click.Context,
    /,
    source: str,
    target: str,
    *,
    progress: Path | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Copy all tables from FROM to TO, and compare them.

    Each is a data directory that no server uses, a database (postgresql://…), or an endpoint of the
    API (http://…, https://…): hashrange, DynamoDB Local, moto, AWS (aws, in the region).

    Copies items, keys, indexes, billing mode and throughput, table class, tags, the stream setting,
    time to live and deletion protection. A table that exists in TO is refused before anything is
    changed. At the end all items in TO are read again and compared. The exit code is 0 if nothing
    differs, 1 if something differs or the copy failed, 2 if the arguments cannot be used.

    If it is stopped or fails, run the same command again: it continues from the progress file in
    this folder, which is removed at the end.

    The key of --encryption-key-file is that of both places, where they are encrypted directories.

    Requests to an endpoint are signed with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
    AWS_SESSION_TOKEN and AWS_REGION, or with the keys of --profile. Without them made-up
    credentials are sent, which any server but AWS accepts. With one AWS endpoint, --profile is its.

    --mask replaces values in the copies, so that a copy of production has no personal data; its
    items are compared as masked.

    --follow moves tables between endpoints while they are written: it copies each change, until it
    is stopped. Stop the writes to FROM, and run it with --finish: this compares all items, and
    fails if FROM is still written.

    \b
    Examples:
      hashrange copy http://127.0.0.1:8001 hashrange-data
      hashrange copy hashrange-data postgresql://app@db.example/app
      hashrange copy hashrange-data http://127.0.0.1:8000 --table Orders
      hashrange copy https://dynamodb.eu-west-1.amazonaws.com from-aws
      hashrange copy aws http://127.0.0.1:8000 --profile prod --mask email=fake --mask phone=drop
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.cli.copy_follow import move_of, moved
    from hashrange.server.loop import run

    ends = addresses(source, target, options)
    source, target = (ends[0].url if ends[0] else source), (ends[1].url if ends[1] else target)
    _check(source, target)
    with _failures(), _watching(quiet=quiet) as watcher:
        if (move := move_of(options)) is not None:
            same = run(moved(ends, move, progress, watcher))
        else:
            same = _copied_once((source, target), ends, options, progress=progress, watcher=watcher)
    if not same:
        context.exit(REFUSED)
    if not quiet:
        click.echo(f"{_shown(target)}: copied and verified.")


def _copied_once(
    names: tuple[str, str],
    ends: tuple[Address | None, Address | None],
    options: dict[str, Any],
    *,
    progress: Path | None,
    watcher: "Watcher",
) -> bool:
    """Copy the tables; whether FROM and TO are equal at the end."""
    from hashrange.server.loop import run
    from hashrange.tools.copying.copy import CopyOptions

    key, encrypts = _key(options, names[1])
    # Decoded items leave no cycles; frequent garbage collections would cost an eighth of the time.
    gc.set_threshold(_GARBAGE_ALLOCATIONS)
    masks = TableMasks(masking_of(options))
    chosen = CopyOptions(altering=masks.altering, **options)
    places = _Places(names, ends, key, encrypts=encrypts, mask=masks.fingerprint)
    same = run(_copied(places, options=chosen, watcher=watcher, progress=progress))
    for note in masks.notes:
        watcher.note(note)
    return same


def _key(options: dict[str, Any], target: str) -> tuple["Settings", bool]:
    """The settings of the key, and whether TO is to be encrypted. Raises Misuse."""
    key, encrypts = key_settings(options), options.pop("encrypt")
    if encrypts and (not key.encrypt or "://" in target):
        raise Misuse("--encrypt needs a data directory TO, and a key: --encryption-key-file")
    return key, encrypts


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """Raise errors within the context as Misuse or Refusal, which are printed as one line."""
    from hashrange.storage.engine import StorageError, StorageOpenError
    from hashrange.tools.copying.place import CopyError
    from hashrange.tools.scanning.expressions import InputError

    try:
        try:
            yield
        except BaseExceptionGroup as group:
            # Segments that failed together most likely have the same cause.
            raise _first(group) from group
    except (StorageOpenError, InputError) as error:
        raise Misuse(str(error)) from error
    except (CopyError, StorageError, OSError) as error:
        raise Refusal(str(error)) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped; run the same command again to continue") from error


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def addresses(
    source: str, target: str, options: dict[str, Any]
) -> tuple[Address | None, Address | None]:
    """FROM and TO as endpoints, None for others; their options are taken out. Raises Misuse."""
    from hashrange.tools.copying.endpoint import ENDPOINTS, endpoint_parts, region_of

    profile, region = options.pop("profile"), options.pop("region")
    to_profile, to_region = options.pop("to_profile"), options.pop("to_region")
    places = {"FROM": source, "TO": target}
    are_aws = {
        name: (place == AWS and not Path(place).exists())
        or (place.startswith(ENDPOINTS) and region_of(place) is not None)
        for name, place in places.items()
    }
    found: list[Address | None] = []
    for name, own_profile, own_region in (
        ("FROM", None, None),
        ("TO", to_profile, to_region),
    ):
        place, is_aws = places[name], are_aws[name]
        if place.startswith(ENDPOINTS):
            try:
                endpoint_parts(place)
            except ValueError as error:
                raise Misuse(f"{name}: {error}") from error
        elif not is_aws:
            found.append(None)
            continue
        # A local server must not get the keys of a person that are meant for AWS.
        shared = profile if is_aws or not any(are_aws.values()) else None
        found.append(address_of(place, own_profile or shared, own_region or region))
    return found[0], found[1]


def _check(source: str, target: str) -> None:
    """Refuse invalid places before anything is opened or created. Raises Misuse."""
    from hashrange.tools.copying.endpoint import ENDPOINTS

    for name, place in (("FROM", source), ("TO", target)):
        if place.startswith(ENDPOINTS):
            continue
        if (scheme := _scheme(place)) and scheme[1] not in {"postgresql", "postgres"}:
            raise Misuse(f"{name}: {scheme[1]}:// is not supported; see hashrange copy --help")
        if _looks_like_an_address(place) and not Path(place).exists():
            raise Misuse(f"{name}: {place} is not a directory; did you mean http://{place}?")
    _check_source(source, target)
    if _resolved(source) == _resolved(target):
        raise Misuse(f"FROM and TO are the same place: {_shown(source)}")


def _check_source(source: str, target: str) -> None:
    """Refuse files that are not a data directory, with advice. Raises Misuse."""
    from hashrange.cli.serve import of_dynamodb_local
    from hashrange.storage.sqlite.directory import holds_data

    if "://" in source:
        return
    path = Path(source)
    folder = path.parent if path.is_file() else path
    if holds_data(folder):
        if path.is_file():
            raise Misuse(f"FROM: {source} is a file; give the directory that contains it")
        return
    for file in of_dynamodb_local(folder):
        raise Misuse(
            f"FROM: {_OF_DYNAMODB_LOCAL.format(path=file, directory=folder, target=_shown(target))}"
        )


def _resolved(place: str) -> str:
    return place.rstrip("/") if "://" in place else str(Path(place).resolve())


def _identity(place: str) -> str:
    """A name of the place for the progress file: the same for each spelling, without passwords."""
    return _shown(_resolved(place))


def _shown(place: str) -> str:
    from hashrange.assembly.engines.kinds import shown

    return shown(place)


@contextlib.contextmanager
def _watching(*, quiet: bool) -> "Iterator[Watcher]":
    from rich.console import Console

    from hashrange.cli.copy_view import Bar, Lines, Quiet
    from hashrange.clock import SystemClock

    if quiet:
        yield Quiet()
    elif sys.stdout.isatty():
        with Bar(Console()) as bar:
            yield bar
    else:
        yield Lines(SystemClock().monotonic_ns)


class _Places:
    """FROM and TO: endpoints, or places with the key of those that are encrypted directories."""

    def __init__(
        self,
        places: tuple[str, str],
        ends: tuple[Address | None, Address | None],
        key: "Settings",
        *,
        encrypts: bool,
        mask: str | None,
    ) -> None:
        self.source, self.target = places
        self.mask = mask
        self._from, self._to = ends
        self._key, self._encrypts = key, encrypts

    def opened_source(
        self, clock: "Clock", *, connections: int
    ) -> "contextlib.AbstractAsyncContextManager[Place]":
        from hashrange.assembly.engines.embedded import key_source
        from hashrange.tools.copying.local import opened_source

        if self._from is not None:
            return reached_at(self._from, connections=connections)
        return opened_source(self.source, clock, key_source(self._key))

    def opened_target(
        self, clock: "Clock", *, separate: bool, connections: int
    ) -> "contextlib.AbstractAsyncContextManager[Place]":
        from hashrange.assembly.engines.embedded import has_encrypted_data
        from hashrange.assembly.engines.kinds import kind_of
        from hashrange.tools.copying.local import opened_target

        if self._to is not None:
            return reached_at(self._to, connections=connections)
        kind = kind_of(self.target)
        if not kind.encrypts:
            return opened_target(kind.settings_of(self.target), clock, separate=separate)
        path = Path(self.target)
        encrypts = self._encrypts or (self._key.encrypt and has_encrypted_data(path))
        settings = msgspec.structs.replace(self._key, data=path, encrypt=encrypts)
        return opened_target(settings, clock, separate=separate)


async def _copied(
    places: _Places, *, options: "CopyOptions", watcher: "Watcher", progress: Path | None
) -> bool:
    """Copy the tables; whether FROM and TO are equal at the end.

    TO is created only when the tables are known to exist in FROM.
    """
    from hashrange.clock import SystemClock
    from hashrange.tools.copying.copy import Copy, selected_tables
    from hashrange.tools.copying.place import CopyError
    from hashrange.tools.copying.progress import Progress, file_name

    clock, source, target = SystemClock(), places.source, places.target
    connections = options.parallel * _CONNECTIONS_PER_SEGMENT
    async with contextlib.AsyncExitStack() as stack:
        opening = places.opened_source(clock, connections=connections)
        read_from: Place = await stack.enter_async_context(opening)
        tables = await selected_tables(read_from, options.names)
        opening = places.opened_target(clock, separate=read_from.separate, connections=connections)
        written_to: Place = await stack.enter_async_context(opening)
        path = progress or Path(file_name(_resolved(source), _resolved(target)))
        # Progress with other masks is that of another copy.
        masked = "" if places.mask is None else f" masked {places.mask}"
        saved = Progress.of(path, _identity(source) + masked, _identity(target))
        if read_from.is_live:
            watcher.note(_LIVE.format(place=read_from.shown))
        copying = Copy(read_from, written_to, options=options, progress=saved, watcher=watcher)
        try:
            return not await copying.run(tables)
        except (BaseExceptionGroup, CopyError) as error:
            fault = _first(error)
            if isinstance(fault, CopyError) and copying.has_begun:
                raise CopyError(f"{fault}; run the same command again to continue") from error
            raise
