"""The snapshots of a server under test: save its data under a name, and put it back to them.

The server must have been started with `--testing`. A snapshot has everything that the server keeps:
tables, items, indexes, streams, backups, of all accounts. A load takes milliseconds.
"""

from collections.abc import Mapping
from typing import Any, Final

from hashrange.testing_pages import answer_of

_PATH: Final = "/testing/snapshots"


class SnapshotError(RuntimeError):
    """A snapshot was not saved, loaded or deleted. The text says why."""


class ServerSnapshots:
    """The snapshots of one server.

    Args:
        endpoint: the server's URL; if None, AWS_ENDPOINT_URL_DYNAMODB at the time of a call, or
            http://127.0.0.1:8000.
    """

    def __init__(self, endpoint: str | None = None) -> None:
        self._endpoint = endpoint

    def save(self, name: str) -> None:
        """Keep the data as they are now, in the place of an earlier snapshot of that name.

        Raises:
            SnapshotError: it cannot be saved.
            OSError: the server does not answer.
        """
        self._answer("POST", {"save": name})

    def load(self, name: str) -> None:
        """Put the server back to a snapshot, as a whole and for all accounts.

        Iterators of shards that were made before are expired. Raises as `save`.
        """
        self._answer("POST", {"load": name})

    def delete(self, name: str) -> None:
        """Forget a snapshot. Raises as `save`."""
        self._answer("POST", {"delete": name})

    def sizes(self) -> dict[str, int]:
        """The bytes of each snapshot, by name. Raises as `save`."""
        return {each["name"]: each["bytes"] for each in self._answer("GET", None)["snapshots"]}

    def _answer(self, method: str, body: Mapping[str, object] | None) -> dict[str, Any]:
        return answer_of(
            self._endpoint,
            _PATH,
            (method, body),
            SnapshotError,
            absent="has no snapshots; start hashrange with --testing",
        )
