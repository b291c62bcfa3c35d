"""Verification of all data: of a directory or a database, and of the data of a running server."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hashrange.assembly.engines.kinds import kind_of
from hashrange.assembly.parts import Parts
from hashrange.background.tasks import Pacer
from hashrange.background.verifier import Moments, Verifier
from hashrange.storage.encryption.sources import KeySource
from hashrange.storage.engine import Engine, StorageError, StorageOpenError
from hashrange.storage.saved_states import FrozenData
from hashrange.storage.sqlite.directory import holds_data, is_in_use

if TYPE_CHECKING:
    from hashrange.tables.verifying.requests import VerifyAnswer


def verify(place: Path | str, key: KeySource | None = None) -> list[str]:
    """Check the data in a directory that no server uses, or in a database.

    `key` is that of an encrypted directory.

    Returns:
        A line for each inconsistency; empty if there is none.

    Raises:
        StorageOpenError: the data cannot be opened.
        StorageError: the data cannot be read.
    """

    async def checked() -> list[str]:
        kind = kind_of(str(place))
        async with kind.opened_to_verify(str(place), key) as (engine, _):

            async def moment() -> Engine:
                return engine

            async def page_findings() -> list[str]:
                return kind.page_findings(engine)

            return await _found(moment, page_findings)

    return asyncio.run(checked())


async def _found(
    moment: Callable[[], Awaitable[Engine]], page_findings: Callable[[], Awaitable[list[str]]]
) -> list[str]:
    """All findings. Raises StorageError: rows cannot be read, and it is not known which."""
    from hashrange.access.identities.verify import identity_findings  # noqa: PLC0415 - few need it
    from hashrange.regions.strong.log_rows import log_row_findings  # noqa: PLC0415
    from hashrange.tables.verifying.damage import unreadable  # noqa: PLC0415
    from hashrange.tables.verifying.verify import findings_of  # noqa: PLC0415

    try:
        found = await findings_of(moment)
        found += await identity_findings(await moment())
        found += await log_row_findings(await moment())
        return found or await page_findings()
    except StorageError:
        found = await unreadable(await moment())
        if not found:
            raise
        return found


def verifier(parts: Parts, freeze: Callable[[str], FrozenData], pacer: Pacer) -> Verifier:
    """The task that verifies the data directory of a server."""
    clock = parts.store.clock

    def moments() -> Moments:
        return Moments(lambda: freeze(""), parts.freezing, clock, pacer=pacer)

    async def found(moments: Moments) -> list[str]:
        return await _found(moments.engine, moments.page_findings)

    return Verifier(parts.settings.data, moments, found)


def is_served(place: str) -> bool:
    """Whether a place is a data directory that a server has. Raises StorageOpenError."""
    return "://" not in place and holds_data(Path(place)) and is_in_use(Path(place))


async def verified_by_server(directory: Path) -> list[str]:
    """Have the server that has a directory verify its data: the findings.

    Raises:
        StorageOpenError: it does not, or verifies them for another command.
        OSError: the directory cannot be written.
    """
    from hashrange.assembly.engines.backing_up import answer_of_server, request_id  # noqa: PLC0415
    from hashrange.backups.directories.manifests import BackupError  # noqa: PLC0415
    from hashrange.tables.verifying.requests import VERIFY_FILES, VerifyRequest  # noqa: PLC0415

    if VERIFY_FILES.asked(directory) is not None:
        raise StorageOpenError(f"the server that has {directory} verifies it for another command")

    def ignore(_: "VerifyAnswer") -> None:
        """Show no progress."""

    request = VerifyRequest(request_id())
    try:
        found = await answer_of_server(VERIFY_FILES, directory, request, ignore)
    except BackupError as error:
        raise StorageOpenError(str(error)) from error
    if found.failure is not None:
        raise StorageOpenError(f"the server that has {directory}: {found.failure}")
    return found.findings
