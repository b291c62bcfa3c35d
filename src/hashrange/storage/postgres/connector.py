"""Makes the connections of a pool: tuned, and to the server that has confirmed the read lease."""

from collections.abc import Mapping
from typing import Any, Final

import asyncpg

from hashrange.storage.postgres.hosts import Hosts
from hashrange.storage.postgres.lease import Lease, Primary
from hashrange.storage.postgres.schema import TUNE
from hashrange.storage.postgres.statements import PRIMARY, REPLICATION

BELOW_ON: Final = frozenset(("off", "local", "remote_write"))
"""Values of `synchronous_commit` with which a standby may miss an acknowledged write."""


class Connector:
    """Makes connections, and reads how the database replicates.

    Args:
        hosts: of the database.
        tuning: settings of the connections.

    Attributes:
        hosts: as given.
        lease: without which nothing is read or written; None if there is none.
        standbys: the synchronous standbys of the database.
        fault: why a failover may lose acknowledged writes; None if it does not.
    """

    def __init__(self, hosts: Hosts, tuning: Mapping[str, str]) -> None:
        self._tuning = tuning
        self.hosts = hosts
        self.lease: Lease | None = None
        self.standbys = ""
        self.fault: str | None = None

    async def connect(self, _dsn: str | None = None, **options: Any) -> Any:
        """A new connection, as `Hosts.connect`."""
        return await self.hosts.connect(self._accept, **options)

    async def tune(self, connection: Any) -> None:
        """Prepare a new connection."""
        await connection.fetch(TUNE, list(self._tuning), list(self._tuning.values()))

    async def look_at(self, connection: Any) -> None:
        """Read how the database replicates."""
        self.standbys, commit = await connection.fetchrow(REPLICATION)
        several = self.hosts.are_several
        self.fault = replication_fault(self.standbys, commit, are_several=several)

    async def _accept(self, connection: Any) -> None:
        await self.tune(connection)
        if self.lease is not None and self.lease.primary is not None:
            primary = Primary(*await connection.fetchrow(PRIMARY))
            if primary != self.lease.primary:
                raise asyncpg.InterfaceError("it is not the primary that has confirmed the lease")


def replication_fault(standbys: str, commit: str, *, are_several: bool) -> str | None:
    """Why a failover may lose acknowledged writes; None if it does not, or with one host.

    Args:
        standbys: `synchronous_standby_names`.
        commit: `synchronous_commit`.
        are_several: whether the URL has several hosts.
    """
    if not are_several or (standbys and commit not in BELOW_ON):
        return None
    reason = f"synchronous_commit is {commit}" if standbys else "no standby is synchronous"
    return f"a failover may lose acknowledged writes: {reason}"
