"""The certificate of a server with TLS: made, used, and read again while the server runs.

`--tls self-signed` makes one on the first start.
"""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from ssl import SSLContext
from typing import Final

from hashrange.optional_packages import MissingPackageError, imported
from hashrange.server.listener import Listener
from hashrange.server.tls import TlsError, context_of
from hashrange.settings.kinds import ANY, Tls
from hashrange.settings.settings import Settings

DAYS: Final = 3650
_COMMON_NAME: Final = "hashrange"


def ensure(certificate: Path, key: Path, names: Sequence[str], now_ms: int) -> None:
    """Write a certificate and its key, unless both files exist.

    Args:
        certificate: the file of the certificate.
        key: the file of the key, which only its owner can read.
        names: host names that it is valid for, beside localhost, 127.0.0.1, ::1 and the machine's.
        now_ms: the time, in milliseconds since the epoch.

    Raises:
        TlsError: only one of the files exists, they cannot be written, or a package is missing.
    """
    found = [path for path in (certificate, key) if path.exists()]
    if found == [certificate, key]:
        return
    if found:
        raise TlsError(f"{found[0]} exists without the other file: remove it for a new certificate")
    written_key, written = _made(list(_all_names(names)), now_ms)
    try:
        _write(key, written_key, 0o600)
        _write(certificate, written, 0o644)
    except OSError as error:
        raise TlsError(f"{error.filename}: {error.strerror}") from error


def _all_names(names: Sequence[str]) -> Iterator[str]:
    yield from dict.fromkeys(["localhost", "127.0.0.1", "::1", socket.gethostname(), *names])


def _made(names: Sequence[str], now_ms: int) -> tuple[bytes, bytes]:
    """The key and the certificate, in PEM."""
    try:
        imported("cryptography", "cryptography", "--tls self-signed needs cryptography")
    except MissingPackageError as error:
        raise TlsError(str(error)) from error
    from cryptography import x509  # noqa: PLC0415 - an extra, and slow to import
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509 import oid  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, _COMMON_NAME)])
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    kinds = [
        x509.DNSName(each) if (address := _address(each)) is None else x509.IPAddress(address)
        for each in names
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(kinds), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False
        )
        .add_extension(x509.ExtendedKeyUsage([oid.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    written_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return written_key, certificate.public_bytes(serialization.Encoding.PEM)


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def _write(path: Path, data: bytes, mode: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


_log: Final = logging.getLogger(__name__)


def ensure_certificate(settings: Settings, now_ms: int) -> None:
    """Make the certificate of `--tls self-signed` if there is none, and check that it can be used.

    Raises:
        TlsError: the files cannot be written or used.
    """
    if settings.tls_files is None:
        return
    if settings.tls is Tls.SELF_SIGNED:
        listed = [] if settings.hosts is None else settings.hosts.split(",")
        ensure(*settings.tls_files, [name for name in listed if name != ANY], now_ms)
    context_in(settings)


def renew_certificate(settings: Settings, listener: Listener) -> None:
    """Read the files of TLS again, for new connections; an error is logged and changes nothing."""
    try:
        context = context_in(settings)
    except TlsError as error:
        _log.error("the certificate stays as it was: %s", error)
        return
    assert context is not None, "a server with TLS"
    listener.renew(context)
    _log.info("new connections get the certificate that was read now")


def context_in(settings: Settings) -> SSLContext | None:
    """The context of new connections; None without TLS. Raises TlsError."""
    if settings.tls_files is None:
        return None
    return context_of(*settings.tls_files, settings.tls_client_ca)
