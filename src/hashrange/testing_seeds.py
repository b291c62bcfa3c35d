"""Puts a server to the states that functions of tests have made: the first use runs the function.

Each further use loads a snapshot instead, which takes milliseconds however long the function does.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from hashrange.testing import Account, DynamoDBServer

T = TypeVar("T")

_EMPTY: Final = "hashrange-empty"


class SeededServer:
    """A server whose data are those that a function of a test has made, and nothing else.

    Args:
        server: started with `testing`, for these tests alone.
    """

    def __init__(self, server: DynamoDBServer) -> None:
        self._server = server
        self._made: dict[Callable[[Account], object], tuple[str, object]] = {}
        self.account: Final = server.account()
        server.snapshots.save(_EMPTY)

    def __call__(self, seed: Callable[[Account], T]) -> T:
        """Put the server to the state that `seed` makes of an empty server; returns its result.

        The function is called once, with the account, and its result is returned each time. It is
        known by its identity: define it in a module, and not in a fixture.

        Raises:
            SnapshotError: the state cannot be saved or loaded.
        """
        known = self._made.get(seed)
        if known is not None:
            name, result = known
            self._server.snapshots.load(name)
        else:
            self.empty()
            name, result = f"seed-{len(self._made)}", seed(self.account)
            self._server.snapshots.save(name)
            self._made[seed] = name, result
        # That of the key, so of this type.
        return result  # type: ignore[return-value]

    def empty(self) -> None:
        """Put the server to a state without any table."""
        self._server.snapshots.load(_EMPTY)

    def save(self, name: str) -> None:
        """Keep the present state under a name. Raises SnapshotError."""
        self._server.snapshots.save(name)

    def load(self, name: str) -> None:
        """Put the server back to a state. Raises SnapshotError."""
        self._server.snapshots.load(name)
