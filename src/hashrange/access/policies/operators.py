"""Condition operators: what makes a matcher of a policy's values. Pure.

A value of the policy that the operator cannot read matches nothing.
Source: IAM User Guide, "IAM JSON policy elements: Condition operators"; what IAM was recorded to
match in September 2026: values that are no addresses, ARNs, numbers, dates, booleans or base64.
"""

import operator
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from hashrange.access.policies.wildcards import (
    SEPARATOR,
    Matcher,
    Pattern,
    Piece,
    has_wildcards,
    like,
    text_of,
)
from hashrange.limits.access import POLICY_ADDRESSES_MAX

_is_epoch: Final = re.compile(r"[+-]?[0-9]{1,19}(?:\.[0-9]{1,9})?").fullmatch
_is_date: Final = re.compile(
    r"([0-9]{1,4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?"
    r"(?:T(?:([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?"
    r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?",
    re.IGNORECASE,
).fullmatch
_YEAR_CHARS: Final = 4
_EPOCH_MAX: Final = 2**63 - 1


def seconds_of(text: str) -> Decimal | None:
    """Seconds since 1970 of a date; None if it is none. Four digits are a year.

    Source: W3C, "Date and Time Formats"; IAM User Guide, "Date condition operators"; what IAM was
    seen to take and refuse beyond: an hour of one digit, an offset without minutes, a year with a
    bare T, negative seconds, and none above 64 bits.
    """
    if _is_epoch(text) and not (len(text) == _YEAR_CHARS and text.isdecimal()):
        epoch = Decimal(text)
        return epoch if epoch <= _EPOCH_MAX else None
    found = _is_date(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction, sign, hours, minutes = found.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        zone = timezone(-offset if sign == "-" else offset) if sign else UTC
        at = datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None
    whole = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return Decimal(whole) + Decimal(f"0.{fraction or 0}")


T = TypeVar("T")

MatcherOf: TypeAlias = Callable[[Sequence[Pattern]], Matcher]

NULL: Final = "Null"
_ARN_SEGMENTS: Final = 6
_ADDRESS_CHARS_MAX: Final = 50
"""More than any address has; a zone may follow it."""
_is_number: Final = re.compile(r"[+-]?[0-9]{1,99}(\.[0-9]{0,99})?([eE][+-]?[0-9]{1,6})?").fullmatch
_zeros: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")
_is_prefix: Final = re.compile(r"\+?0*([0-9]{1,3})", re.ASCII).fullmatch
_IPV6: Final = 6
_BITS: Final = {4: 32, _IPV6: 128}
_MILLISECOND: Final = Decimal("0.001")


class Operator(msgspec.Struct, frozen=True):
    """How one value of a request is compared.

    Attributes:
        matcher_of: makes the matcher of the policy's values, any of which may match.
        negated: true of a value that does not match.
        is_value: whether a value of a request is one that can be compared. Another one fulfils no
            condition, not even a negated one. None if any text is.
        has_variables: `${…}` in the policy's values are variables.
    """

    matcher_of: MatcherOf
    negated: bool = False
    has_variables: bool = False
    is_value: Matcher | None = None


def _any_of(matchers: Iterable[Matcher]) -> Matcher:
    made = tuple(matchers)
    if len(made) == 1:
        return made[0]

    def matches(value: str) -> bool:
        return any(matcher(value) for matcher in made)

    return matches


def _equals(patterns: Sequence[Pattern]) -> Matcher:
    return frozenset(map(text_of, patterns)).__contains__


def texts_of(matcher: Matcher) -> frozenset[str] | None:
    """The texts that a matcher compares with, if it is that of a set; None for other matchers."""
    texts = getattr(matcher, "__self__", None)
    return texts if isinstance(texts, frozenset) else None


def _equals_ignoring_case(patterns: Sequence[Pattern]) -> Matcher:
    texts = frozenset(text_of(pattern).lower() for pattern in patterns)
    return lambda value: value.lower() in texts


def _like(patterns: Sequence[Pattern]) -> Matcher:
    if not any(map(has_wildcards, patterns)):
        return _equals(patterns)
    return _any_of(map(like, patterns))


def _arn_like(patterns: Sequence[Pattern]) -> Matcher:
    return _any_of(map(_segments_like, patterns))


def _segments_like(pattern: Pattern) -> Matcher:
    """Each of the six segments of an ARN is matched by itself; the last may have colons."""
    segments: list[list[Piece]] = [[]]
    for piece in pattern:
        head, *rest = piece.text.split(SEPARATOR, _ARN_SEGMENTS - len(segments))
        segments[-1].append(Piece(head, piece.literal))
        segments.extend([Piece(text, piece.literal)] for text in rest)
    matchers = [like(tuple(segment)) for segment in segments]

    def matches(value: str) -> bool:
        parts = value.split(SEPARATOR, _ARN_SEGMENTS - 1)
        if len(parts) != len(matchers) or len(parts) != _ARN_SEGMENTS:
            return False
        return all(matcher(part) for matcher, part in zip(matchers, parts, strict=True))

    return matches


def _bool(patterns: Sequence[Pattern]) -> Matcher:
    expected = {is_true(text_of(pattern)) for pattern in patterns}
    return lambda value: is_true(value) in expected


def is_true(text: str) -> bool:
    """A boolean; every other text than `true` is false."""
    return text.lower() == "true"


def _compared(
    read: Callable[[str], T | None], compare: Callable[[Any, Any], bool]
) -> Callable[[Sequence[Pattern]], Matcher]:
    """Values are read, then compared with each of the policy's."""

    def matcher_of(patterns: Sequence[Pattern]) -> Matcher:
        expected = [value for pattern in patterns if (value := read(text_of(pattern))) is not None]

        def matches(text: str) -> bool:
            value = read(text)
            return value is not None and any(compare(value, other) for other in expected)

        return matches

    return matcher_of


def _number(text: str) -> Decimal | None:
    return Decimal(text) if _is_number(text) else None


def _binary(text: str) -> bytes | None:
    try:
        decoded = b64decode(text, validate=True)
    except ValueError:
        return None
    return decoded if b64encode(decoded).decode() == text else None


def _instant(text: str) -> Decimal | None:
    """Of dates, milliseconds count."""
    seconds = seconds_of(text)
    return None if seconds is None else seconds.quantize(_MILLISECOND, ROUND_FLOOR)


def _ip(patterns: Sequence[Pattern]) -> Matcher:
    networks = [each for each in map(_network_of, map(text_of, patterns)) if each is not None]

    def matches(value: str) -> bool:
        found = _address_of(value)
        if found is None:
            return False
        version, number = found
        for of_version, mask, network in networks:
            if number & mask == network and version == of_version:
                return True
        return False

    return matches


def _network_of(text: str) -> tuple[int, int, int] | None:
    """The version, the mask and the first address of a range; None if no address is in it.

    Bits after the prefix are ignored in IPv4; in IPv6 there must be none.
    """
    address, slash, prefix = text.partition("/")
    found, bits = _address_of(address), _is_prefix(prefix)
    if found is None or (slash and bits is None) or address.lower().startswith("::ffff:"):
        return None
    version, number = found
    most = _BITS[version]
    length = int(bits[1]) if bits else most
    if length > most:
        return None
    mask = (1 << most) - (1 << (most - length))
    if version == _IPV6 and number & mask != number:
        return None
    return version, mask, number & mask


def _address_of(value: str) -> tuple[int, int] | None:
    return _cached_address_of(value) if len(value) <= _ADDRESS_CHARS_MAX else None


@lru_cache(maxsize=POLICY_ADDRESSES_MAX)
def _cached_address_of(value: str) -> tuple[int, int] | None:
    """The version and the number of an address; None for another text.

    An address of IPv4 may have zeros before its numbers, and be mapped to IPv6.
    """
    try:
        if ":" not in value:
            return 4, int(IPv4Address(_zeros.sub("", value)))
        address = IPv6Address(value)
    except AddressValueError:
        return None
    if address.ipv4_mapped is not None:
        return 4, int(address.ipv4_mapped)
    return None if "." in value else (_IPV6, int(address))


def _is_address(value: str) -> bool:
    return _address_of(value) is not None


def _is_arn(value: str) -> bool:
    return value.startswith("arn:") and value.count(SEPARATOR) >= _ARN_SEGMENTS - 1


def _rows() -> Mapping[str, Operator]:
    rows = {
        "Bool": Operator(_bool, has_variables=True),
        "BinaryEquals": Operator(_compared(_binary, operator.eq)),
        "IpAddress": Operator(_ip),
        "NotIpAddress": Operator(_ip, negated=True, is_value=_is_address),
    }
    texts = {"Equals": _equals, "EqualsIgnoreCase": _equals_ignoring_case, "Like": _like}
    rows |= {
        f"String{'Not' if negated else ''}{name}": Operator(matcher_of, negated, has_variables=True)
        for name, matcher_of in texts.items()
        for negated in (False, True)
    }
    rows |= {
        f"Arn{'Not' if negated else ''}{name}": Operator(
            _arn_like, negated, has_variables=True, is_value=_is_arn
        )
        for name in ("Equals", "Like")
        for negated in (False, True)
    }
    comparisons = {
        "Equals": operator.eq,
        "LessThan": operator.lt,
        "LessThanEquals": operator.le,
        "GreaterThan": operator.gt,
        "GreaterThanEquals": operator.ge,
    }
    for kind, read in (("Numeric", _number), ("Date", _instant)):
        rows |= {f"{kind}{name}": Operator(_compared(read, c)) for name, c in comparisons.items()}
        rows[f"{kind}NotEquals"] = Operator(_compared(read, operator.eq), negated=True)
    return rows


OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(_rows())
"""All condition operators but `Null`, which asks for the key itself."""
