"""Ways of having several processes on the same tables; another one is a row."""

import os
import uuid
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from tests.crash.server import Server
from tests.engines.postgres_server import url_of
from tests.pace import until
from tests.servers.fleet import Fleet
from tests.workers.processes import WorkedServer


class WorkedFleet(Fleet):
    """One server with workers: of its processes one that reads is killed, the one that writes, all.

    What is left of it starts the others anew.
    """

    def __init__(self, directory: Path) -> None:
        self._roles = cycle(["reader", "writer", None])
        super().__init__(directory, 1)

    def start(self) -> Server:
        if not self.servers:
            self.servers.append(WorkedServer(Path(self.place)))
        return self.servers[0]

    def kill(self, server: Server) -> None:
        assert isinstance(server, WorkedServer)
        role = next(self._roles)
        if role is None:
            super().kill(server)
        else:
            server.kill_one(role)
            until(server.is_whole)


LAUNCHERS: dict[str, Callable[[Path], Fleet]] = {
    "two-servers-on-postgres": lambda _: Fleet(url_of(str(uuid.uuid4())), 2),
    **({"two-workers-on-a-directory": WorkedFleet} if hasattr(os, "fork") else {}),
}
