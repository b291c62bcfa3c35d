"""Replaces personal data in items, deterministically by a key. Pure.

Equal values become equal values wherever they stand, so keys and references still match. `hash`
gives values that have nothing in common with the original but their type. `fake` gives values of
the same shape (see `fakes`). Both are injective, or collide with negligible probability, so masked
keys stay unique.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec

from hashrange.errors import DynamoError
from hashrange.model.data_types import MEMBER_OF_SET
from hashrange.model.numbers import canonical_number
from hashrange.model.wording import Wording
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.scanning.fakes import Fakes

METHODS: Final = ("hash", "fake", "drop")
_HASH_BYTES: Final = 16
_NUMBER_DIGITS: Final = 37
_KEY_BYTES_MAX: Final = 64
_decode: Final = msgspec.json.Decoder(dict[str, dict[str, Any]]).decode
_encode: Final = msgspec.json.encode

_Value = Mapping[str, Any]


class Rule(msgspec.Struct, frozen=True):
    """An attribute and the method that replaces it.

    Attributes:
        path: the name of an attribute, or a path of names with dots between them.
        method: one of `METHODS`.
    """

    path: str
    method: str


class Masking(msgspec.Struct, frozen=True):
    """Rules and the key of their methods."""

    rules: Sequence[Rule] = ()
    key: bytes = b""

    @property
    def fingerprint(self) -> str | None:
        """A text that is equal for equal rules and keys, and shows nothing about the key."""
        if not self.rules:
            return None
        rules = sorted((rule.path, rule.method) for rule in self.rules)
        return _hash(self.key, b"fingerprint", _encode(rules)).hex()

    def masker(self, key_names: Iterable[str]) -> "Masker | None":
        """Masks items of a table; None without rules.

        Raises InputError: a key attribute would be dropped.
        """
        if not self.rules:
            return None
        keys = set(key_names)
        for rule in self.rules:
            if rule.method == "drop" and rule.path in keys:
                raise InputError(
                    f"--mask {rule.path}=drop: it is a key attribute, which every item needs; "
                    "hash and fake replace it"
                )
        return Masker(self)


def rules_of(texts: Iterable[str]) -> list[Rule]:
    """The rules of texts like `address.street=drop`. Raises InputError."""
    rules: dict[str, Rule] = {}
    for text in texts:
        path, separator, method = text.rpartition("=")
        if not separator or not all(path.split(".")) or method not in METHODS:
            raise InputError(
                f"--mask {text}: give ATTRIBUTE=hash, ATTRIBUTE=fake or ATTRIBUTE=drop"
            )
        if path in rules:
            raise InputError(f"--mask: {path} stands twice")
        rules[path] = Rule(path, method)
    return [*rules.values()]


class Masker:
    """Masks items.

    Args:
        masking: rules and key.
    """

    def __init__(self, masking: Masking) -> None:
        key = masking.key
        if len(key) > _KEY_BYTES_MAX:
            key = blake2b(key).digest()
        self._methods: dict[str, Callable[[str, Any], Any]] = {
            "hash": Hashes(key).scalar,
            "fake": Fakes(key).scalar,
        }
        self._rules = masking.rules
        self._matched: set[str] = set()

    @property
    def unmatched(self) -> list[str]:
        """The paths that no item had."""
        return [rule.path for rule in self._rules if rule.path not in self._matched]

    def masked(self, item: bytes | msgspec.Raw) -> bytes:
        """The JSON of an item with replaced values."""
        found = _decode(item)
        for rule in self._rules:
            # Names may have dots: then both that attribute and the path are replaced.
            names = rule.path.split(".")
            touched = self._apply(found, [rule.path], rule)
            if len(names) > 1:
                touched = self._apply(found, names, rule) or touched
            if touched:
                self._matched.add(rule.path)
        return _encode(found)

    def _apply(self, members: dict[str, Any], names: Sequence[str], rule: Rule) -> bool:
        """Apply a rule to what a path leads to; whether it leads to anything."""
        first, *others = names
        value = members.get(first)
        if value is None:
            return False
        if others:
            return self._within(value, others, rule)
        if rule.method == "drop":
            del members[first]
        else:
            members[first] = _replaced(value, self._methods[rule.method])
        return True

    def _within(self, value: _Value, names: Sequence[str], rule: Rule) -> bool:
        """Apply a rule within a map, or within all maps of a list."""
        if "M" in value:
            return self._apply(value["M"], names, rule)
        if "L" in value:
            touched = [self._within(each, names, rule) for each in value["L"]]
            return any(touched)
        return False


def _replaced(value: _Value, scalar: Callable[[str, Any], Any]) -> dict[str, Any]:
    """The value with all scalars in it replaced; names in maps are kept."""
    ((kind, content),) = value.items()
    made: Any = content
    match kind:
        case "L":
            made = [_replaced(each, scalar) for each in content]
        case "M":
            made = {name: _replaced(each, scalar) for name, each in content.items()}
        case "NULL":
            pass
        case _ if kind in MEMBER_OF_SET:
            made = [_scalar(MEMBER_OF_SET[kind], each, scalar) for each in content]
        case _:
            made = _scalar(kind, content, scalar)
    return {kind: made}


def _scalar(kind: str, content: Any, scalar: Callable[[str, Any], Any]) -> Any:
    return scalar(kind, _canonical(content) if kind == "N" else content)


def _canonical(number: str) -> str:
    """The number in DynamoDB's form, so that equal numbers become equal."""
    try:
        return canonical_number(number, Wording.CURRENT)
    except DynamoError:  # other servers may store what DynamoDB does not
        return number


class Hashes:
    """Replaces values by keyed hashes.

    A text becomes 32 hexadecimal digits, a binary value 16 bytes, a number a whole number of 37
    digits. A boolean has only two values, so it becomes false.

    Args:
        key: of at most 64 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def scalar(self, kind: str, content: Any) -> Any:
        """The hash of a value of type S, N, B or BOOL."""
        if kind == "BOOL":
            return False
        hashed = _hash(self._key, kind.encode(), content.encode())
        match kind:
            case "N":
                # Its first digit is not 0, so that all have the same length.
                number = int.from_bytes(hashed) % (9 * 10 ** (_NUMBER_DIGITS - 1))
                return str(number + 10 ** (_NUMBER_DIGITS - 1))
            case "B":
                return base64.b64encode(hashed).decode()
            case _:
                return hashed.hex()


def _hash(key: bytes, kind: bytes, content: bytes) -> bytes:
    return blake2b(content, key=key, digest_size=_HASH_BYTES, person=kind).digest()
