"""Settings that exclude each other, or need each other."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hashrange.settings.archives import archive_rules
from hashrange.settings.buckets import bucket_locations
from hashrange.settings.kinds import SQLITE, Auth, Namespaces, Tls

if TYPE_CHECKING:
    from hashrange.settings.settings import Settings

KEYS: Final = {
    "encryption_key_file": "--encryption-key-file",
    "encryption_key_command": "--encryption-key-command",
    "encryption_key": "HASHRANGE_ENCRYPTION_KEY",
}
"""The settings that give the key of an encrypted directory, of which one is given: as shown."""


def conflict_of(settings: "Settings", *, names_data: bool) -> str | None:
    """Why settings cannot be used together, in one line; None if they can.

    `names_data`: the data directory is named on the command line.
    """
    if settings.memory and names_data:
        return "--data cannot be combined with --memory, which keeps nothing on disk"
    if settings.engine != SQLITE and (settings.memory or names_data):
        return "--engine with a URL cannot be combined with --data or --memory"
    if settings.testing and settings.engine != SQLITE:
        return "--testing is for SQLite: other servers on a database have other clocks"
    if settings.regions is not None and settings.namespaces is not Namespaces.SEPARATE:
        return "--regions cannot be combined with --namespaces shared: each region has its tables"
    if settings.requests_per_second_max is not None and settings.auth is Auth.OFF:
        return "--requests-per-second-max needs --auth required: it counts by user"
    return (
        _of_tls(settings)
        or _of_encryption(settings)
        or _of_workers(settings)
        or _of_audit(settings)
        or _of_buckets(settings)
        or _of_archives(settings)
        or _of_backups(settings)
        or _of_peers(settings)
    )


def _of_peers(settings: "Settings") -> str | None:
    own, has_key = settings.own_regions, settings.peer_key_file is not None
    if not settings.peers:
        if len(own) == 1:
            return "--regions needs two or more regions, or --peer: a replica is in another region"
        given = has_key or settings.peer_ca is not None
        return "--peer-key-file and --peer-ca need --peer" if given else None
    if not own:
        return "--peer needs --regions: the regions that this server holds"
    both = [each.region for each in settings.peers if each.region in own]
    if both:
        return f"--peer {both[0]} is one of --regions: this server holds it"
    if settings.workers is not None:
        return "--peer cannot be combined with --workers"
    return _of_peer_access(settings, has_key=has_key)


def _of_peer_access(settings: "Settings", *, has_key: bool) -> str | None:
    is_open, peers = settings.auth is Auth.OFF, settings.peers
    if not has_key and not (is_open and all(each.is_local for each in peers)):
        return (
            "--peer needs --peer-key-file, unless all servers are on this machine and --auth is off"
        )
    plain = [each.region for each in peers if not (each.is_secure or each.is_local)]
    if is_open or not plain:
        return None
    return f"--auth required needs https:// in --peer {plain[0]}"


def _of_backups(settings: "Settings") -> str | None:
    if (settings.backup_to is None) != (settings.backup_every is None):
        return "--backup-to and --backup-every need each other"
    if settings.backup_to is None:
        return None
    if settings.memory:
        return "--backup-every cannot be combined with --memory, which keeps nothing on disk"
    is_directory = "://" not in settings.backup_to
    has_directory = settings.engine == SQLITE
    if (
        is_directory
        and has_directory
        and Path(settings.backup_to).resolve().is_relative_to(settings.data.resolve())
    ):
        return "--backup-to is within the data directory, and would be lost with it"
    try:
        bucket_locations(f"backups={settings.backup_to}")
    except ValueError as error:
        return f"--backup-to: {settings.backup_to!r} is no target of backups: expected {error}"
    return None


def _of_tls(settings: "Settings") -> str | None:
    if (settings.tls_cert is None) != (settings.tls_key is None):
        return "--tls-cert and --tls-key need each other"
    if settings.tls_client_ca is not None and settings.tls_files is None:
        return "--tls-client-ca needs --tls-cert, or --tls self-signed"
    has_directory = settings.engine == SQLITE and not settings.memory
    if settings.tls is Tls.SELF_SIGNED and settings.tls_cert is None and not has_directory:
        return "--tls self-signed needs a data directory, or --tls-cert and --tls-key for its files"
    return None


def _of_encryption(settings: "Settings") -> str | None:
    given = [shown for name, shown in KEYS.items() if getattr(settings, name) is not None]
    if len(given) > 1:
        return f"{' and '.join(given)} exclude each other: give one key"
    if not settings.encrypt:
        return (
            f"{given[0]} needs --encrypt: without it nothing would be encrypted" if given else None
        )
    if settings.memory:
        return (
            "--encrypt cannot be combined with --memory, which keeps nothing on disk: encrypt the "
            "swap space of the machine"
        )
    if settings.engine != SQLITE:
        return (
            "--encrypt is for SQLite: on PostgreSQL encrypt the disk of the database, or use the "
            "encryption of its provider; see docs/encryption.md"
        )
    if not given:
        *others, last = KEYS.values()
        return f"--encrypt needs a key: {', '.join(others)} or {last}"
    return None


def _of_workers(settings: "Settings") -> str | None:
    if settings.workers is None:
        return None
    if settings.memory:
        return "--workers cannot be combined with --memory: it needs a data directory"
    if settings.engine != SQLITE:
        return "--workers works with SQLite only; on PostgreSQL start several servers"
    if sys.platform == "win32":
        return "--workers is not supported on Windows"
    if settings.replica_lag is not None:
        return (
            "--replica-lag cannot be combined with --workers: a process would not know the old "
            "values of items that another process has written"
        )
    return None


def _of_audit(settings: "Settings") -> str | None:
    if settings.audit is None:
        return None if settings.audit_data_events is None else "--audit-data-events needs --audit"
    has_directory = settings.engine == SQLITE and not settings.memory
    if has_directory and settings.audit.resolve().is_relative_to(settings.data.resolve()):
        return (
            "--audit is within the data directory: a stolen data directory would show keys, and "
            "could be given another log; name a directory elsewhere"
        )
    return None


def _of_buckets(settings: "Settings") -> str | None:
    locations = () if settings.s3 is None else bucket_locations(settings.s3)
    directories = [each.location for each in locations if isinstance(each.location, Path)]
    if directories and sys.platform == "win32":
        return "--s3 with a directory is not supported on Windows: give the URL of a bucket"
    if settings.engine != SQLITE or settings.memory:
        return None
    data = settings.data.resolve()
    if any(_overlap(directory.resolve(), data) for directory in directories):
        return (
            "--s3 names a directory that is in the data directory, or has it: callers could read "
            "or replace the files of the database; name a directory elsewhere"
        )
    return None


def _of_archives(settings: "Settings") -> str | None:
    if settings.archive is None:
        return None
    locations = () if settings.s3 is None else bucket_locations(settings.s3)
    known = {None, *(each.name for each in locations)}
    for rule in archive_rules(settings.archive):
        if rule.bucket not in known:
            return f"--archive {rule.table}: the bucket {rule.bucket} needs --s3 {rule.bucket}=…"
    return None


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
