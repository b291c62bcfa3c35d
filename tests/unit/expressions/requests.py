"""Requests in short: what `bind` answers or refuses for some expressions."""

import pytest

from hashrange.errors import DynamoError
from hashrange.expressions.program import Sources, bind
from hashrange.model.wording import Wording

CURRENT = Wording.CURRENT
OLDER = Wording.OLDER

# One value of each type, under the placeholder of its name.
TYPED = {
    ":s": {"S": "a"},
    ":n": {"N": "1"},
    ":b": {"B": "YQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":bs": {"BS": ["YQ=="]},
    ":l": {"L": [{"S": "a"}]},
    ":m": {"M": {"a": {"S": "a"}}},
}


def bound(names=None, values=None, wording=CURRENT, absent="", **texts):
    """What `bind` answers."""
    return bind(Sources(**texts), names, values, wording=wording, absent=absent)


def refusal(names=None, values=None, wording=CURRENT, absent="", **texts):
    """The fault that `bind` raises."""
    with pytest.raises(DynamoError) as caught:
        bind(Sources(**texts), names, values, wording=wording, absent=absent)
    return caught.value


def refused(names=None, values=None, wording=CURRENT, absent="", **texts):
    """The text of the fault that `bind` raises."""
    return refusal(names, values, wording, absent, **texts).message


def used(text, values):
    """Those of `values` that occur in a text, so that none is unused."""
    words = {word.rstrip(",)") for word in text.replace("(", " ").replace(",", " ").split()}
    return {key: value for key, value in values.items() if key in words} or None


def condition(text, values=None, names=None):
    """A condition; of `values` only those that it uses are sent."""
    return bound(names, used(text, values or {}), condition=text).condition


def update(text, values=None, names=None):
    """An update; of `values` only those that it uses are sent."""
    return bound(names, used(text, values or {}), update=text).update
