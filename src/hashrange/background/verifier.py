"""The task that verifies the data directory of a server that runs, when `hashrange verify` asks.

All that is compared is read at one moment, in which the data file is kept as it is: requests that
write meanwhile make no finding. A table that takes long has a moment of its own.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from hashrange.background.tasks import Pacer
from hashrange.clock import Clock
from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences, Pair, StorageError
from hashrange.storage.request_files import LOOK_SECONDS
from hashrange.storage.saved_states import FrozenData
from hashrange.tables.keys.key_ranges import SmallPages
from hashrange.tables.verifying.requests import VERIFY_FILES, VerifyAnswer, VerifyRequest

MOMENT_NS: Final = 10 * 1_000_000_000
"""After this time the next table is read at a later moment: the write-ahead log is copied, and a
backup that waits is made."""
WORK_NS: Final = 2_000_000
"""After this time requests come first."""
_FREEZES: Final = 30
"""Attempts, one in a second: other processes of the server may read without a pause."""

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)


class VerificationError(Exception):
    """The data could not be verified to the end. The text is for the operator."""


class PacedEngine(SmallPages):
    """The rows of a frozen data file; the caller pauses for requests. Writes fail.

    Args:
        frozen: the file.
        pacer: of the background tasks.
        monotonic_ns: the clock.
    """

    def __init__(self, frozen: FrozenData, pacer: Pacer, monotonic_ns: Callable[[], int]) -> None:
        self._frozen = frozen
        self._engine = frozen.engine
        self._pacer = pacer
        self._monotonic_ns = monotonic_ns
        self._began_ns = monotonic_ns()
        self.key_bytes_max = frozen.engine.key_bytes_max

    async def read(
        self, keys: Sequence[bytes], *, fences: Fences = NO_FENCES
    ) -> list[bytes | None]:
        """As `Engine.read`. Raises VerificationError."""
        await self._pause()
        return await self._engine.read(keys, fences=fences)

    async def scan(
        self,
        start: bytes,
        end: bytes,
        *,
        limit: int,
        bytes_max: int,
        reverse: bool = False,
        fences: Fences = NO_FENCES,
    ) -> list[Pair]:
        """As `Engine.scan`. Raises VerificationError."""
        await self._pause()
        return await self._engine.scan(
            start, end, limit=limit, bytes_max=bytes_max, reverse=reverse, fences=fences
        )

    async def write(
        self,
        keys: Sequence[bytes],  # noqa: ARG002 - as every engine has it
        decide: Callable[[list[bytes | None]], Changes[T]],  # noqa: ARG002
        *,
        fences: Fences = NO_FENCES,  # noqa: ARG002
    ) -> T:
        """Raises StorageError."""
        raise StorageError("the data are only read")

    async def _pause(self) -> None:
        if self._monotonic_ns() - self._began_ns >= WORK_NS:
            await self._pacer.pause(self._began_ns)
            self._began_ns = self._monotonic_ns()
        try:
            self._frozen.check()
        except StorageError as error:
            raise VerificationError(str(error)) from error


class Moments:
    """The data at moments, one after another.

    Args:
        freeze: keeps the data file as it is.
        turn: is held by who keeps it so.
        clock: that of the server.
        pacer: of the background tasks.
    """

    def __init__(
        self,
        freeze: Callable[[], FrozenData],
        turn: asyncio.Lock,
        clock: Clock,
        *,
        pacer: Pacer,
    ) -> None:
        self._freeze = freeze
        self._turn = turn
        self._clock = clock
        self._pacer = pacer
        self._frozen: FrozenData | None = None
        self._engine: Engine | None = None
        self._began_ns = 0

    async def engine(self) -> Engine:
        """The engine of the last moment, or of a new one. Raises VerificationError."""
        now_ns = self._clock.monotonic_ns
        if self._engine is None or now_ns() - self._began_ns >= MOMENT_NS:
            self.close()
            await self._turn.acquire()
            try:
                self._frozen = await self._frozen_data()
            except BaseException:
                self._turn.release()
                raise
            self._began_ns = now_ns()
            self._engine = PacedEngine(self._frozen, self._pacer, now_ns)
        return self._engine

    async def page_findings(self) -> list[str]:
        """Faults of the pages of the last moment."""
        assert self._frozen is not None, "its rows were read"
        return await asyncio.to_thread(self._frozen.damage)

    def close(self) -> None:
        """Let the data file change."""
        frozen, self._frozen, self._engine = self._frozen, None, None
        if frozen is not None:
            frozen.close()
            self._turn.release()

    async def _frozen_data(self) -> FrozenData:
        for _ in range(_FREEZES - 1):
            with suppress(StorageError):
                return self._freeze()
            await asyncio.sleep(LOOK_SECONDS)
        try:
            return self._freeze()
        except (StorageError, OSError) as error:
            raise VerificationError(str(error)) from error


Find: TypeAlias = Callable[[Moments], Awaitable[list[str]]]
"""Finds what is inconsistent. Raises VerificationError, StorageError."""


class Verifier:
    """Verifies the data when a command asks; one at a time.

    Args:
        directory: the data directory, where commands ask.
        moments: makes the moments of a verification.
        find: verifies.
    """

    def __init__(self, directory: Path, moments: Callable[[], Moments], find: Find) -> None:
        self._directory = directory
        self._moments = moments
        self._find = find

    async def run(self) -> None:
        """Answer requests until this is cancelled."""
        while True:
            request = VERIFY_FILES.asked(self._directory)
            if request is not None:
                await self._answer(request)
            await asyncio.sleep(LOOK_SECONDS)

    async def _answer(self, request: VerifyRequest) -> None:
        """Verify, unless the command withdraws its request meanwhile."""
        self._report(VerifyAnswer(id=request.id))
        verifying = asyncio.create_task(self._answer_to(request))
        try:
            while not verifying.done() and VERIFY_FILES.asked(self._directory) == request:
                await asyncio.wait([verifying], timeout=LOOK_SECONDS)
        finally:
            verifying.cancel()
            await asyncio.wait([verifying])
        if not verifying.cancelled():
            found = verifying.result()
            _log_result(found)
            self._report(found)

    async def _answer_to(self, request: VerifyRequest) -> VerifyAnswer:
        moments, findings, failure = self._moments(), list[str](), None
        try:
            findings = await self._find(moments)
        except (StorageError, VerificationError) as error:
            failure = str(error)
        finally:
            moments.close()
        return VerifyAnswer(id=request.id, has_ended=True, failure=failure, findings=findings)

    def _report(self, answer: VerifyAnswer) -> None:
        try:
            VERIFY_FILES.answer(self._directory, answer)
        except OSError:
            _log.warning("the result of a verification cannot be reported", exc_info=True)


def _log_result(found: VerifyAnswer) -> None:
    for finding in found.findings:
        _log.error("verify: %s", finding)
    if found.failure is not None:
        _log.error("the data were not verified: %s", found.failure)
    elif not found.findings:
        _log.info("the data were verified: they are sound")
