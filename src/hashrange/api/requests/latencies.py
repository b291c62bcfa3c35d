"""Answers that take as long as a distribution says, to test time limits of clients.

The latency of a rule is drawn from the log-normal distribution through its p50 and p99, and cut off
at LATENCY_MS_MAX. A request is executed at once and its answer is held, so that a write whose
client has given up has taken effect. A request that takes longer by itself is not held.
"""

from collections.abc import Awaitable, Callable, Sequence
from math import exp, log
from typing import Final

from hashrange.api.pipeline.operation import Performer
from hashrange.api.requests.faults import check_operation
from hashrange.limits.server import HELD_ANSWERS_MAX, LATENCY_MS_MAX
from hashrange.settings.rules import ALL, LatencyRule

_Z99: Final = 2.3263478740408408
"""The 99th percentile of the standard normal distribution."""
_LEAST: Final = 1e-9
"""The draw in place of 0, which has no quantile."""
_NS_A_MS: Final = 1_000_000
_NS: Final = 1_000_000_000


def latency_ms(rule: LatencyRule, drawn: float) -> float:
    """The latency at a quantile `drawn` of a rule's distribution, at most LATENCY_MS_MAX."""
    if rule.p99_ms == rule.p50_ms:
        return rule.p50_ms
    from statistics import NormalDist  # noqa: PLC0415 - few starts need it

    sigma = log(rule.p99_ms / rule.p50_ms) / _Z99
    most = log(LATENCY_MS_MAX)
    return exp(min(most, log(rule.p50_ms) + sigma * NormalDist().inv_cdf(max(drawn, _LEAST))))


class Latencies:
    """Holds answers.

    Args:
        rules: those of the settings; the first that names an operation applies to it, or else the
            first for all operations.
        draw: draws numbers from 0 up to but not including 1.
        monotonic_ns: measures how long a request has taken.
        sleep: waits for seconds, without blocking the loop.

    Attributes:
        held: answers that are held now; further ones beyond HELD_ANSWERS_MAX are not held.

    Raises:
        SettingError: a rule names an operation that does not exist.
    """

    def __init__(
        self,
        rules: Sequence[LatencyRule],
        draw: Callable[[], float],
        monotonic_ns: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        for rule in rules:
            check_operation("--latency", rule.operation)
        self.held = 0
        self._rules = rules
        self._draw = draw
        self._monotonic_ns = monotonic_ns
        self._sleep = sleep

    def wrapped(self, name: str, perform: Performer) -> Performer:
        """A performer that holds the answers of another one, if a rule names its operation."""
        by_operation = {rule.operation: rule for rule in reversed(self._rules)}
        rule = by_operation.get(name, by_operation.get(ALL))
        if rule is None:
            return perform

        async def late(request: object) -> object:
            until_ns = self._monotonic_ns() + int(latency_ms(rule, self._draw()) * _NS_A_MS)
            try:
                answer = await perform(request)
            except Exception:
                await self._hold(until_ns)
                raise
            await self._hold(until_ns)
            return answer

        return late

    async def _hold(self, until_ns: int) -> None:
        left_ns = until_ns - self._monotonic_ns()
        if left_ns <= 0 or self.held >= HELD_ANSWERS_MAX:
            return
        self.held += 1
        try:
            await self._sleep(left_ns / _NS)
        finally:
            self.held -= 1
