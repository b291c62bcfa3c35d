"""Attribute values to draw, as sent and canonical. Small on purpose: values must meet."""

from base64 import b64encode
from decimal import Context, Decimal

from hypothesis import strategies as st

# The extremes of UTF-8 and of UTF-16, whose orders differ beyond U+FFFF.
CHARACTERS = "\x00\x01ab\x7f\x80é\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"

texts = st.one_of(st.text(CHARACTERS, max_size=20), st.text(st.characters(codec="utf-8")))
WIDE = Context(prec=1000, Emin=-(10**9), Emax=10**9)
"""A decimal context that never rounds what is drawn here."""

names = st.text(CHARACTERS, min_size=1, max_size=4)
data = st.one_of(
    st.lists(st.sampled_from([0, 1, 0x61, 0x7F, 0x80, 0xFE, 0xFF]), max_size=20).map(bytes),
    st.binary(max_size=40),
)

digits = st.one_of(
    st.integers(0, 20).map(str),
    st.text("0189", min_size=1, max_size=5),
    st.builds(
        lambda first, middle, last: f"{first}{middle}{last}",
        st.integers(1, 9),
        st.one_of(st.integers(0, 36).map(lambda zeros: "0" * zeros), st.text("09", max_size=36)),
        st.integers(1, 9),
    ),
)
"""Up to 38, often with others as a beginning."""


@st.composite
def numbers(draw):
    """A number as sent, within every limit: spelt with zeros, a point, an exponent or without."""
    significant = draw(digits).strip("0")
    if not significant:
        return draw(st.sampled_from(["0", "-0", "+0", "00", "0.0", ".0", "0.", "0e5", "-0E-9"]))
    leading = draw(st.one_of(st.integers(-3, 3), st.sampled_from([-130, -129, 37, 124, 125])))
    sign = draw(st.sampled_from(["", "-", "+"]))
    zeros = draw(st.sampled_from(["", "", "0", "00"]))
    if draw(st.booleans()):
        place = leading - len(significant) + 1
        plain = format(Decimal(significant).scaleb(place, WIDE), "f")
        return f"{sign}{plain}{zeros}" if "." in plain else f"{sign}{zeros}{plain}"
    point = draw(st.integers(0, len(significant)))
    mantissa = f"{zeros}{significant[:point]}.{significant[point:]}0"
    if draw(st.booleans()):
        mantissa = mantissa.rstrip("0").removesuffix(".")
    spelt = draw(st.sampled_from(["e{}", "E{}", "e{:+}", "E{:04}"]))
    return f"{sign}{mantissa}{spelt.format(leading - point + 1)}"


def base64(raw):
    """Base64 as clients send it."""
    return b64encode(raw).decode()


strings = texts.map(lambda text: {"S": text})
binaries = data.map(lambda raw: {"B": base64(raw)})
number_values = numbers().map(lambda text: {"N": text})
scalars = st.one_of(
    strings,
    number_values,
    binaries,
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
)


sets = st.one_of(
    st.lists(texts, min_size=1, max_size=5, unique=True).map(lambda members: {"SS": members}),
    st.lists(numbers(), min_size=1, max_size=5, unique_by=Decimal).map(
        lambda members: {"NS": members}
    ),
    st.lists(data, min_size=1, max_size=5, unique=True).map(
        lambda members: {"BS": [base64(raw) for raw in members]}
    ),
)

values = st.recursive(
    st.one_of(scalars, sets),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda elements: {"L": elements}),
        st.dictionaries(names, inner, max_size=4).map(lambda members: {"M": members}),
    ),
    max_leaves=8,
)
"""A valid value as sent, of any type."""

items = st.dictionaries(names, values, max_size=4)
