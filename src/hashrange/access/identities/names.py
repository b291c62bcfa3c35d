"""Unique ids, access keys and secret keys, made of random bytes. Pure."""

from base64 import b32encode, b64encode
from collections.abc import Callable
from typing import Final

RandomBytes = Callable[[int], bytes]

USER_ID: Final = "AIDA"
ROLE_ID: Final = "AROA"
POLICY_ID: Final = "ANPA"
LONG_TERM_KEY: Final = "AKIA"
SESSION_KEY: Final = "ASIA"
_ID_BYTES: Final = 11
_ID_CHARS: Final = 21
_KEY_BYTES: Final = 10
_SECRET_BYTES: Final = 30


def new_id(prefix: str, random_bytes: RandomBytes) -> str:
    """The id of a user, role or policy: a prefix and 17 letters and digits, which no other has."""
    return (prefix + b32encode(random_bytes(_ID_BYTES)).decode())[:_ID_CHARS]


def new_access_key(prefix: str, random_bytes: RandomBytes) -> str:
    """An access key: a prefix and 16 letters and digits, which no other has."""
    return prefix + b32encode(random_bytes(_KEY_BYTES)).decode()


def new_secret_key(random_bytes: RandomBytes) -> str:
    """A secret key of 40 characters."""
    return b64encode(random_bytes(_SECRET_BYTES)).decode()
