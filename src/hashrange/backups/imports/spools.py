"""Files without a name for the sorter, on the disk that has room for them."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from hashrange.limits.backups import SPOOL_FREE_BYTES_MIN
from hashrange.optional_packages import imported

_CIPHERS: Final = "cryptography.hazmat.primitives.ciphers"
_PURPOSE: Final = "Encryption needs the package cryptography"
_BLOCK_BYTES: Final = 16
KEY_BYTES: Final = 32


class FileSpool:
    """A file without a name in a directory.

    Args:
        directory: None for that of temporary files.
        key: encrypts the file, and no other one; None for a file that is not encrypted.
        free_bytes_min: that are left free on its disk.
    """

    def __init__(
        self,
        directory: Path | None,
        key: bytes | None = None,
        *,
        free_bytes_min: int = SPOOL_FREE_BYTES_MIN,
    ) -> None:
        import tempfile  # noqa: PLC0415 - few starts need it

        self._ciphers = None if key is None else imported(_CIPHERS, "cryptography", _PURPOSE)
        self._key = key
        self._size = 0
        self._directory = directory or Path(tempfile.gettempdir())
        self._free_bytes_min = free_bytes_min
        self._file: Final[IO[bytes]] = tempfile.TemporaryFile(  # noqa: SIM115 - closed by `close`
            dir=self._directory, buffering=0
        )

    def write(self, data: bytes) -> None:
        """Append bytes. Raises OSError: the disk is full, or would soon be."""
        import shutil  # noqa: PLC0415 - few starts need it

        if shutil.disk_usage(self._directory).free < len(data) + self._free_bytes_min:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._file.seek(self._size)
        rest = memoryview(self._sealed(self._size, data))
        self._size += len(data)
        while rest:
            written = self._file.write(rest)
            assert written, "a file takes bytes, or raises an error"
            rest = rest[written:]

    def read(self, start: int, size: int) -> bytes:
        """Bytes that were written. Raises OSError."""
        self._file.seek(start)
        data = self._file.read(size)
        while len(data) < size:
            more = self._file.read(size - len(data))
            if not more:
                raise OSError(errno.EIO, "a temporary file is cut off")
            data += more
        return self._sealed(start, data)

    def _sealed(self, start: int, data: bytes) -> bytes:
        """Bytes at a place, encrypted or decrypted: AES in counter mode, each place once."""
        if self._ciphers is None:
            return data
        block, skipped = divmod(start, _BLOCK_BYTES)
        algorithm = self._ciphers.algorithms.AES(self._key)
        mode = self._ciphers.modes.CTR(block.to_bytes(_BLOCK_BYTES))
        stream = self._ciphers.Cipher(algorithm, mode).encryptor()
        found: bytes = stream.update(bytes(skipped) + data)[skipped:]
        return found

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


def spools_in(
    directory: Path | None, new_key: Callable[[], bytes] | None = None
) -> Callable[[], FileSpool]:
    """Makes files in a directory; `new_key` makes keys of KEY_BYTES if they are encrypted."""
    return lambda: FileSpool(directory, None if new_key is None else new_key())
