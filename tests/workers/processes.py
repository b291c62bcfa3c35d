"""The processes of a real server with workers, to be looked at and killed."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.api.tables import keyed
from tests.crash.server import Client, Server
from tests.pace import until

TABLE = "Worked"
WORKERS = 2


class WorkedServer(Server):
    """A server with two workers on a directory."""

    def __init__(self, directory: Path, *options: str) -> None:
        super().__init__(directory, "--workers", str(WORKERS), "--log-level", "error", *options)

    def pids(self, role: str) -> list[int]:
        """Of its processes: `reader`, `writer`."""
        pattern = f" worker {role} "
        found = subprocess.run(
            ["pgrep", "-P", str(self.pid), "-f", pattern],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(pid) for pid in found.stdout.split()]

    def kill_one(self, role: str) -> None:
        """As kill -9; it is gone from the list afterwards."""
        pid = self.pids(role)[0]
        os.kill(pid, signal.SIGKILL)
        until(lambda: pid not in self.pids(role))

    def is_whole(self) -> bool:
        """Whether all its processes run."""
        return len(self.pids("reader")) == WORKERS and len(self.pids("writer")) == 1


def make_table(client: Client, **more: Any) -> None:
    client.call(
        "CreateTable",
        TableName=TABLE,
        **keyed(pk="S"),
        **more,
    )


def put(client: Client, key: str, **values: str) -> None:
    item = {"pk": {"S": key}, **{name: {"S": value} for name, value in values.items()}}
    client.call("PutItem", TableName=TABLE, Item=item)


def put_again(client: Client, key: str) -> None:
    """As an SDK does: a write that the writer took with it may or may not have happened."""

    def answered() -> bool:
        try:
            put(client, key)
        except RuntimeError as error:
            if "InternalServerError" not in str(error):
                raise
            return False
        return True

    until(answered)


def get(client: Client, key: str) -> dict[str, Any] | None:
    """An item; not even asked to be consistent, and it is."""
    item = client.call("GetItem", TableName=TABLE, Key={"pk": {"S": key}}).get("Item")
    return None if item is None else {name: value["S"] for name, value in item.items()}
