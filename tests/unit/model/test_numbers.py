import itertools
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow, Subnormal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hashrange.errors import DynamoError, Fault
from hashrange.model.numbers import add, canonical_number, number_bytes, sort_key, subtract
from hashrange.model.wording import Wording
from tests.pace import costs_at_most
from tests.rows import rows
from tests.unit.model.strategies import WIDE, numbers

NOT_NUMERIC = "The parameter cannot be converted to a numeric value: "
TOO_MANY_DIGITS = "Attempting to store more than 38 significant digits in a Number"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)

# Exact in everything that a number may be, and loud about all else: what DynamoDB promises.
EXACT = Context(prec=38, Emin=-130, Emax=125, traps=[Inexact, Overflow, Subnormal])

LARGEST = "9" * 38 + "0" * 88
SMALLEST = "0." + "0" * 129 + "1"
EDGES = [
    *("0", "1", "9" * 38, "1" + "0" * 37, "1" + "0" * 38, "1" + "0" * 36 + "1", LARGEST),
    *("9" * 37, "1" + "0" * 125, "1" + "0" * 88, SMALLEST, f"{SMALLEST}{'0' * 36}1"),
    *(f"0.{'0' * 37}1", f"1.{'0' * 36}1", f"1.{'0' * 36}2", f"{SMALLEST}5"),
]

canonical_numbers = st.one_of(
    numbers().map(lambda text: canonical_number(text, Wording.CURRENT)),
    st.sampled_from(EDGES),
    st.sampled_from(EDGES).map(lambda number: number if number == "0" else f"-{number}"),
)


def outcome(function, *arguments):
    """What is answered, or why not."""
    try:
        return function(*arguments)
    except DynamoError as error:
        return error.message


def refusal(text, wording=Wording.CURRENT):
    with pytest.raises(DynamoError) as caught:
        canonical_number(text, wording)
    assert caught.value.fault is Fault.VALIDATION
    assert not caught.value.bare, "bad numbers are enveloped wherever anything is"
    return caught.value.message


NO_NUMBERS = (
    *("abc", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5.0", "1e5e5", "1..2", "1.2.3", "--1"),
    *("+-1", "1-", "1_000", "1,5", "0x10", "NaN", "Infinity", "-inf", " 1", "1 ", "1\n", "\x00"),
    *("\u0663", "1\u0663", "1e\u0663", "\u00bd"),  # digits, but not of ASCII
)


@rows("text", NO_NUMBERS)
@rows("wording", Wording)
def test_texts_that_are_no_numbers_are_echoed(text, wording):
    assert refusal(text, wording) == NOT_NUMERIC + text


def test_the_empty_text_ends_in_a_space_only_in_the_current_wording():
    assert refusal("", Wording.CURRENT) == NOT_NUMERIC
    assert refusal("", Wording.OLDER) == NOT_NUMERIC.removesuffix(": ")


# The current layer parses 64-bit exponents; the older one is Java's BigDecimal with 32 bits, whose
# precision - scale wraps.
@rows(
    ("text", "current", "older"),
    [
        ("1e2147483646", OVERFLOW, OVERFLOW),
        ("1e2147483647", OVERFLOW, UNDERFLOW),
        ("10e2147483646", OVERFLOW, UNDERFLOW),
        ("1e2147483648", OVERFLOW, None),
        ("0.1e2147483648", OVERFLOW, None),
        ("1e-2147483647", UNDERFLOW, UNDERFLOW),
        ("0.1e-2147483647", UNDERFLOW, None),
        ("1e-2147483648", UNDERFLOW, None),
        ("1e-2147483649", UNDERFLOW, None),
        ("1e9223372036854775807", OVERFLOW, None),
        ("0e9223372036854775807", OVERFLOW, None),
        ("1e-9223372036854775808", UNDERFLOW, None),
        ("1e9223372036854775808", None, None),
        ("1e-9223372036854775809", None, None),
        ("1e10000000000000000000", None, None),
        ("1e" + "9" * 400_000, None, None),
    ],
)
def test_exponents_beyond_those_that_a_layer_parses(text, current, older):
    assert refusal(text, Wording.CURRENT) == (current or NOT_NUMERIC + text)
    assert refusal(text, Wording.OLDER) == (older or NOT_NUMERIC + text)


# A hostile text costs one pass: were any of these quadratic, this would take minutes.
@rows("text", ["1", "1x", "0.0x", "0.1e", "1e0x", "-", ".", "10", "0.1"])
def test_long_texts_are_refused_at_once(text):
    for digit in set(text) & set("01-."):
        long = text.replace(digit, digit * 400_000) + "1" * 39
        with costs_at_most(20):
            assert refusal(long)


def test_zeros_cost_nothing_but_their_pass():
    zeros = "0" * 400_000
    assert canonical_number(f"{zeros}12.5{zeros}", Wording.CURRENT) == "12.5"
    assert canonical_number(f"{zeros}.{zeros}e400000", Wording.OLDER) == "0"


def plain(value):
    """The canonical text in the words of the decimal module."""
    return "0" if value.is_zero() else format(WIDE.normalize(value), "f")


@given(numbers(), st.sampled_from(Wording))
def test_canonical_is_the_plain_text_of_the_value(text, wording):
    assert canonical_number(text, wording) == plain(Decimal(text))


@given(canonical_numbers, st.sampled_from(Wording))
def test_canonical_is_idempotent(number, wording):
    assert canonical_number(number, wording) == number


@given(st.text("+-.eE012", max_size=8))
def test_what_is_a_number_is_what_the_decimal_module_reads(text):
    try:
        value = Decimal(text)
    except InvalidOperation:
        expected = NOT_NUMERIC + text
    else:
        expected = plain(value)
        if value.adjusted() > 125:
            expected = OVERFLOW
        elif value.adjusted() < -130:
            expected = UNDERFLOW
    assert outcome(canonical_number, text, Wording.CURRENT) == expected


coefficients = st.one_of(
    st.just(0),
    st.integers(0, 10**40 - 1),
    st.integers(0, 41).map(lambda digits: 10**digits - 1),
    st.builds(lambda zeros, power: (10**zeros + 1) * 10**power, *[st.integers(34, 40)] * 2),
)
exponents = st.one_of(st.integers(-172, -165), st.integers(-132, -128), st.integers(-40, 3))
edge_exponents = st.sampled_from([-131, -130, -20, -19, 0, 87, 88, 89, 125, 126])


@settings(max_examples=400)  # cheap, and the edges are narrow
@given(coefficients, st.one_of(exponents, edge_exponents), st.booleans())
@example(10**38 - 1, 88, False)
@example(10**38 - 1, 89, False)
@example(10**37 + 1, -168, True)
@example(10**39 - 1, 0, True)
@example(10**39 - 1, -20, True)
def test_limits_are_those_of_an_exact_context(coefficient, exponent, written_out):
    value = Decimal(f"{coefficient}e{exponent}")
    text = f"{value:f}" if written_out else f"{coefficient}e{exponent}"
    value = Decimal(text)
    if value.adjusted() > 125:
        assert refusal(text) == OVERFLOW
    elif value.adjusted() < -130:
        assert refusal(text) == UNDERFLOW
    elif len(str(coefficient).rstrip("0")) > 38:
        assert refusal(text) == TOO_MANY_DIGITS
    else:
        assert canonical_number(text, Wording.CURRENT) == plain(value)


@rows(
    ("left", "right", "total"),
    [
        ("1", "2", "3"),
        ("0", "0", "0"),
        ("5", "-5", "0"),
        ("0.1", "0.2", "0.3"),
        ("0.5", "0.5", "1"),
        ("-0.5", "0.25", "-0.25"),
        ("95", "5", "100"),
        ("1" + "0" * 37, "1", "1" + "0" * 36 + "1"),
        ("9" * 38, "1", "1" + "0" * 38),
        ("1" + "0" * 125, "0", "1" + "0" * 125),
    ],
)
def test_sums(left, right, total):
    assert add(left, right) == total
    assert add(right, left) == total
    assert subtract(total, right) == left


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1" + "0" * 38, "1"),  # 39 digits
        ("1" + "0" * 50, "1"),  # 1e50 + 1, measured by users
        ("1", "0." + "0" * 37 + "1"),
        ("1" + "0" * 125, "0." + "0" * 129 + "1"),
        ("9" + "0" * 125, "1" + "0" * 125),  # 1e126
        ("-9" + "0" * 125, "-1" + "0" * 125),
        ("0." + "0" * 129 + "11", "-0." + "0" * 129 + "1"),  # 1e-131
    ],
)
def test_sums_are_never_rounded(left, right):
    with pytest.raises(DynamoError) as caught:
        add(left, right)
    assert caught.value.message == OVERFLOW


def check_arithmetic(left, right):
    for ours, theirs in ((add, EXACT.add), (subtract, EXACT.subtract)):
        try:
            expected = plain(theirs(Decimal(left), Decimal(right)))
        except (Inexact, Overflow, Subnormal):
            expected = OVERFLOW
        assert outcome(ours, left, right) == expected


@given(canonical_numbers, canonical_numbers)
def test_arithmetic_is_that_of_an_exact_context(left, right):
    check_arithmetic(left, right)


def test_arithmetic_is_exact_wherever_two_edges_meet():
    signed = [*EDGES, *(f"-{number}" for number in EDGES if number != "0")]
    for left, right in itertools.product(signed, signed):
        check_arithmetic(left, right)


@pytest.mark.parametrize("zeros", ["", "0." + "0" * 100, "1" + "0" * 18 + ".", "-0."])
def test_numbers_that_differ_in_their_last_digit_are_told_apart(zeros):
    less, more = f"{zeros}{'1' * 18}2", f"{zeros}{'1' * 18}3"
    if zeros.startswith("-"):
        less, more = more, less
    assert sort_key(less) < sort_key(more)


@given(st.lists(canonical_numbers, max_size=8))
def test_the_sort_key_sorts_by_value(drawn):
    ordered = sorted(drawn, key=sort_key)
    assert all(Decimal(a) <= Decimal(b) for a, b in itertools.pairwise(ordered))


@rows(
    ("number", "size"),
    [
        # Measured against the service by users.
        ("0", 1),
        ("1", 2),
        ("12", 2),
        ("123", 3),
        ("100", 2),
        ("1.5", 3),
        ("3.14159", 5),
        ("123456", 4),
        ("-42", 3),
        ("1" + "0" * 125, 2),
        ("1" * 38, 20),
        # By the formula.
        ("-1.5", 4),
        ("0.5", 2),
        ("-0.5", 3),
        ("0.05", 2),
        ("0.001", 2),
        ("100.5", 4),
        ("100.05", 4),
        ("-100", 3),
        ("0." + "0" * 129 + "1", 2),
    ],
)
def test_number_bytes(number, size):
    assert number_bytes(number) == size


def slow_number_bytes(number):
    """Counts digit by digit from the value."""
    value = Decimal(number)
    whole, fraction = [], []
    for place, digit in enumerate(reversed(value.as_tuple().digits), value.as_tuple().exponent):
        (whole if place >= 0 else fraction).append(digit)
    if not any(fraction):
        whole = "".join(map(str, whole)).lstrip("0")  # lowest place first
    if not any(map(int, whole)):
        fraction = "".join(map(str, fraction)).rstrip("0")
        whole = ""
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + (value < 0)


@given(canonical_numbers)
def test_number_bytes_count_halves_of_the_value(number):
    assert number_bytes(number) == slow_number_bytes(number)
