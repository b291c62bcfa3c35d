"""Figures of the machine of a server: free space of its disks, ends of its certificates.

They are read in a thread when somebody asks, since a disk may not answer.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from hashrange.observe.figures import Figures, labelled
from hashrange.optional_packages import MissingPackageError, imported
from hashrange.settings.kinds import SQLITE
from hashrange.settings.settings import Settings

READ_SECONDS_MAX: Final = 1.0
"""A scrape waits for so long; then it gets what was read before."""
_DAY_MS: Final = 24 * 3600 * 1000
_PEM_BYTES_MAX: Final = 1024 * 1024


class MachineFigures:
    """Reads the figures, in one thread at a time.

    Args:
        read: reads them, as `machine_figures` does.
    """

    def __init__(self, read: Callable[[], Figures]) -> None:
        self._read = read
        self._reading: asyncio.Task[Figures] | None = None
        self._last: Figures = {}

    async def read(self) -> Figures:
        """The figures now, or the last ones while the disk does not answer."""
        if self._reading is None:
            read = asyncio.to_thread(self._read)
            self._reading = asyncio.get_running_loop().create_task(read)
        reading = self._reading
        await asyncio.wait([reading], timeout=READ_SECONDS_MAX)
        if reading.done():
            self._reading, self._last = None, reading.result()
        return self._last


def machine_figures(settings: Settings, now_ms: int) -> Figures:
    """Space of the file systems of directories, and days that certificates are valid."""
    import shutil  # noqa: PLC0415 - with its compressors it takes 3 ms of a start

    found: dict[str, float] = {}
    for setting, directory in _directories(settings):
        with suppress(OSError):
            usage = shutil.disk_usage(directory)
            found[labelled("disk_free_bytes", setting)] = usage.free
            found[labelled("disk_size_bytes", setting)] = usage.total
    for each in certificates(settings):
        if each.ends_ms is not None:
            name = labelled("certificate_days_left", each.setting)
            days = (each.ends_ms - now_ms) / _DAY_MS
            found[name] = min(days, found.get(name, days))
    return found


def _directories(settings: Settings) -> Iterator[tuple[str, Path]]:
    if not settings.memory and settings.engine == SQLITE:
        yield "--data", settings.data
    if settings.audit is not None:
        yield "--audit", settings.audit
    if settings.backup_to is not None and "://" not in settings.backup_to:
        yield "--backup-to", Path(settings.backup_to)


class Certificate(msgspec.Struct, frozen=True, rename="camel"):
    """A certificate of a file.

    Attributes:
        setting: that names the file.
        ends_ms: the end of its validity.
        failure: why it cannot be read.
    """

    setting: str
    file: str
    subject: str = ""
    ends_ms: int | None = None
    failure: str | None = None


def certificates(settings: Settings) -> Iterator[Certificate]:
    """The certificates that the server shows, and those of the issuers that it trusts."""
    files = [
        ("--tls-cert", None if settings.tls_files is None else settings.tls_files[0]),
        ("--tls-client-ca", settings.tls_client_ca),
        ("--peer-ca", settings.peer_ca),
    ]
    for setting, path in files:
        if path is not None:
            yield from _of_file(setting, path)


def _of_file(setting: str, path: Path) -> Iterator[Certificate]:
    try:
        imported("cryptography", "cryptography", "The ends of certificates need cryptography")
        from cryptography import x509  # noqa: PLC0415 - an extra, and slow to import

        with path.open("rb") as file:
            found = x509.load_pem_x509_certificates(file.read(_PEM_BYTES_MAX))
    except MissingPackageError as error:
        yield Certificate(setting, str(path), failure=error.without_command)
    except OSError as error:
        yield Certificate(setting, str(path), failure=error.strerror)
    except ValueError as error:
        yield Certificate(setting, str(path), failure=str(error))
    else:
        for each in found:
            ends_ms = int(each.not_valid_after_utc.timestamp() * 1000)
            yield Certificate(setting, str(path), each.subject.rfc4514_string(), ends_ms)
