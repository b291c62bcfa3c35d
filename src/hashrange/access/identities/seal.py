"""Seals secrets: authenticated encryption with a key that is derived from the engine's secret.

Without a key of the operator, the key can be derived by whoever has the engine's rows: it then
protects sealed values from being read in passing, and sessions from being forged, and no more.
"""

from collections.abc import Callable
from hashlib import blake2b, sha256
from typing import Final

from hashrange.optional_packages import imported

_PERSON: Final = b"identities"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class SealError(Exception):
    """A sealed value is damaged, or was sealed with another key or for another purpose."""


def sealing_key(secret: bytes, operator_key: bytes | None) -> bytes:
    """The key of a server.

    Args:
        secret: of the engine.
        operator_key: any bytes that only the operator knows; None if there are none.
    """
    key = b"" if operator_key is None else sha256(operator_key).digest()
    return blake2b(secret, key=key, person=_PERSON, digest_size=_KEY_BYTES).digest()


class Sealer:
    """Seals and opens values with AES-256-GCM.

    Args:
        key: 32 bytes.
        random_bytes: draws nonces.

    Raises:
        MissingPackageError: the package for encryption is not installed.
    """

    def __init__(self, key: bytes, random_bytes: Callable[[int], bytes]) -> None:
        imported("cryptography", "cryptography", "Access keys need cryptography")
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        self._cipher = AESGCM(key)
        self._invalid = InvalidTag
        self._random_bytes = random_bytes

    def seal(self, value: bytes, purpose: str) -> bytes:
        """The sealed value; it can be opened for the same purpose only."""
        nonce = self._random_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, value, purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """The value. Raises SealError."""
        nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, rest, purpose.encode())
        except (self._invalid, ValueError) as error:
            raise SealError from error
