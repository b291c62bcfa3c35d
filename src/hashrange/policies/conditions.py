"""Conditions as tests of a request's context, compiled for a principal and a resource. Pure.

What is known of the principal and the resource is evaluated once; what remains are tests of the
request. Source: IAM User Guide, "Single-valued vs. multivalued context keys" and "Policy variables
with no value".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.policies.operators import NULL, OPERATORS, Operator
from hashrange.policies.syntax import Condition
from hashrange.policies.variables import Context, Template, is_known, resolved, template_of
from hashrange.policies.wildcards import Matcher, Pattern

Test: TypeAlias = Callable[[Context], bool]
Values: TypeAlias = tuple[str, ...]
_ValuesTest: TypeAlias = Callable[[Values | None], bool]

_KNOWN_KEYS: Final = frozenset(
    {
        "aws:multifactorauthpresent",
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principaltype",
        "aws:tokenissuetime",
        "aws:userid",
        "aws:username",
        "aws:resourceaccount",
    }
)
_KNOWN_PREFIXES: Final = ("aws:principaltag/", "aws:resourcetag/")


class Known(msgspec.Struct, frozen=True):
    """The keys that are the same in all requests of a principal for a resource.

    Attributes:
        context: the values of those that have any.
    """

    context: Context

    def knows(self, key: str) -> bool:
        """Whether the principal and the resource alone decide what value a key has, or that none.

        A key that is given here is known, whatever its name.
        """
        if key in self.context or key in _KNOWN_KEYS:
            return True
        return key.startswith(_KNOWN_PREFIXES)


def request_tests(
    conditions: Iterable[Condition], known: Known, *, has_variables: bool
) -> tuple[Test, ...] | None:
    """The tests that a request must pass for all conditions; None if no request can."""
    tests = []
    for condition in conditions:
        test = _test_of(condition, known, has_variables=has_variables)
        if test is False:
            return None
        if test is not True:
            tests.append(test)
    return tuple(tests)


def _test_of(condition: Condition, known: Known, *, has_variables: bool) -> Test | bool:
    """One condition; True or False if the principal and the resource alone decide it."""
    key = condition.key
    if condition.operator == NULL:
        holds = _null_test(condition.values)
    else:
        operator = OPERATORS[condition.operator]
        variables = has_variables and operator.has_variables
        templates = [template_of(text, has_variables=variables) for text in condition.values]
        if not all(is_known(template, known.knows) for template in templates):
            return _open_test(condition, operator, templates, known)
        patterns = _patterns(templates, known.context)
        holds = _values_test(condition, operator, patterns)
    if known.knows(key):
        return holds(known.context.get(key))
    return _on_key(key, holds)


def _on_key(key: str, holds: _ValuesTest) -> Test:
    return lambda context: holds(context.get(key))


def _patterns(templates: Iterable[Template], context: Context) -> list[Pattern]:
    """The values of a policy; a variable without a value is equal to nothing and like nothing."""
    found = (resolved(template, context) for template in templates)
    return [pattern for pattern in found if pattern is not None]


def _open_test(
    condition: Condition, operator: Operator, templates: Sequence[Template], known: Known
) -> Test:
    """A test whose expected values are the request's own, by variables."""

    def test(context: Context) -> bool:
        everything = {**context, **known.context}
        patterns = _patterns(templates, everything)
        return _values_test(condition, operator, patterns)(everything.get(condition.key))

    return test


def _null_test(expected: Values) -> _ValuesTest:
    texts = {text.lower() for text in expected}
    if_absent, if_present = "true" in texts, "false" in texts
    return lambda values: if_present if values else if_absent


def _values_test(
    condition: Condition, operator: Operator, patterns: Sequence[Pattern]
) -> _ValuesTest:
    """What the values of the condition's key must be; None and no values are the same."""
    matcher = operator.matcher_of(patterns)
    if condition.quantifier == "ForAllValues":
        return _for_all(matcher, negated=operator.negated)
    if condition.quantifier == "ForAnyValue":
        return _for_any(matcher, negated=operator.negated, if_absent=condition.if_exists)
    return _for_one(matcher, negated=operator.negated, if_absent=condition.if_exists)


def _for_all(matcher: Matcher, *, negated: bool) -> _ValuesTest:
    """Also true of no values, so that `IfExists` makes no difference."""
    if negated:
        return lambda values: not values or not any(map(matcher, values))
    return lambda values: not values or all(map(matcher, values))


def _for_any(matcher: Matcher, *, negated: bool, if_absent: bool) -> _ValuesTest:
    if negated:
        return lambda values: not all(map(matcher, values)) if values else if_absent
    return lambda values: any(map(matcher, values)) if values else if_absent


def _for_one(matcher: Matcher, *, negated: bool, if_absent: bool) -> _ValuesTest:
    """Several values are no single value, so they match nothing. AWS leaves this open."""
    if negated:
        return lambda values: not values or len(values) != 1 or not matcher(values[0])
    return lambda values: len(values) == 1 and matcher(values[0]) if values else if_absent
