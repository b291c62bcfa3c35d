"""What is kept of requests, and when it is forgotten."""

from hashrange.expressions.plans import Plans


def plans():
    return Plans(plans_max=3, chars_max=100, plan_chars_max=50)


def kept(some, *shapes):
    return [shape for shape in shapes if some.get(shape) is not None]


def test_what_is_kept_is_found():
    some = plans()
    some.keep("a", 1, 10)
    assert some.get("a") == 1
    assert some.get("b") is None


def test_large_ones_are_not_kept():
    some = plans()
    some.keep("a", 1, 50)
    some.keep("b", 2, 51)
    assert kept(some, "a", "b") == ["a"]


def test_one_too_many_and_all_are_forgotten():
    some = plans()
    for shape in "abcd":
        some.keep(shape, 1, 1)
    assert kept(some, *"abcd") == ["d"]


def test_characters_count_too_and_anew_once_all_are_forgotten():
    some = plans()
    for shape in "abc":
        some.keep(shape, 1, 50)
    assert kept(some, *"abc") == ["c"]
    some.keep("d", 1, 50)
    assert kept(some, *"cd") == ["c", "d"]


def test_all_can_be_forgotten():
    some = plans()
    some.keep("a", 1, 50)
    some.clear()
    for shape in "bc":
        some.keep(shape, 1, 50)
    assert kept(some, *"abc") == ["b", "c"]
