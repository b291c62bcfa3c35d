"""Checks and decodes binary values, which are base64 in JSON and in the storage.

Only strict base64 is accepted, as by DynamoDB: standard alphabet, padded, no bits beyond the last
byte. So each value has exactly one text, and every accepted text is canonical.
"""

import re
from binascii import a2b_base64
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import values as messages

_GROUP_CHARACTERS: Final = 4
_MEMBERS: Final = (b'"B":', b'"BS":')
"""The start of members that hold binaries in JSON; a string cannot contain unescaped quotes."""
_is_of_alphabet: Final = re.compile(r"[A-Za-z0-9+/=]*").fullmatch
_LAST_OF_ONE_BYTE: Final = frozenset("AQgw")
"""The characters allowed before `==`: their low four bits are zero."""
_LAST_OF_TWO_BYTES: Final = frozenset("AEIMQUYcgkosw048")
"""The characters allowed before `=`: their low two bits are zero."""


def decoded(text: str) -> bytes:
    """The bytes of base64 as sent.

    Raises:
        DynamoError: SerializationException, the text is not strict base64.
    """
    try:
        data = a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise _refusal(text) from error
    if len(text) % _GROUP_CHARACTERS or (text[-1:] == "=" and not _ends_well(text)):
        raise _refusal(text)
    return data


def binary_bytes(text: str) -> int:
    """The number of bytes in a checked base64 text, computed from its length."""
    return len(text) // 4 * 3 - text.count("=", -2)


def may_hold_binaries(data: object) -> bool:
    """Whether there may be a binary or a binary set anywhere in JSON data.

    Costs a hundredth of a walk. False is certain; True may be wrong.
    """
    try:
        encoded = msgspec.json.encode(data)
    except RecursionError:
        return True
    return any(member in encoded for member in _MEMBERS)


def check_binaries(value: Mapping[str, Any]) -> None:
    """Refuse the first bad base64 within a value that is refused for another reason."""
    if may_hold_binaries(value):
        walk_binaries(value)


def walk_binaries(value: Mapping[str, Any]) -> None:
    """`check_binaries` without the quick test, for a value that is known to hold binaries.

    Keeps its own stack, since the value may be nested as deeply as the JSON decoder allows.
    """
    rest: list[Mapping[str, Any]] = [value]
    while rest:
        inner = rest.pop()
        for kind, content in inner.items():
            match kind:
                case "B":
                    decoded(content)
                case "BS":
                    for text in content:
                        decoded(text)
                case "L":
                    rest.extend(reversed(content))
                case "M":
                    rest.extend(reversed(list(content.values())))
                case _:
                    pass


def _ends_well(padded: str) -> bool:
    """Whether there are no bits beyond the last byte, which `a2b_base64` does not check."""
    if padded[-2] == "=":
        return padded[-3] in _LAST_OF_ONE_BYTE
    return padded[-2] in _LAST_OF_TWO_BYTES


def _refusal(text: str) -> DynamoError:
    """The error for a text that is not base64; the length is checked before the alphabet."""
    if len(text) % _GROUP_CHARACTERS:
        return DynamoError(Fault.SERIALIZATION, messages.base64_length(len(text)))
    if _is_of_alphabet(text):
        return DynamoError(Fault.SERIALIZATION, messages.base64_last_character())
    return DynamoError(Fault.SERIALIZATION, messages.base64_alphabet())
