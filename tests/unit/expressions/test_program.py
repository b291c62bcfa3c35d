"""`bind`: what it keeps, what it does not, and what it answers."""

import gc
import sys

import pytest

from hashrange.errors import DynamoError
from hashrange.expressions import program
from hashrange.expressions.program import Sources, bind, check_presence, condition_of, update_of
from hashrange.expressions.syntax import Add, Comparison, Constant, Delete, Path, Set
from hashrange.limits.requests import EXPRESSION_SHAPE_CHARS_MAX, PLACEHOLDERS_BYTES_MAX
from hashrange.model.wording import Wording
from tests.unit.caches import forget, known
from tests.unit.expressions.requests import CURRENT, OLDER, bound, refused


def test_nothing_at_all():
    answer = bound()
    parts = [answer.condition, answer.filter, answer.key_condition, answer.update]
    assert [*parts, answer.projection] == [None] * 5


def test_all_at_once():
    answer = bound(
        {"#a": "a"},
        {":v": {"S": "x"}},
        condition="#a = :v",
        filter="b = :v",
        key_condition="c = :v",
        update="SET d = :v",
        projection="#a, e",
    )
    assert answer.condition.holds({"a": {"S": "x"}})
    assert answer.filter.holds({"b": {"S": "x"}})
    assert answer.key_condition[0].attribute == "c"
    assert answer.update.apply({}) == {"d": {"S": "x"}}
    assert answer.projection.names == ("a", "e")


# The values of one request must not be seen by the next one of the same shape.
def test_each_request_has_its_own_values():
    texts = {"condition": "a = :v AND b < :n", "update": "SET c = :v"}
    first = bound(None, {":v": {"S": "x"}, ":n": {"N": "5"}}, **texts)
    second = bound(None, {":v": {"S": "y"}, ":n": {"N": "3"}}, **texts)
    assert first.condition.test is second.condition.test, "compiled once"
    assert first.condition.holds({"a": {"S": "x"}, "b": {"N": "4"}})
    assert not second.condition.holds({"a": {"S": "y"}, "b": {"N": "4"}})
    assert first.update.apply({}) == {"c": {"S": "x"}}
    assert second.update.apply({}) == {"c": {"S": "y"}}


# One text says different things about values of different types.
def test_shapes_differ_by_the_types_of_values():
    expression = "shapes_differ < :v"
    item = {"shapes_differ": {"N": "10"}}
    assert bound(None, {":v": {"N": "9.5"}}, filter=expression).filter.holds(item) is False
    assert bound(None, {":v": {"N": "10.5"}}, filter=expression).filter.holds(item) is True
    assert bound(None, {":v": {"S": "9"}}, filter=expression).filter.holds(item) is False
    assert "operand type: BOOL" in refused(None, {":v": {"BOOL": True}}, filter=expression)


def test_shapes_differ_by_what_names_stand_for():
    item = {"x": {"S": "1"}}
    assert bound({"#n": "x"}, condition="attribute_exists(#n)").condition.holds(item)
    assert not bound({"#n": "y"}, condition="attribute_exists(#n)").condition.holds(item)


def test_shapes_differ_by_the_order_of_values():
    one = bound(None, {":a": {"S": "a"}, ":b": {"S": "b"}}, update="SET x = :a, y = :b")
    two = bound(None, {":b": {"S": "b"}, ":a": {"S": "a"}}, update="SET x = :a, y = :b")
    assert one.update.apply({}) == two.update.apply({}) == {"x": {"S": "a"}, "y": {"S": "b"}}


def test_a_refused_shape_is_refused_again():
    for _ in range(2):
        assert "not defined" in refused(condition="refused_again = :v")


def test_values_are_made_canonical():
    answer = bound(None, {":v": {"N": "1.0"}, ":s": {"SS": ["b", "a"]}}, update="SET a=:v, b=:s")
    assert answer.update.apply({}) == {"a": {"N": "1"}, "b": {"SS": ["a", "b"]}}


# A shape is kept for long; the values of the request that brought it must not be.
def test_values_are_not_kept():
    content = "values that nobody keeps" + "!" * len(gc.get_objects()[:1])
    before = sys.getrefcount(content)
    answer = bound(
        None,
        {":v": {"S": content}, ":w": {"S": content}, ":t": {"S": "S"}},
        condition="a BETWEEN :v AND :w AND attribute_type(b, :t) AND begins_with(c, :v)",
        update="SET values_are_not_kept = :v",
    )
    assert sys.getrefcount(content) > before
    del answer
    gc.collect()
    assert sys.getrefcount(content) == before


# What is refused, and what is huge, is sent by whoever wants to fill the memory.
def test_refused_and_huge_shapes_are_not_kept():
    forget(program)
    refused({f"#{'x' * 60_000}": "a"}, projection="a")
    refused(condition="a = (")
    bound({"#a": "x" * EXPRESSION_SHAPE_CHARS_MAX}, projection="#a")
    assert known(program) == 0
    bound({"#a": "x"}, projection="#a")
    assert known(program) == 1


def test_the_older_layer_names_the_value_at_fault():
    values = {":a": {"SS": ["x", "x"]}, ":b": {"N": "?"}}
    assert refused(None, values, OLDER, condition="a = :a OR a = :b") == (
        "ExpressionAttributeValues contains invalid value: One or more parameter values were "
        "invalid: Input collection [x, x] contains duplicates. for key :a"
    )
    assert refused(None, values, CURRENT, condition="a = :a OR a = :b").endswith(
        'Input collection ["x", "x"] contains duplicates.'
    )


# Longer than any name may be.
def test_endless_placeholders_of_values():
    long = ":" + "a" * 70_000
    for wording in CURRENT, OLDER:
        with pytest.raises(DynamoError, match="a key that is too long"):
            bind(Sources(condition="a = b"), None, {long: {"S": ""}}, wording=wording)


# For operations that look at other values of the request first.
def test_presence_alone():
    check_presence(Sources(), None, None)
    check_presence(Sources(projection="a ="), {"bad": ""}, None)
    check_presence(Sources(condition=""), {}, {"bad": {}})
    with pytest.raises(DynamoError, match=r"^ExpressionAttributeNames can only be"):
        check_presence(Sources(), {}, {})
    with pytest.raises(DynamoError, match=r": FilterExpression is null$"):
        check_presence(Sources(projection="a"), None, {}, absent=": FilterExpression is null")


def test_paths_of_conditions():
    condition = bound({"#a": "a"}, condition="#a.b[1] = c OR size(d) > a AND c <> #a").condition
    assert condition.paths == (("a", "b", 1), ("c",), ("d",), ("a",))


def test_conditions_of_trees():
    tree = Comparison(">", Constant(1), Path(("a",)))
    condition = condition_of(tree, [{"S": "x"}, {"N": "10"}])
    assert condition.holds({"a": {"N": "9"}})
    assert not condition.holds({"a": {"N": "11"}})
    assert not condition.holds({"a": {"S": "9"}})


# AttributeUpdates adds to lists, and has its own word for stored values of another type.
def test_updates_of_trees():
    a, b = Path(("a",)), Path(("b",))
    update = update_of([Add(a, Constant(0), legacy=True)], [{"L": [{"S": "y"}]}])
    assert update.apply({"a": {"L": [{"S": "x"}]}}) == {"a": {"L": [{"S": "x"}, {"S": "y"}]}}
    assert update.apply({}) == {"a": {"L": [{"S": "y"}]}}
    for action in Add(b, Constant(0), legacy=True), Delete(b, Constant(0), legacy=True):
        with pytest.raises(DynamoError, match="Type mismatch for attribute to update"):
            update_of([action], [{"SS": ["x"]}]).apply({"b": {"NS": ["1"]}})
    assert update_of([Set(a, Constant(0))], [{"S": "x"}]).apply({"b": {"S": "y"}}) == {
        "a": {"S": "x"},
        "b": {"S": "y"},
    }


# What is known of a shape says nothing of the next request's values.
def test_values_of_a_known_shape_are_checked():
    text = {"condition": "values_of_a_known_shape IN (:a, :b)"}
    good = {":a": {"S": "x"}, ":b": {"S": "y"}}
    bound(None, good, **text)
    room = PLACEHOLDERS_BYTES_MAX - len(":a:b")
    for content, size in ("x", 1), ("\u00e9", 2), ("\U0001f600", 4):
        half = content * (room // size // 2)
        bound(None, {":a": {"S": half}, ":b": {"S": half}}, **text)
        too_large = {":a": {"S": half}, ":b": {"S": half + 2 * content}}
        assert "exceeds max size" in refused(None, too_large, **text)
    # As many names of types, and as many values, but not one for each.
    for first, second in [({}, {"S": "x", "N": "1"}), ({"S": "x", "N": "1"}, {})]:
        values = {":a": first, ":b": second}
        forget(program)
        text_of_all = refused(None, values, **text)
        bound(None, good, **text)
        bound(None, {":a": {"S": "x"}, ":b": {"N": "1"}}, **text)
        assert refused(None, values, **text) == text_of_all
    numbers = {":a": {"S": "x"}, ":b": {"N": "1"}}
    bound(None, numbers, **text)
    for wording in CURRENT, OLDER:
        wrong = {":a": {"S": "x"}, ":b": {"N": "one"}}
        told = refused(None, wrong, wording, **text)
        forget(program)
        assert refused(None, wrong, wording, **text) == told


def test_wording_is_not_part_of_the_shape():
    texts = {"condition": "wording_is_not_part = :v"}
    values = {":v": {"S": "x"}}
    one = bound(None, values, Wording.CURRENT, **texts)
    two = bound(None, values, Wording.OLDER, **texts)
    assert one.condition.test is two.condition.test
