"""Search expressions: which metrics they find. Pure.

Source: CloudWatch User Guide, "CloudWatch search expression syntax". A text in quotes is found as a
whole; a word without quotes is found in what is part of a name, without regard to case.
"""

import re
from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from hashrange.api.aws_services.cloudwatch.expressions import ExpressionError
from hashrange.limits.cloudwatch import EXPRESSION_LEVELS_MAX
from hashrange.messages import cloudwatch as messages
from hashrange.tables.series.samples import StoredMetric

Test: TypeAlias = Callable[[StoredMetric], bool]

_tokens: Final = re.compile(r'\s*("[^"]*"|[()]|=|[^\s"()={},]+|\Z)').match
_schema: Final = re.compile(r"\s*\{([^{}]*)\}").match
_parts: Final = re.compile(r"[A-Za-z][a-z]*|[0-9]+").findall
_WORDS: Final = frozenset({"AND", "OR", "NOT", "(", ")", "=", ""})


class Search(msgspec.Struct, frozen=True):
    """A search expression.

    Attributes:
        namespace: in which metrics are found; None for all.
        test: whether a metric is found.
    """

    namespace: str | None
    test: Test


def search_of(text: str) -> Search:
    """The search of an expression. Raises ExpressionError."""
    namespace, names = None, None
    match = _schema(text)
    if match is not None:
        namespace, *listed = (_plain(each.strip()) for each in match[1].split(","))
        names = sorted(listed)
    at = 0 if match is None else match.end()
    parser = _Parser(_read(text, at))
    condition = parser.any_of()
    parser.end()

    def test(metric: StoredMetric) -> bool:
        if names is not None and [name for name, _ in metric.dimensions] != names:
            return False
        return (namespace is None or metric.namespace == namespace) and condition(metric)

    return Search(namespace, test)


def _read(text: str, at: int) -> list[str]:
    found = []
    while True:
        match = _tokens(text, at)
        if match is None:
            raise ExpressionError(messages.syntax_error(at))
        found.append(match[1])
        at = match.end()
        if not match[1]:
            return found


def _plain(word: str) -> str:
    return word[1:-1] if word.startswith('"') else word


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def any_of(self) -> Test:
        """Conditions with OR between them."""
        tests = [self._all_of()]
        while self._next == "OR":
            self._at += 1
            tests.append(self._all_of())
        return tests[0] if len(tests) == 1 else lambda metric: any(each(metric) for each in tests)

    def end(self) -> None:
        """The expression must end here."""
        if self._next:
            raise ExpressionError(messages.syntax_error(self._at))

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _all_of(self) -> Test:
        tests: list[Test] = []
        while self._next and self._next not in {"OR", ")"}:
            if tests and self._next == "AND":
                self._at += 1
            tests.append(self._one())
        return lambda metric: all(each(metric) for each in tests)

    def _one(self) -> Test:
        self._depth += 1
        if self._depth > EXPRESSION_LEVELS_MAX:
            raise ExpressionError(messages.too_deep())
        try:
            return self._condition()
        finally:
            self._depth -= 1

    def _condition(self) -> Test:
        word = self._tokens[self._at]
        self._at += 1
        if word == "NOT":
            inner = self._one()
            return lambda metric: not inner(metric)
        if word == "(":
            inner = self.any_of()
            if self._next != ")":
                self.end()
                raise ExpressionError(messages.syntax_error(self._at))
            self._at += 1
            return inner
        if word in _WORDS:
            raise ExpressionError(messages.syntax_error(self._at - 1))
        if self._next != "=":
            return _of_any(word)
        self._at += 1
        return self._property(_plain(word))

    def _property(self, name: str) -> Test:
        """The value of a property, or one of several in brackets."""
        word = self._tokens[self._at]
        if word == "(":
            self._at += 1
            values = []
            while self._next not in {")", ""}:
                values.append(self._next)
                self._at += 1
                if self._next in {"OR", "AND"}:
                    if self._next == "AND":
                        raise ExpressionError(messages.syntax_error(self._at))
                    self._at += 1
            if not values or self._next != ")":
                raise ExpressionError(messages.syntax_error(self._at))
        elif word in _WORDS:
            raise ExpressionError(messages.syntax_error(self._at))
        else:
            values = [word]
        self._at += 1
        return lambda metric: any(_has(value, _values(metric, name)) for value in values)


def _values(metric: StoredMetric, name: str) -> list[str]:
    if name == "MetricName":
        return [metric.name]
    if name == "Namespace":
        return [metric.namespace]
    return [value for key, value in metric.dimensions if key == name.removeprefix("Dimension.")]


def _of_any(word: str) -> Test:
    """A word anywhere: in the namespace, the name, the names and the values of dimensions."""

    def test(metric: StoredMetric) -> bool:
        return _has(word, [metric.namespace, metric.name, *sum(metric.dimensions, ())])

    return test


def _has(word: str, texts: list[str]) -> bool:
    if word.startswith('"'):
        return word[1:-1] in texts
    wanted = [each.lower() for each in _parts(word)] or [word.lower()]
    for text in texts:
        found = [each.lower() for each in _parts(text)]
        if word.lower() == text.lower() or all(each in found for each in wanted):
            return True
    return False
