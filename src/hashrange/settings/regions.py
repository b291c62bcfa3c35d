"""The settings of regions, replicas and their servers, and of backups of all data."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from hashrange.settings.kinds import CUTS, FILE, INTERVAL, KEPT, PEERS, REGIONS, TEXT, whole
from hashrange.settings.peers import PeerAddress, peer_addresses


class BackupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    backup_to: Annotated[
        str | None,
        TEXT,
        "Directory or bucket (s3://NAME, https://HOST/NAME) that backups of the data directory, or "
        "of the database, are stored in, with --backup-every; docs/backups.md.",
    ] = None
    backup_every: Annotated[
        str | None, INTERVAL, "Interval of these backups; each stores what has changed."
    ] = None
    backup_keep: Annotated[
        str,
        KEPT,
        "Which of them are kept: the newest N, and the newest of each of N days, weeks and months.",
    ] = "all"
    scrub_days: Annotated[
        int | None,
        whole(1, 365),
        "Read all rows once in so many days, and compare the checksums of items; damage is "
        "reported. Not set: never.",
    ] = None


_MS_MAX: Final = 60 * 60 * 1000
_SECONDS_MAX: Final = 30 * 24 * 60 * 60


class RegionSettings(BackupSettings, frozen=True, kw_only=True):
    """A part of the settings of a server."""

    regions: Annotated[
        str | None, REGIONS, "Regions of replicas of tables; implies --namespaces separate."
    ] = None
    replication_cut: Annotated[
        str | None,
        CUTS,
        "Let changes of one region of this server not reach another, or *, from a time after the "
        "start to another, or for good. May be repeated; or several with semicolons between them.",
    ] = None
    replication_delay_ms: Annotated[
        int, whole(0, _MS_MAX), "Age in milliseconds at which changes reach other replicas."
    ] = 0
    peer: Annotated[
        str | None,
        PEERS,
        "The server that holds another region, for global tables between servers: "
        "docs/global-tables.md. May be repeated; or several with semicolons between them.",
    ] = None
    peer_key_file: Annotated[
        Path | None,
        FILE,
        "File of the key that all these servers share, of at least 32 characters; they sign what "
        "they send each other with it. Needed unless all of them are on this machine.",
    ] = None
    peer_ca: Annotated[
        Path | None,
        FILE,
        "PEM file of the issuers of their certificates. Not set: those that the system trusts.",
    ] = None
    peer_log_seconds: Annotated[
        int,
        whole(1, _SECONDS_MAX),
        "Seconds for which changes are kept for a server that is away; one that is away for longer "
        "gets a copy of what was changed meanwhile.",
    ] = 24 * 60 * 60

    @property
    def own_regions(self) -> tuple[str, ...]:
        """The regions of `regions`, which this server holds."""
        return () if self.regions is None else tuple(self.regions.split(","))

    @property
    def peers(self) -> tuple[PeerAddress, ...]:
        """The servers of `peer`."""
        return () if self.peer is None else peer_addresses(self.peer)

    @property
    def replica_regions(self) -> tuple[str, ...]:
        """The regions where a table can have replicas: those of this server and of its peers."""
        return (*self.own_regions, *(each.region for each in self.peers))
