"""Condition operators: what makes a matcher of a policy's values. Pure.

A value of the policy that the operator cannot read matches nothing.
Source: IAM User Guide, "IAM JSON policy elements: Condition operators".
"""

import operator
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from ipaddress import ip_address, ip_network
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from hashrange.limits.policies import POLICY_ADDRESSES_MAX
from hashrange.policies.dates import seconds_of
from hashrange.policies.wildcards import (
    SEPARATOR,
    Matcher,
    Pattern,
    Piece,
    has_wildcards,
    like,
    text_of,
)

T = TypeVar("T")

MatcherOf: TypeAlias = Callable[[Sequence[Pattern]], Matcher]

NULL: Final = "Null"
_ARN_SEGMENTS: Final = 6
_ADDRESS_CHARS_MAX: Final = 50
"""More than any address has; a zone may follow it."""
_is_number: Final = re.compile(r"[+-]?[0-9]{1,99}(\.[0-9]{1,99})?([eE][+-]?[0-9]{1,6})?").fullmatch
_BOOLEANS: Final = frozenset({"true", "false"})


class Operator(msgspec.Struct, frozen=True):
    """How one value of a request is compared.

    Attributes:
        matcher_of: makes the matcher of the policy's values, any of which may match.
        negated: true of a value that does not match.
        has_variables: `${…}` in the policy's values are variables.
    """

    matcher_of: MatcherOf
    negated: bool = False
    has_variables: bool = False


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
    texts = _BOOLEANS & {text_of(pattern).lower() for pattern in patterns}
    return lambda value: value.lower() in texts


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
        return b64decode(text, validate=True)
    except ValueError:
        return None


def _ip(patterns: Sequence[Pattern]) -> Matcher:
    networks = []
    for pattern in patterns:
        try:
            network = ip_network(text_of(pattern), strict=False)
        except ValueError:
            continue
        networks.append((network.version, int(network.netmask), int(network.network_address)))

    def matches(value: str) -> bool:
        found = _address_of(value) if len(value) <= _ADDRESS_CHARS_MAX else None
        if found is None:
            return False
        version, number = found
        for of_version, mask, network in networks:
            if number & mask == network and version == of_version:
                return True
        return False

    return matches


@lru_cache(maxsize=POLICY_ADDRESSES_MAX)
def _address_of(value: str) -> tuple[int, int] | None:
    """The version and the number of an address; None for another text."""
    try:
        address = ip_address(value)
    except ValueError:
        return None
    return address.version, int(address)


def _rows() -> Mapping[str, Operator]:
    rows = {
        "Bool": Operator(_bool, has_variables=True),
        "BinaryEquals": Operator(_compared(_binary, operator.eq)),
        "IpAddress": Operator(_ip),
        "NotIpAddress": Operator(_ip, negated=True),
    }
    texts = {"Equals": _equals, "EqualsIgnoreCase": _equals_ignoring_case, "Like": _like}
    rows |= {
        f"String{'Not' if negated else ''}{name}": Operator(matcher_of, negated, has_variables=True)
        for name, matcher_of in texts.items()
        for negated in (False, True)
    }
    rows |= {
        f"Arn{'Not' if negated else ''}{name}": Operator(_arn_like, negated, has_variables=True)
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
    for kind, read in (("Numeric", _number), ("Date", seconds_of)):
        rows |= {f"{kind}{name}": Operator(_compared(read, c)) for name, c in comparisons.items()}
        rows[f"{kind}NotEquals"] = Operator(_compared(read, operator.eq), negated=True)
    return rows


OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(_rows())
"""All condition operators but `Null`, which asks for the key itself."""
