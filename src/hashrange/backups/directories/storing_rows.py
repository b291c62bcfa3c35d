"""Stores a backup of a database: all its rows are read, and chunks that are new are stored."""

from collections.abc import Sequence

from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import RowsManifest, id_of
from hashrange.backups.directories.row_chunks import RowCutter
from hashrange.backups.directories.storing import PUTS, NewBackup, Progress
from hashrange.backups.directories.target import Target
from hashrange.storage.stored_rows import RowSource, StoredRow


async def store_rows(
    rows: RowSource,
    target: Target,
    claim: Claim,
    data_id: str,
    *,
    made_ms: int,
    progress: Progress,
) -> RowsManifest:
    """Make a backup of all rows, and verify it.

    Args:
        rows: of a database, which may be written meanwhile.
        target: the place.
        claim: of the target.
        data_id: distinguishes data of different origin.
        made_ms: now; what was acknowledged before is in the backup.
        progress: moves on meanwhile; how many chunks there are is known at the end.

    Raises:
        BackupError: the target has other data, or lost a chunk, or a later backup has begun.
        BucketError: it cannot be written or read.
        StorageError: the rows cannot be read.
    """
    new = await NewBackup.begin(target, claim, data_id, progress, is_encrypted=False)
    cutter, waiting = RowCutter(), list[bytes]()
    sizes = [0, 0]

    async def put() -> None:
        sizes[:] = sizes[0] + sum(map(len, waiting)), max(sizes[1], *map(len, waiting))
        await new.add(waiting)
        progress.chunks = len(new.names)
        waiting.clear()

    async def take(part: Sequence[StoredRow]) -> None:
        waiting.extend(cutter.feed(part))
        if len(waiting) >= PUTS:
            await put()

    await rows.read(take)
    waiting += cutter.end()
    if waiting:
        await put()
    data_bytes, chunk_bytes = sizes
    manifest = RowsManifest(
        id=id_of(made_ms),
        made_ms=made_ms,
        data_id=data_id,
        data_bytes=data_bytes,
        chunk_bytes=chunk_bytes,
        chunks=new.names,
        tables_format=rows.format,
        counts=cutter.counts,
    )
    await new.end(manifest)
    return manifest
