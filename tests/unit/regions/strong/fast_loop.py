"""An event loop in which nobody waits: when all sleep, its time goes on to the next one."""

import asyncio
import selectors


class _Selector(selectors.DefaultSelector):
    skipped = 0.0

    def select(self, timeout=None):
        found = super().select(0 if timeout is None or timeout > 0 else timeout)
        if not found and timeout is not None and timeout > 0:
            self.skipped += timeout
        return found


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._skipping = _Selector()
        super().__init__(self._skipping)

    def time(self):
        return super().time() + self._skipping.skipped

    async def shutdown_default_executor(self, timeout=None):  # noqa: ASYNC109 - as the base
        """Without the limit of `Runner`, which would pass before a thread has ended."""
        await super().shutdown_default_executor()


async def passes(seconds):
    """So much time, by the loop's clock."""
    await asyncio.sleep(seconds)


def run(coroutine):
    """Run a coroutine, whose sleeps take no time."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(coroutine)
