"""The master key: 32 bytes of the operator that encrypt data keys. Pure."""

import base64
import binascii
import hashlib
import hmac
import uuid
from typing import Any, Final

from hashrange.optional_packages import MissingPackageError, imported
from hashrange.storage.engine import StorageOpenError

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
_DISTINCT_BYTES_MIN: Final = 16
"""32 random bytes have 24 different values or more in all but one of a million cases."""
_ID: Final = b"hashrange master key id"
_WRAPPING: Final = b"hashrange key that wraps data keys"
_MAKE: Final = "make one with: openssl rand -hex 32"


class EncryptionKeyError(StorageOpenError):
    """A key is missing, weak, or not that of the data. The text is for operators, without keys."""


class MasterKey:
    """A master key. It is not used itself: its id and the wrapping key are derived from it.

    Args:
        key: 32 random bytes.

    Attributes:
        id: a UUID that distinguishes keys and says nothing else about them.
    """

    def __init__(self, key: bytes) -> None:
        self.id = str(uuid.UUID(bytes=_derived(key, _ID)[:16], version=4))
        self._wrapping = _derived(key, _WRAPPING)

    @classmethod
    def of(cls, text: str, origin: str) -> "MasterKey":
        """The key that a text contains, in hexadecimal or base64.

        Passphrases are refused, since they can be guessed; so are keys that nobody has drawn.
        Raises EncryptionKeyError, whose text names `origin`.
        """
        key = _decoded(text.strip())
        if key is None:
            raise EncryptionKeyError(
                f"{origin}: a key is 32 bytes as 64 hexadecimal digits or as base64; {_MAKE}"
            )
        if len(set(key)) < _DISTINCT_BYTES_MIN or (key.isascii() and key.decode().isprintable()):
            raise EncryptionKeyError(f"{origin}: the bytes of the key are not random; {_MAKE}")
        return cls(key)

    def wrapped(self, data_key: bytes, nonce: bytes, bound_to: bytes) -> bytes:
        """The data key encrypted, by AES-256-GCM. Raises EncryptionKeyError."""
        sealed: bytes = self._cipher().encrypt(nonce, data_key, bound_to)
        return sealed

    def unwrapped(self, wrapped: bytes, nonce: bytes, bound_to: bytes) -> bytes | None:
        """The data key; None if it was wrapped with another key, or changed.

        Raises EncryptionKeyError: a package is missing.
        """
        cipher = self._cipher()
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        try:
            data_key: bytes = cipher.decrypt(nonce, wrapped, bound_to)
        except InvalidTag:
            return None
        return data_key

    def _cipher(self) -> Any:
        try:
            aead = imported(
                "cryptography.hazmat.primitives.ciphers.aead",
                "cryptography>=42",
                "Encryption needs cryptography",
            )
        except MissingPackageError as error:
            raise EncryptionKeyError(str(error)) from error
        return aead.AESGCM(self._wrapping)


def _derived(key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, purpose, hashlib.sha256)


def _decoded(text: str) -> bytes | None:
    """The 32 bytes that a text contains; None if it contains something else."""
    for decode in (binascii.unhexlify, _of_base64):
        try:
            key = decode(text)
        except ValueError:
            continue
        if len(key) == KEY_BYTES:
            return key
    return None


def _of_base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
