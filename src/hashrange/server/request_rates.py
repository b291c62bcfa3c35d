"""Limits of requests a second, for each principal: the setting `requests_per_second_max`."""

from collections.abc import Callable
from typing import Final

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import PRINCIPAL_RATES_MAX
from hashrange.messages.access import too_many_requests

_NAME_CHARS_MAX: Final = 2048
"""Of an ARN, as IAM has it."""
_NS_PER_S: Final = 1_000_000_000


class Budget:
    """The requests that a principal may make now: what it may make in a second, at most.

    Args:
        requests_max: in a second.
        monotonic_ns: the clock.
    """

    __slots__ = ("_full_at_ns", "_max", "_monotonic_ns", "_request_ns")

    def __init__(self, requests_max: int, monotonic_ns: Callable[[], int]) -> None:
        self._max = requests_max
        self._request_ns = _NS_PER_S // requests_max
        self._monotonic_ns = monotonic_ns
        self._full_at_ns = 0

    def spend(self) -> None:
        """Count a request. Raises DynamoError, and counts nothing, if there are too many."""
        now_ns = self._monotonic_ns()
        full_at_ns = max(self._full_at_ns, now_ns) + self._request_ns
        if full_at_ns > now_ns + _NS_PER_S:
            raise DynamoError(Fault.THROTTLED, too_many_requests(self._max))
        self._full_at_ns = full_at_ns


class RequestRates:
    """The budgets of principals.

    Args:
        requests_max: of a principal in a second; None for no limit.
        monotonic_ns: the clock.
    """

    def __init__(self, requests_max: int | None, monotonic_ns: Callable[[], int]) -> None:
        self._max = requests_max
        self._monotonic_ns = monotonic_ns
        self._budgets = BoundedCache[str, Budget](
            entries_max=PRINCIPAL_RATES_MAX,
            chars_max=PRINCIPAL_RATES_MAX * _NAME_CHARS_MAX,
            entry_chars_max=_NAME_CHARS_MAX,
        )

    def budget(self, principal: str) -> Budget | None:
        """The budget of a principal; None if there is no limit."""
        if self._max is None:
            return None
        found = self._budgets.get(principal)
        if found is None:
            found = Budget(self._max, self._monotonic_ns)
            self._budgets.keep(principal, found, len(principal))
        return found
