"""The certificate of a server with TLS: made, used, and read again while the server runs."""

import logging
from ssl import SSLContext
from typing import Final

from hashrange.server.listener import Listener
from hashrange.server.self_signed import ensure
from hashrange.server.tls import TlsError, context_of
from hashrange.settings.kinds import ANY, Tls
from hashrange.settings.settings import Settings

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
