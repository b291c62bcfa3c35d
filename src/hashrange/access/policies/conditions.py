"""Conditions as tests of a request's context, compiled for a principal and a resource. Pure.

Conditions on keys of the principal and the resource are evaluated once; the rest are tests of each
request. Source: IAM User Guide, "Single-valued vs. multivalued context keys" and "Policy variables
with no value".
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from hashrange.access.policies.connections import CONNECTION_KEYS
from hashrange.access.policies.operators import NULL, OPERATORS, Operator, is_true, texts_of
from hashrange.access.policies.syntax import Condition
from hashrange.access.policies.variables import (
    Context,
    Template,
    is_fixed,
    keys_of,
    resolved,
    template_of,
)
from hashrange.access.policies.wildcards import Matcher, Pattern

Test: TypeAlias = Callable[[Context], bool]

FIXED_KEYS: Final = frozenset(
    {
        "aws:multifactorauthpresent",
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principalisawsservice",
        "aws:principaltype",
        "aws:tokenissuetime",
        "aws:userid",
        "aws:username",
        "aws:resourceaccount",
        "aws:viaawsservice",
    }
)
_SET: Final = "aws:tagkeys"
"""A key that was recorded to fulfil no condition without a quantifier, even with one value."""
FIXED_PREFIXES: Final = ("aws:principaltag/", "aws:resourcetag/")


class FixedKeys(msgspec.Struct, frozen=True):
    """The keys that are the same in all requests of a principal for a resource.

    Attributes:
        context: the values of those that have any.
    """

    context: Context

    def fixes(self, key: str) -> bool:
        """Whether the principal and the resource alone decide what value a key has, or that none.

        A key that is given here is fixed, whatever its name.
        """
        if key in self.context or key in FIXED_KEYS:
            return True
        return key.startswith(FIXED_PREFIXES)


def is_of_connection(condition: Condition, fixed: FixedKeys, *, has_variables: bool) -> bool:
    """Whether a condition can be tested before a request has a plan."""

    def known(key: str) -> bool:
        return key in CONNECTION_KEYS or fixed.fixes(key)

    templates = [template_of(text, has_variables=has_variables) for text in condition.values]
    return known(condition.key) and all(is_fixed(template, known) for template in templates)


def keys_of_conditions(conditions: Iterable[Condition], *, has_variables: bool) -> set[str]:
    """The keys that conditions look at: their own, and those of variables in their values."""
    found = set()
    for condition in conditions:
        found.add(condition.key)
        for text in condition.values:
            found |= keys_of(template_of(text, has_variables=has_variables))
    return found


def request_tests(
    conditions: Iterable[Condition], fixed: FixedKeys, *, has_variables: bool
) -> tuple[Test, ...] | None:
    """The tests that a request must pass for all conditions; None if no request can."""
    tests = []
    for condition in conditions:
        test = _test_of(condition, fixed, has_variables=has_variables)
        if test is False:
            return None
        if test is not True:
            tests.append(test)
    return tuple(tests)


def _test_of(condition: Condition, fixed: FixedKeys, *, has_variables: bool) -> Test | bool:
    """One condition; True or False if the principal and the resource alone decide it."""
    if condition.operator == NULL:
        test = _null_test(condition)
    else:
        operator = OPERATORS[condition.operator]
        variables = has_variables and operator.has_variables
        templates = [template_of(text, has_variables=variables) for text in condition.values]
        if not all(is_fixed(template, fixed.fixes) for template in templates):
            return _open_test(condition, operator, templates, fixed)
        test = _values_test(condition, operator, _patterns(templates, fixed.context))
    return test(fixed.context) if fixed.fixes(condition.key) else test


def _patterns(templates: Iterable[Template], context: Context) -> list[Pattern]:
    """The values of a policy; a variable without a value is equal to nothing and like nothing."""
    found = (resolved(template, context) for template in templates)
    return [pattern for pattern in found if pattern is not None]


def _open_test(
    condition: Condition, operator: Operator, templates: Sequence[Template], fixed: FixedKeys
) -> Test:
    """A test whose expected values are the request's own, by variables."""

    def test(context: Context) -> bool:
        everything = {**context, **fixed.context}
        patterns = _patterns(templates, everything)
        return _values_test(condition, operator, patterns)(everything)

    return test


def _null_test(condition: Condition) -> Test:
    key, expected = condition.key, {is_true(text) for text in condition.values}
    if_absent, if_present = True in expected, False in expected
    return lambda context: if_present if context.get(key) else if_absent


def _values_test(condition: Condition, operator: Operator, patterns: Sequence[Pattern]) -> Test:
    """A test of the values of the condition's key; no key and no values are the same."""
    key, matcher, negated = condition.key, operator.matcher_of(patterns), operator.negated
    if negated and operator.is_value is not None:
        matcher, negated = _others(matcher, operator.is_value), False
    if condition.quantifier == "ForAllValues":
        return _for_all(key, matcher, negated=negated)
    if condition.quantifier == "ForAnyValue":
        return _for_any(key, matcher, negated=negated, if_absent=condition.if_exists)
    if_absent = operator.negated or condition.if_exists
    if key == _SET:
        return lambda context: if_absent and not context.get(key)
    return _for_one(key, matcher, negated=negated, if_absent=if_absent)


def _others(matcher: Matcher, is_value: Matcher) -> Matcher:
    return lambda value: is_value(value) and not matcher(value)


def _for_all(key: str, matcher: Matcher, *, negated: bool) -> Test:
    """Also true of no values, so that `IfExists` makes no difference."""
    expected = texts_of(matcher)
    if expected is not None:
        # The two conditions of most policies on items; a set compares all values in one call.
        compares = expected.isdisjoint if negated else expected.issuperset
        return lambda context: compares(context.get(key, ()))
    if negated:
        return lambda context: not any(map(matcher, context.get(key, ())))
    return lambda context: all(map(matcher, context.get(key, ())))


def _for_any(key: str, matcher: Matcher, *, negated: bool, if_absent: bool) -> Test:
    def test(context: Context) -> bool:
        values = context.get(key)
        if not values:
            return if_absent
        return not all(map(matcher, values)) if negated else any(map(matcher, values))

    return test


def _for_one(key: str, matcher: Matcher, *, negated: bool, if_absent: bool) -> Test:
    """Several values are no single value, so they match nothing. AWS leaves this open."""

    def test(context: Context) -> bool:
        values = context.get(key)
        if not values:
            return if_absent
        return (len(values) == 1 and matcher(values[0])) != negated

    return test
