"""Removes the backups that the rule does not keep, then the chunks that none has.

First it is stored which backups are kept. From then on the others are no backups any more, and no
later backup relies on the chunks that they alone have. So what is removed late, by a process that
was suspended or a request that was delayed, is missed by nobody. Killed at any moment, the next
clean-up does what is left.
"""

from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import made_ms_of
from hashrange.backups.directories.retention import Retention
from hashrange.backups.directories.storing import used_chunks
from hashrange.backups.directories.target import Target


async def clean_up(target: Target, claim: Claim, retention: Retention) -> dict[str, str]:
    """Apply the rule to a target, after a backup with the same claim.

    A manifest that cannot be read keeps everything: nobody knows which chunks it has, and whoever
    mends it must find them, and the backups that are to take its place.

    Returns:
        Why manifests cannot be read, by their keys.

    Raises:
        BackupError: a later backup has begun.
        BucketError: the target cannot be read or written.
        StorageError: it is not known whether a later backup has begun.
    """
    contents = await target.contents()
    made = {made_ms_of(each): key for each, key in contents.keys.items()}
    kept = [made[each] for each in retention.kept([each for each in made if each is not None])]
    unread: dict[str, str] = {}
    if len(kept) == len(made) and not contents.void and contents.is_clean:
        return unread
    used = await used_chunks(target, kept, unread)
    for key in set(contents.keys.values()) - set(kept):
        await target.readable(key, unread)
    if unread:
        return unread
    await target.put_kept(claim.generation, kept)
    # A backup that begins after this finds what is kept.
    await claim.check()
    for key in {*contents.void, *contents.keys.values()} - set(kept):
        await target.remove_manifest(key)
    for name, generation in (await target.chunks()).items():
        if generation <= claim.generation and name not in used:
            await target.remove_chunk(name)
    await target.end_clean_up(claim.generation)
    return unread
