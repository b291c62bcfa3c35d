"""The background services of a server whose data can be put back to a saved state."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Self

from hashrange.assembly.background_services import BackgroundServices
from hashrange.observe.figures import Figures
from hashrange.observe.snapshot import JobState


class RestartedServices:
    """The background services of a server, made anew when its data are put back to another state.

    What tasks remember of the data ends with them.

    Args:
        make: makes the services.
        first: made by it.
    """

    def __init__(
        self, make: Callable[[], Awaitable[BackgroundServices]], first: BackgroundServices
    ) -> None:
        self._make = make
        self._services = first

    @classmethod
    async def of(cls, make: Callable[[], Awaitable[BackgroundServices]]) -> Self:
        """Make the first services."""
        return cls(make, await make())

    def figures(self) -> Figures:
        """As of `BackgroundServices`; counts begin anew with the services."""
        return self._services.figures()

    def jobs(self) -> Sequence[JobState]:
        """As of `BackgroundServices`."""
        return self._services.jobs()

    async def move(self, by_ms: int | None, settles: bool) -> None:  # noqa: FBT001 - see `TimeShift`
        """Move the clock: `TimeShift.move`."""
        await self._services.move(by_ms, settles)

    def begin(self) -> None:
        """As of `BackgroundServices`."""
        self._services.begin()

    async def end(self) -> None:
        """As of `BackgroundServices`."""
        await self._services.end()

    async def without(self, change: Callable[[], Awaitable[None]]) -> None:
        """Change the data while no task runs; then begin with new ones. Raises as `change`."""
        await self._services.end()
        try:
            await change()
            self._services = await self._make()
        finally:
            self._services.begin()
