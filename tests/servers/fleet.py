"""Several servers on one database, and what each says of itself."""

import re
from pathlib import Path

from tests.api.refusals import table_request
from tests.copied_pages import fresh
from tests.crash.server import Client, Server
from tests.pace import until


class Fleet:
    """Servers on one place; those that were killed are replaced by `start`."""

    def __init__(self, place: Path | str, count: int, *options: str) -> None:
        self.place = place
        self._options = ("--log-level", "error", "--drain-seconds", "1", *options)
        self.servers: list[Server] = []
        for _ in range(count):
            self.start()

    @property
    def urls(self) -> list[str]:
        return [server.url for server in self.servers]

    def client(self, url: str) -> Client:
        """A client of one of the servers."""
        return Client(url)

    def create(self, table: str) -> None:
        """Create a table with the key `pk`."""
        client = self.client(self.urls[0])
        client.call("CreateTable", **table_request(TableName=table))
        client.close()

    def start(self) -> Server:
        self.servers.append(Server(self.place, *self._options))
        return self.servers[-1]

    def kill(self, server: Server) -> None:
        """As kill -9."""
        self.servers.remove(server)
        server.kill()

    def leader(self) -> Server | None:
        """The one server that says that it leads; None if none does, or one is not told yet."""
        leading = [server for server in self.servers if leads(server)]
        return leading[0] if len(leading) == 1 else None

    def await_leader(self) -> Server:
        """The one that leads, once one does."""
        return until(self.leader)

    def end(self) -> None:
        while self.servers:
            self.servers.pop().terminate()


def leads(server: Server) -> bool:
    """Whether it does the work that one of all servers does."""
    return metric(server, "background_leads") == 1


def metric(server: Server, name: str) -> float:
    """A figure that a server tells; the sum of those with labels."""
    return metric_at(server.url, name)


def metric_at(url: str, name: str) -> float:
    """That of the server at a URL."""
    text = fresh(f"{url}/metrics")
    found = re.findall(rf"^hashrange_{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)
    assert found, "the metric is gone"
    return sum(map(float, found))
