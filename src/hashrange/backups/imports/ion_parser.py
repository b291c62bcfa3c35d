r"""Text of Amazon Ion becomes nodes. Pure.

Source: the specification of Ion 1.0, "Ion Text" and its grammar. Not read are symbols by number
(`$10`) and tables of symbols, which text does not need.
"""

import re
from binascii import a2b_base64
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple


class Node(NamedTuple):
    """A value: its type in capitals, its content, and the first of its annotations."""

    kind: str
    content: Any
    note: str | None = None


class IonError(ValueError):
    """Text is not Ion, or has a symbol by number."""


def values_of(text: str, depth_max: int) -> list[Node]:
    """All values of a text but version markers.

    Raises IonError, also of containers deeper than `depth_max`.
    """
    parser = _Parser(text, depth_max)
    found = []
    while (node := parser.value("")) is not None:
        if node != _VERSION:
            found.append(node)
    return found


_VERSION: Final = Node("SYMBOL", "$ion_1_0")
_STOP: Final = r"(?=[{}\[\](),\"'\s]|\Z)"
_NUMBER: Final = r"-?(?:0|[1-9](?:_?[0-9])*+)(?:\.(?:[0-9](?:_?[0-9])*+)?)?"
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
# In this order: a long string begins as an empty symbol, a timestamp as an integer.
_PATTERNS: Final = {
    "LONG": r"'''(?:[^\\']|\\[\s\S]|'(?!''))*+'''",
    "QUOTED": r"''(?!')|'(?:[^\\'\n\r]|\\[\s\S])++'",
    "STRING": r'"(?:[^\\"\n\r]|\\[\s\S])*+"',
    "BLOB": r"\{\{[A-Za-z0-9+/=\s]*+\}\}",
    "CLOB": r"\{\{(?=\s*[\"'])",
    "TIMESTAMP": rf"(?:[0-9]{{4}}(?:-[0-9]{{2}})?T|{_DATE}(?:T(?:{_TIME})?)?){_STOP}",
    "INT": rf"-?(?:0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*+|0[bB][01](?:_?[01])*+){_STOP}",
    "FLOAT": rf"(?:{_NUMBER}[eE][+-]?[0-9]+|[+-]inf){_STOP}",
    "DECIMAL": rf"{_NUMBER}(?:[dD][+-]?[0-9]+)?{_STOP}",
    "WORD": r"[A-Za-z_$][A-Za-z0-9_$]*+",
    "MARK": r"::|[{}\[\](),:]",
    "OPERATOR": r"(?:[!#%&*+\-.;<=>?@^`|~]|/(?![/*]))+",
}
_token: Final = re.compile(
    "|".join(f"(?P<{kind}>{form})" for kind, form in _PATTERNS.items())
).match
_blank: Final = re.compile(r"(?:\s|//[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+", re.ASCII).match
_escape: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|[\s\S]?)"
).sub
_ESCAPED: Final = {
    **dict(zip("abtnfrv0", "\a\b\t\n\f\r\v\0", strict=True)),
    **{each: each for each in "\"'?/\\"},
    **dict.fromkeys(("\n", "\r", "\r\n"), ""),
}
_WORDS: Final = {
    "null": Node("NULL", None),
    "true": Node("BOOL", True),  # noqa: FBT003 - a value
    "false": Node("BOOL", False),  # noqa: FBT003 - a value
    "nan": Node("FLOAT", "nan"),
}
_TYPES: Final = frozenset(
    "null bool int float decimal timestamp symbol string clob blob struct list sexp".split()  # noqa: SIM905 - shorter
)
_is_number: Final = re.compile(r"\$[0-9]+").fullmatch


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    # A character beyond the first plane may be a pair of escapes, as in JSON.
    plain = _escape(lambda found: _character(found[0][1:]), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16")


def _character(escape: str) -> str:
    if escape[:1] in {"x", "u", "U"} and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape not in _ESCAPED:
        raise IonError("an escape that Ion does not have")
    return _ESCAPED[escape]


def _bytes(text: str) -> bytes:
    if len(text) % 4:  # Python takes more padding than there may be
        raise IonError("base64 that is cut off")
    return a2b_base64(text, strict_mode=True)


def _integer(text: str) -> str:
    return str(int(text.replace("_", ""), 0))


def _number(text: str) -> Node:
    plain = text.replace("_", "")
    if plain.lstrip("-").isdigit():
        return Node("INT", "0" if plain == "-0" else plain)
    return Node("DECIMAL", str(Decimal(plain.replace("d", "E").replace("D", "E"))))


_SCALARS: Final[Mapping[str, Callable[[str], Node]]] = {
    "STRING": lambda text: Node("STRING", _unescaped(text[1:-1])),
    "BLOB": lambda text: Node("BLOB", _bytes("".join(text[2:-2].split()))),
    "TIMESTAMP": lambda text: Node("TIMESTAMP", text),
    "INT": lambda text: Node("INT", _integer(text)),
    "FLOAT": lambda text: Node("FLOAT", text),
    "DECIMAL": _number,
}


class _Parser:
    def __init__(self, text: str, depth_max: int) -> None:
        self._text = text
        self._left = depth_max
        self._at = 0

    def value(self, ends: str) -> Node | None:
        """The next value; None at one of `ends`, or at the end of the text if there is none."""
        note = None
        while True:
            kind, text = self._next()
            if kind == "MARK" and text in ends and note is None:
                return None
            if kind is None and not ends and note is None:
                return None
            if kind not in {"WORD", "QUOTED"} or not self._passes("::"):
                node = self._value(kind, text, is_within_sexp=ends == ")")
                return node if note is None else node._replace(note=note)
            name = _symbol(kind, text)
            note = name if note is None else note

    def _next(self) -> tuple[str | None, str]:
        """The kind and the text of the next token; no kind at the end."""
        start = self._skipped()
        if start == len(self._text):
            return None, ""
        found = _token(self._text, start)
        if found is None or found.lastgroup is None:
            raise IonError("a character that begins no value")
        self._at = found.end()
        return found.lastgroup, found[0]

    def _skipped(self) -> int:
        blank = _blank(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        return self._at

    def _passes(self, mark: str) -> bool:
        """Whether a mark is next, which is passed then."""
        is_next = self._text.startswith(mark, self._skipped())
        self._at += len(mark) if is_next else 0
        return is_next

    def _value(self, kind: str | None, text: str, *, is_within_sexp: bool) -> Node:
        scalar = _SCALARS.get(kind or "")
        if scalar is not None:
            return scalar(text)
        read = _READERS.get(kind if kind != "MARK" else text)
        if kind == "OPERATOR" and is_within_sexp:
            return Node("SYMBOL", text)
        if read is None:
            raise IonError("a value is missing")
        if not self._left:
            raise IonError("containers are too deep")
        self._left -= 1
        try:
            return read(self, text)
        finally:
            self._left += 1

    def read_word(self, text: str) -> Node:
        if text == "null" and self._text.startswith(".", self._at):
            self._at += 1
            if self._next()[1] not in _TYPES:
                raise IonError("a null of no type")
        return _WORDS.get(text) or Node("SYMBOL", _symbol("WORD", text))

    def read_long(self, first: str) -> str:
        """A string in parts, of which the first is read."""
        parts = [first]
        while self._text.startswith("'''", self._skipped()):
            parts.append(self._next()[1])
        return "".join(_unescaped(part[3:-3]) for part in parts)

    def read_clob(self, _: str) -> Node:
        kind, text = self._next()
        content = self.read_long(text) if kind == "LONG" else _unescaped(text[1:-1])
        if kind not in {"LONG", "STRING"} or not self._passes("}}"):
            raise IonError("a clob that is not closed")
        return Node("CLOB", content)

    def read_struct(self, _: str) -> Node:
        found: dict[str, Node] = {}
        while True:
            kind, text = self._next()
            if text == "}":
                return Node("STRUCT", found)
            name = self.read_long(text) if kind == "LONG" else _symbol(kind, text)
            node = self.value("") if self._passes(":") else None
            if node is None:
                raise IonError("a field without a value")
            found[name] = node
            if not self._passes(","):
                if not self._passes("}"):
                    raise IonError("a struct that is not closed")
                return Node("STRUCT", found)

    def read_list(self, _: str) -> Node:
        found: list[Node] = []
        while (node := self.value("]")) is not None:
            found.append(node)
            if not self._passes(","):
                if not self._passes("]"):
                    raise IonError("a list that is not closed")
                break
        return Node("LIST", found)

    def read_sexp(self, _: str) -> Node:
        found: list[Node] = []
        while (node := self.value(")")) is not None:
            found.append(node)
        return Node("SEXP", found)


_READERS: Final[Mapping[str | None, Callable[[_Parser, str], Node]]] = {
    "WORD": _Parser.read_word,
    "QUOTED": lambda _, text: Node("SYMBOL", _symbol("QUOTED", text)),
    "LONG": lambda parser, text: Node("STRING", parser.read_long(text)),
    "CLOB": _Parser.read_clob,
    "{": _Parser.read_struct,
    "[": _Parser.read_list,
    "(": _Parser.read_sexp,
}


def _symbol(kind: str | None, text: str) -> str:
    """The text of a symbol, or of a string that names a field."""
    if kind in {"QUOTED", "STRING"}:
        return _unescaped(text[1:-1])
    if kind != "WORD" or text in _WORDS or _is_number(text):
        raise IonError("a name is missing")
    return text
