"""Binary values travel as base64; this module checks them and tells their bytes.

Only the one strict form is accepted (standard alphabet, padded, no bits beyond the last byte), as
DynamoDB does; so each value has exactly one text, and texts that are accepted are canonical.
"""

import re
from binascii import a2b_base64
from typing import Final

from hashrange.errors import DynamoError, Fault
from hashrange.messages import values as messages

_GROUP_CHARACTERS: Final = 4
_is_of_alphabet: Final = re.compile(r"[A-Za-z0-9+/=]*").fullmatch
_LAST_OF_ONE_BYTE: Final = frozenset("AQgw")
"""What may stand before `==`: the low four bits are zero."""
_LAST_OF_TWO_BYTES: Final = frozenset("AEIMQUYcgkosw048")
"""What may stand before `=`: the low two bits are zero."""


def decoded(text: str) -> bytes:
    """The bytes of base64 as sent.

    Raises:
        DynamoError: a SerializationException: not strict base64.
    """
    try:
        data = a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise _refusal(text) from error
    if len(text) % _GROUP_CHARACTERS or (text[-1:] == "=" and not _ends_well(text)):
        raise _refusal(text)
    return data


def binary_bytes(text: str) -> int:
    """How many bytes a checked base64 text holds; does not look at its characters."""
    return len(text) // 4 * 3 - text.count("=", -2)


def _ends_well(padded: str) -> bool:
    """Whether there are no bits beyond the last byte, which `a2b_base64` lets pass."""
    if padded[-2] == "=":
        return padded[-3] in _LAST_OF_ONE_BYTE
    return padded[-2] in _LAST_OF_TWO_BYTES


def _refusal(text: str) -> DynamoError:
    """The text that applies; the service looks at the length before the alphabet."""
    if len(text) % _GROUP_CHARACTERS:
        return DynamoError(Fault.SERIALIZATION, messages.base64_length(len(text)))
    if _is_of_alphabet(text):
        return DynamoError(Fault.SERIALIZATION, messages.base64_last_character())
    return DynamoError(Fault.SERIALIZATION, messages.base64_alphabet())
