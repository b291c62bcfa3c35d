"""The rules of composite alarms: from text to a tree, and its value. Pure.

Source: API Reference of PutCompositeAlarm; CloudWatch User Guide, "Create a composite alarm". AND
binds before OR, NOT before both.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn, TypeAlias

import msgspec

from hashrange.limits.cloudwatch import (
    COMPOSITE_CHILDREN_MAX,
    COMPOSITE_ELEMENTS_MAX,
    COMPOSITE_LEVELS_MAX,
)
from hashrange.messages import cloudwatch as messages
from hashrange.tables.alarms.rows import ALARM, INSUFFICIENT_DATA, OK

STATES: Final = (ALARM, OK, INSUFFICIENT_DATA)
_NAME_PART: Final = 6
"""In an ARN."""
_CONSTANTS: Final = {"TRUE": True, "FALSE": False}
_tokens: Final = re.compile(
    r"""\s*(?:(?P<state>ALARM|OK|INSUFFICIENT_DATA)\s*
    \((?:\s*"(?P<quoted>[^"]+)"\s*|(?P<plain>[^"()]+))\)
    |(?P<word>AND|OR|NOT|TRUE|FALSE)\b
    |(?P<mark>[()])
    |(?P<end>\Z))""",
    re.VERBOSE | re.IGNORECASE,
).match


class RuleError(Exception):
    """A rule cannot be read; the text is the reason."""


class InState(msgspec.Struct, frozen=True):
    """An alarm has a state."""

    state: str
    name: str


class Constant(msgspec.Struct, frozen=True):
    """TRUE or FALSE."""

    value: bool


class Opposite(msgspec.Struct, frozen=True):
    """NOT."""

    node: "Node"


class Joined(msgspec.Struct, frozen=True):
    """AND, or OR, of several."""

    needs_all: bool
    nodes: Sequence["Node"]


Node: TypeAlias = InState | Constant | Opposite | Joined
_Token: TypeAlias = tuple[str, str, int]
"""Its kind, what it has of its own, and its position."""


class Rule(msgspec.Struct, frozen=True):
    """A rule, and the names of the alarms in it."""

    node: Node
    children: Sequence[str]


def rule_of(text: str) -> Rule:
    """The rule in a text. Raises RuleError."""
    tokens = _read(text)
    parser = _Parser(tokens)
    node = parser.either()
    parser.expect("end")
    children = dict.fromkeys(each.partition("\0")[2] for kind, each, _ in tokens if kind == "state")
    if len(children) > COMPOSITE_CHILDREN_MAX:
        raise RuleError(messages.rule_too_large(COMPOSITE_CHILDREN_MAX, "alarms"))
    return Rule(node, [*children])


def name_in(reference: str) -> str:
    """The name of an alarm that is named, or has an ARN."""
    parts = reference.split(":", _NAME_PART)
    return parts[-1] if reference.startswith("arn:") and len(parts) > _NAME_PART else reference


def holds(node: Node, states: Mapping[str, str]) -> bool:
    """Whether a rule holds; an alarm that is not there has no state."""
    match node:
        case InState(state=state, name=name):
            return states.get(name) == state
        case Constant(value=value):
            return value
        case Opposite(node=inner):
            return not holds(inner, states)
        case Joined(needs_all=needs_all, nodes=nodes):
            return (all if needs_all else any)(holds(each, states) for each in nodes)


def in_order(rules: Mapping[str, Rule]) -> list[str]:
    """The names of composite alarms, after those that they need; none of a cycle, or behind one."""
    left = {name: set(rule.children) & rules.keys() for name, rule in rules.items()}
    found: list[str] = []
    while ready := [name for name, needed in left.items() if not needed]:
        found += ready
        left = {
            name: needed.difference(ready) for name, needed in left.items() if name not in ready
        }
    return found


def _read(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = elements = 0
    while True:
        match = _tokens(text, at)
        if match is None:
            raise RuleError(messages.rule_syntax(at))
        if match["state"] is not None:
            name = name_in((match["quoted"] or match["plain"]).strip())
            token = ("state", f"{match['state'].upper()}\0{name}", match.start("state"))
        else:
            kind = str(match.lastgroup)
            token = (kind, match[kind].upper(), match.start(kind))
        found.append(token)
        if token[0] == "end":
            return found
        elements += token[1] not in {"AND", "OR", "NOT", ")"}
        if elements > COMPOSITE_ELEMENTS_MAX:
            raise RuleError(messages.rule_too_large(COMPOSITE_ELEMENTS_MAX, "elements"))
        at = match.end()


class _Parser:
    """Reads tokens by descending through the precedences; brackets bound the depth."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def either(self) -> Node:
        """Alternatives."""
        return self._joined("OR", self._both, needs_all=False)

    def expect(self, kind: str, text: str = "") -> None:
        """Take a token that must come."""
        if self._tokens[self._at][:2] != (kind, text):
            self._fail()
        self._at += 1

    def _both(self) -> Node:
        return self._joined("AND", self._negated, needs_all=True)

    def _joined(self, word: str, read: Callable[[], Node], *, needs_all: bool) -> Node:
        nodes = [read()]
        while self._tokens[self._at][:2] == ("word", word):
            self._at += 1
            nodes.append(read())
        return nodes[0] if len(nodes) == 1 else Joined(needs_all, nodes)

    def _negated(self) -> Node:
        is_opposite = False
        while self._tokens[self._at][:2] == ("word", "NOT"):
            self._at += 1
            is_opposite = not is_opposite
        node = self._element()
        return Opposite(node) if is_opposite else node

    def _element(self) -> Node:
        kind, text, _ = self._tokens[self._at]
        if kind == "state":
            self._at += 1
            state, _, name = text.partition("\0")
            return InState(state, name)
        if text in _CONSTANTS:
            self._at += 1
            return Constant(_CONSTANTS[text])
        self.expect("mark", "(")
        self._depth += 1
        if self._depth > COMPOSITE_LEVELS_MAX:
            raise RuleError(messages.too_deep())
        node = self.either()
        self._depth -= 1
        self.expect("mark", ")")
        return node

    def _fail(self) -> NoReturn:
        raise RuleError(messages.rule_syntax(self._tokens[self._at][2]))
