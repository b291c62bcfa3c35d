"""Fake values of the same type and shape, by permutations that a key chooses. Pure.

Letters become letters, vowels vowels, digits digits, and all other signs stay: `Alice Smith`
becomes a name that can be pronounced. Dates become dates, UUIDs UUIDs, and addresses of mail get a
domain under example.com, which delivers nothing. Each shape is permuted within itself, so different
values never become equal.
"""

import base64
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from hashlib import blake2b
from math import prod
from typing import Any, Final

_ROUNDS: Final = 8
_BLOCK_CHARS: Final = 64
_BLOCK_BYTES: Final = 64
"""A block has 512 bits at most, and half of them are one digest."""
_UNICODE_BLOCK: Final = 128
_DATES: Final = (date(1900, 1, 1).toordinal(), date(2100, 1, 1).toordinal())
_DAY_SECONDS: Final = 86_400
_MAIL_DOMAIN: Final = ".example.com"
_is_mail: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+").fullmatch
_is_date: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:([T ])([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
).fullmatch
_is_uuid: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
).fullmatch
_VOWELS: Final = "aeiou"
_CONSONANTS: Final = "bcdfghjklmnpqrstvwxyz"
_ALPHABETS: Final = (
    "0123456789",
    _VOWELS,
    _CONSONANTS,
    _VOWELS.upper(),
    _CONSONANTS.upper(),
)
_ALPHABET_OF: Final = {sign: alphabet for alphabet in _ALPHABETS for sign in alphabet}
_HEXADECIMAL: Final = "0123456789abcdef"


class Fakes:
    """Replaces values by fake ones.

    Args:
        key: of at most 64 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def scalar(self, kind: str, content: Any) -> Any:
        """The fake of a value of type S, N, B or BOOL; of a boolean it is false."""
        match kind:
            case "BOOL":
                return False
            case "N":
                return self._number(content)
            case "B":
                return base64.b64encode(self._binary(base64.b64decode(content))).decode()
            case _:
                return self._text(content)

    def _text(self, text: str) -> str:
        shape = _shape(text)
        made = self._of_shape(shape, text)
        # A permutation of a larger set that contains the shape, repeated until it is back in the
        # shape, is a permutation of the shape.
        while _shape(made) != shape:
            made = self._of_shape(shape, made)
        return made + _MAIL_DOMAIN if shape == "mail" else made

    def _of_shape(self, shape: str, text: str) -> str:
        match shape:
            case "date":
                return self._date(text)
            case "uuid":
                # Version and variant stay.
                alphabets = [
                    _HEXADECIMAL if sign != "-" and place not in {14, 19} else sign
                    for place, sign in enumerate(text)
                ]
                return self._signs(text, alphabets)
            case _:
                return self._signs(text, [_alphabet(sign) for sign in text])

    def _date(self, text: str) -> str:
        match = _is_date(text)
        assert match is not None, "it has the shape"
        made = self._day(date.fromisoformat(match[1])).isoformat()
        if match[2] is None:
            return made
        hours, minutes, seconds = map(int, match.group(3, 4, 5))
        second = self._permuted((hours * 60 + minutes) * 60 + seconds, _DAY_SECONDS, b"second")
        minutes, seconds = divmod(second, 60)
        hours, minutes = divmod(minutes, 60)
        fraction = self._of_shape("text", match[6] or "")
        return f"{made}{match[2]}{hours:02}:{minutes:02}:{seconds:02}{fraction}{match[7] or ''}"

    def _day(self, day: date) -> date:
        """A day of the years 1900 to 2099 for one of them, else of the years before or after."""
        first, end = _DATES
        number = day.toordinal()
        bounds = (first, end) if first <= number < end else (end, date.max.toordinal() + 1)
        if number < first:
            bounds = (1, first)
        start, size = bounds[0], bounds[1] - bounds[0]
        return date.fromordinal(start + self._permuted(number - start, size, b"day"))

    def _number(self, text: str) -> str:
        """Other significant digits; sign, point, exponent and zeros at the end stay."""
        mantissa, mark, exponent = re.split(r"([eE]|$)", text, maxsplit=1)
        places = [place for place, sign in enumerate(mantissa) if sign.isdigit()]
        first = next((place for place in places if mantissa[place] != "0"), None)
        if first is None:
            return text
        last = next(place for place in reversed(places) if mantissa[place] != "0")
        alphabets = [
            "0123456789" if sign.isdigit() and first <= place <= last else sign
            for place, sign in enumerate(mantissa)
        ]
        for place in {first, last}:
            alphabets[place] = "123456789"
        return self._signs(mantissa, alphabets) + mark + exponent

    def _binary(self, content: bytes) -> bytes:
        blocks = [
            content[start : start + _BLOCK_BYTES] for start in range(0, len(content), _BLOCK_BYTES)
        ]

        def permute(block: bytes, tweak: bytes) -> bytes:
            number = self._permuted(int.from_bytes(block), 256 ** len(block), tweak)
            return number.to_bytes(len(block))

        return b"".join(_chained(blocks, permute, lambda block: block))

    def _signs(self, text: str, alphabets: Sequence[str]) -> str:
        """A text whose signs are of the same alphabets, permuted as a whole."""
        blocks = [
            (text[start : start + _BLOCK_CHARS], alphabets[start : start + _BLOCK_CHARS])
            for start in range(0, len(text), _BLOCK_CHARS)
        ]

        def permute(block: tuple[str, Sequence[str]], tweak: bytes) -> tuple[str, Sequence[str]]:
            signs, of = block
            size = prod(map(len, of))
            if size == 1:
                return block
            number = 0
            for sign, alphabet in zip(signs, of, strict=True):
                number = number * len(alphabet) + alphabet.index(sign)
            number = self._permuted(number, size, tweak)
            made = []
            for alphabet in reversed(of):
                number, place = divmod(number, len(alphabet))
                made.append(alphabet[place])
            return "".join(reversed(made)), of

        made = _chained(blocks, permute, lambda block: block[0].encode("utf-8", "surrogatepass"))
        return "".join(signs for signs, _ in made)

    def _permuted(self, number: int, size: int, tweak: bytes) -> int:
        """A permutation of the numbers below `size`: a Feistel network, until it is below."""
        if size == 1:
            return number
        bits = max(2, (size - 1).bit_length())
        low = bits // 2
        high = bits - low
        while True:
            left, right = number >> low, number & ((1 << low) - 1)
            for turn in range(_ROUNDS):
                if turn % 2:
                    right ^= self._drawn(left, turn, size, tweak) & ((1 << low) - 1)
                else:
                    left ^= self._drawn(right, turn, size, tweak) & ((1 << high) - 1)
            number = left << low | right
            if number < size:
                return number

    def _drawn(self, number: int, turn: int, size: int, tweak: bytes) -> int:
        text = b"%d %x %x " % (turn, size, number) + tweak
        return int.from_bytes(blake2b(text, key=self._key, person=b"fake").digest())


def _chained(
    blocks: Sequence[Any],
    permute: Callable[[Any, bytes], Any],
    encoded: Callable[[Any], bytes],
) -> list[Any]:
    """Permute blocks so that each depends on all: forward and, if there are several, backward."""
    made = [*blocks]
    passes = (
        [range(len(made)), range(len(made) - 1, -1, -1)] if len(made) > 1 else [range(len(made))]
    )
    for number, places in enumerate(passes):
        tweak = b"%d" % number
        for place in places:
            made[place] = permute(made[place], tweak)
            tweak = blake2b(tweak + encoded(made[place]), digest_size=16).digest()
    return made


def _shape(text: str) -> str:
    if _is_uuid(text):
        return "uuid"
    if _is_mail(text):
        return "mail"
    match = _is_date(text)
    if match is not None:
        try:
            date.fromisoformat(match[1])
        except ValueError:
            return "text"
        return "date"
    return "text"


def _alphabet(sign: str) -> str:
    found = _ALPHABET_OF.get(sign)
    if found is not None:
        return found
    return sign if sign.isascii() else _letters_like(sign)


@cache
def _letters_like(sign: str) -> str:
    """The letters and digits near a sign in Unicode that are of its kind; itself, if it is none."""
    kind = unicodedata.category(sign)
    if kind[0] not in "LN":
        return sign
    start = ord(sign) - ord(sign) % _UNICODE_BLOCK
    near = [chr(code) for code in range(start, start + _UNICODE_BLOCK)]
    return "".join(
        each for each in near if unicodedata.category(each) == kind and not each.isascii()
    )
