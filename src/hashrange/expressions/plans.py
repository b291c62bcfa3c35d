"""What is kept of requests for the next one of their shape: within bounds, whatever they hold."""

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
P = TypeVar("P")


class Plans(Generic[K, P]):
    """Plans by the shape of their requests.

    A plan takes about a hundred times the memory of its text, so texts are counted and not only
    plans. Where one more is too many all are forgotten: those in use are soon back.

    Args:
        plans_max: that are kept.
        chars_max: characters of all plans that are kept.
        plan_chars_max: characters of one; larger ones are not kept.
    """

    __slots__ = ("_chars", "_chars_max", "_plan_chars_max", "_plans", "_plans_max", "get")

    def __init__(self, *, plans_max: int, chars_max: int, plan_chars_max: int) -> None:
        self._plans: dict[K, P] = {}
        self._chars = 0
        self._plans_max = plans_max
        self._chars_max = chars_max
        self._plan_chars_max = plan_chars_max
        self.get = self._plans.get
        """The plan of a shape; None if none is kept."""

    def keep(self, shape: K, plan: P, chars: int) -> None:
        """Keep a plan that was good; `chars` are those of all texts in it and in its shape."""
        if chars > self._plan_chars_max:
            return
        if len(self._plans) >= self._plans_max or self._chars + chars > self._chars_max:
            self.clear()
        self._plans[shape] = plan
        self._chars += chars

    def clear(self) -> None:
        """Forget all."""
        self._plans.clear()
        self._chars = 0
