"""Manifests: what a backup consists of, and the form in which that is stored. Pure."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Final

import msgspec

FORMAT: Final = 3
ROWS_FORMAT: Final = 4
"""Builds that know only 1 and 2, which have no totals, refuse both."""
_ID: Final = "%Y%m%dT%H%M%S"
_MS: Final = 1000
_is_id: Final = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z").fullmatch


class BackupError(Exception):
    """A backup cannot be made, found or restored. The text is for the operator."""


class UnreadManifestError(BackupError):
    """The manifest of one backup is there and cannot be read. The text names it."""


class Totals(msgspec.Struct, frozen=True):
    """The contents of a backup: tables of all accounts and regions, and their items."""

    tables: int
    items: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A backup of one moment, of a data directory unless it is a `RowsManifest`.

    Attributes:
        id: the moment, in UTC, by which it is named and ordered.
        made_ms: the same in milliseconds since the epoch.
        data_id: distinguishes data of different origin.
        data_bytes: of the data file.
        chunk_bytes: of each chunk but the last.
        chunks: their names, in the order of the file.
        key_file: that of an encrypted directory: data keys, encrypted with the master key.
        master_key_id: of that key; None if the data are not encrypted.
        totals: unset in manifests of formats 1 and 2, whose checksums do not have them.
        checksum: of all of this.
    """

    format: int = FORMAT
    id: str
    made_ms: int
    data_id: str
    data_bytes: int
    chunk_bytes: int
    chunks: list[str]
    key_file: bytes | None = None
    master_key_id: str | None = None
    totals: Totals | msgspec.UnsetType = msgspec.UNSET
    checksum: str = ""


class RowsManifest(Manifest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A backup of a database: chunks of its rows.

    Attributes:
        format: as of any manifest.
        data_bytes: of all chunks.
        chunk_bytes: of the largest.
        tables_format: the version of the database's tables.
        counts: the rows of each kind.
    """

    format: int = ROWS_FORMAT
    tables_format: int
    counts: dict[int, int]


_KINDS: Final = {1: Manifest, 2: RowsManifest, FORMAT: Manifest, ROWS_FORMAT: RowsManifest}
"""By their formats."""


class _Head(msgspec.Struct):
    """The members that distinguish manifests."""

    format: int


def id_of(made_ms: int) -> str:
    """The id of a backup of a moment."""
    moment = datetime.fromtimestamp(made_ms // _MS, UTC)
    return f"{moment.strftime(_ID)}.{made_ms % _MS:03}Z"


def made_ms_of(backup_id: str) -> int | None:
    """The moment of an id; None if it is none."""
    if not _is_id(backup_id):
        return None
    try:
        moment = datetime.strptime(backup_id[:15], _ID).replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * _MS + int(backup_id[16:19])


def encoded(manifest: Manifest) -> bytes:
    """The bytes of a manifest, with its checksum."""
    return msgspec.json.encode(msgspec.structs.replace(manifest, checksum=_sum(manifest)))


def decoded(stored: bytes) -> Manifest:
    """The manifest of bytes. Raises BackupError: damaged, or of a newer build."""
    try:
        found = msgspec.json.decode(stored, type=_Head).format
        if found not in _KINDS:
            raise BackupError(f"a manifest has format {found}: use a newer build")
        manifest: Manifest = msgspec.json.decode(stored, type=_KINDS[found])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BackupError(f"a manifest is damaged, or of a newer build: {error}") from error
    if manifest.checksum != _sum(manifest):
        raise BackupError(f"the manifest of {manifest.id} is damaged: its checksum is wrong")
    return manifest


def _sum(manifest: Manifest) -> str:
    unsummed = msgspec.structs.replace(manifest, checksum="")
    return hashlib.sha256(msgspec.json.encode(unsummed)).hexdigest()
