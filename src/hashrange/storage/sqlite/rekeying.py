"""Changes of the keys of a data directory, each of which may be killed at any moment.

The key file is replaced as a whole, and the data file, too. While a new data file is written, the
key file has the data keys of both; the first bytes of the data file in place show which it has.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from hashrange.storage.encryption.master_key import MasterKey
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.conversion import is_old
from hashrange.storage.sqlite.directory import DATA_FILE, STATES, VECTORS
from hashrange.storage.sqlite.key_file import (
    KEY_FILE,
    KEY_LOCK_FILE,
    KeyFile,
    RandomBytes,
    changing_keys,
    new_cipher,
    remove_key_file,
    write_key_file,
)
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.rewriting import RowConverter, rewrite_file
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.unlocking import (
    is_encrypted,
    no_key,
    taken,
    with_key,
)


def rewrap(directory: Path, old: MasterKey, new: MasterKey, *, random_bytes: RandomBytes) -> None:
    """Encrypt the data keys of a directory with another master key; a server may use it.

    Raises StorageOpenError: it is not encrypted, or not with `old`; then nothing is changed.
    """
    if not is_encrypted(directory):
        raise StorageOpenError(f"{directory} is not encrypted")
    with changing_keys(directory):
        keys = KeyFile.read(directory)
        assert keys is not None, "it was there, and is not removed while it is locked"
        write_key_file(directory, keys.ciphers(old), new, random_bytes)


def rewrite(
    directory: Path,
    masters: tuple[MasterKey | None, MasterKey | None],
    *,
    converter: RowConverter,
    random_bytes: RandomBytes,
    report: Callable[[str], None],
) -> list[str]:
    """Give a directory that no server uses a data file with a new data key, or without one.

    Args:
        directory: with a data file, also of an older format.
        masters: the master keys before and afterwards; None for data that are not encrypted.
        converter: of rows of an older format.
        random_bytes: draws the data key.
        report: called with the progress.

    Returns:
        The names of files in the directory that may have data as they were before.

    Raises StorageOpenError: in use, or another key; then nothing is changed.
    """
    before, after = masters
    path = directory / DATA_FILE
    if not path.is_file():
        raise StorageOpenError(f"{directory} holds no data of hashrange")
    held = taken(directory, no_key if before is None else with_key(before))
    try:
        _refuse_as_it_is(held.cipher, before, directory)
        held.refuse_other_wal()
        held.forget_wal()  # the new file has all that is in the WAL
        with changing_keys(directory):
            target = None if after is None else new_cipher(after, random_bytes)
            if target is not None and after is not None:
                both = [target] if held.cipher is None else [held.cipher, target]
                write_key_file(directory, both, after, random_bytes)
            if path.stat().st_size:
                rewrite_file(
                    path,
                    ciphers=(held.cipher, target),
                    converter=converter if is_old(path, held.cipher) else None,
                    page_bytes=Tuning().page_bytes,
                    report=report,
                )
            if target is not None and after is not None:
                write_key_file(directory, [target], after, random_bytes)
            else:
                remove_key_file(directory)
            shutil.rmtree(directory / VECTORS, ignore_errors=True)  # they are plain
    except OSError as error:
        raise StorageOpenError(f"cannot change the keys of {directory}: {error}") from error
    finally:
        held.release()
    return _left(directory)


def _refuse_as_it_is(cipher: PageCipher | None, before: MasterKey | None, directory: Path) -> None:
    if before is not None and cipher is None:
        raise StorageOpenError(f"{directory} is not encrypted")


def _left(directory: Path) -> list[str]:
    """Files beside the data file that have pages of it."""
    known = {DATA_FILE, KEY_FILE, KEY_LOCK_FILE}
    names = (path.name for path in directory.glob(f"{DATA_FILE}*"))
    others = (
        f"{each}/{path.name}" for each in (STATES, VECTORS) for path in (directory / each).glob("*")
    )
    return sorted([*(name for name in names if name not in known), *others])
