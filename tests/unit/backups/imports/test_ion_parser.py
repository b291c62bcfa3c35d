"""Text of Ion: every form of a value is known, and what is not Ion is refused as such."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.exports.ion_text import value_text
from hashrange.backups.imports.ion_parser import Node, values_of
from hashrange.backups.imports.ion_text import ion_line_of
from tests.optional_packages import needs_ion
from tests.rows import rows

DEPTH_MAX = 5


def read(text):
    (node,) = values_of(text, DEPTH_MAX)
    return node


# Source: the specification of Ion 1.0, https://amazon-ion.github.io/ion-docs/docs/spec.html.
@rows(
    ("text", "kind", "content"),
    [
        ("null", "NULL", None),
        ("null.struct", "NULL", None),
        ("false", "BOOL", False),
        ("-0", "INT", "0"),
        ("1_000", "INT", "1000"),
        ("-0xBe_ef", "INT", "-48879"),
        ("0b101", "INT", "5"),
        ("9" * 5000, "INT", "9" * 5000),
        ("0.", "DECIMAL", "0"),
        ("1_2.3_4D-5", "DECIMAL", "0.0001234"),
        ("-12e0", "FLOAT", "-12e0"),
        ("nan", "FLOAT", "nan"),
        ("-inf", "FLOAT", "-inf"),
        ("2007T", "TIMESTAMP", "2007T"),
        ("2007-02-23T12:14:33.079-08:00", "TIMESTAMP", "2007-02-23T12:14:33.079-08:00"),
        ("$dynamodb", "SYMBOL", "$dynamodb"),
        ("'hi there\\''", "SYMBOL", "hi there'"),
        ("''", "SYMBOL", ""),
        (r'"\0\a\x41\u00e4\U0001F600\ud83d\ude00\?\/"', "STRING", "\0\aAä😀😀?/"),
        ("'''a'' ''' /* long */ '''b\\\nc'''", "STRING", "a'' bc"),
        ("{{ aG\nk= }}", "BLOB", b"hi"),
        ('{{ "a\\n" }}', "CLOB", "a\n"),
        ("{{ '''a''' '''b''' }}", "CLOB", "ab"),
        ("[]", "LIST", []),
        ("[ ]// a list", "LIST", []),
        ("{}", "STRUCT", {}),
    ],
)
def test_scalars(text, kind, content):
    assert read(text) == Node(kind, content)


def test_containers_and_annotations():
    one, two = Node("INT", "1"), Node("INT", "2")
    assert read("[1,2,]") == Node("LIST", [one, two])
    assert read("{a:1,\"b c\":1,'d':2,'''e''':2,a:2,}").content == {
        "a": two, "b c": one, "d": two, "e": two,
    }  # fmt: skip
    assert read("(1 + 2 b)").content == [one, Node("SYMBOL", "+"), two, Node("SYMBOL", "b")]
    assert read("a :: 'b'::[x::1]") == Node("LIST", [Node("INT", "1", "x")], "a")
    assert values_of("$ion_1_0 1 $ion_1_0 {}2", DEPTH_MAX) == [one, Node("STRUCT", {}), two]
    assert values_of(" /* none */ ", DEPTH_MAX) == []


@rows(
    "text",
    [
        *("{a}", "{a:}", "{a:1", "{a:1,,}", "{null:1}", "{1:1}", "{a 1}", "[", "[1 2]", "[,]"),
        *("(", ")", "::1", "a::", "[a::]", "null::1", "01", "1__0", "1_", "1a", "1.2.3", "+1"),
        *(
            "null.text",
            "null.",
            "$10",
            '"',
            '"a\nb"',
            r'"\q"',
            r'"\xg0"',
            r'"\ud800"',
            "'a",
            "'''a",
        ),
        *(
            "{{",
            "{{a}}",
            "{{aaGk=}}",
            '{{"a"',
            "{{a:1}}",
            "'''a''",
            "/*",
            "(/* 1)",
            "[[[[[[1]]]]]]",
        ),
        *("1d99999999999999999999", r'"\U00110000"'),
    ],
)
def test_what_is_not_ion_is_refused(text):
    with pytest.raises((ValueError, ArithmeticError)):
        values_of(text, DEPTH_MAX)


# Brackets in a text are no containers, and closed ones do not count.
def test_only_open_containers_are_deep():
    assert read('"' + "[" * 100 + '"').content == "[" * 100
    assert len(read("[" + "[]," * 100 + "]").content) == 100


# A pattern that tried all ways to read a long text would need hours for these.
@rows(
    "text",
    ["'" * 100_001, "/*" * 100_000, "(" + "/* " * 100_000, "{{" + "a" * 100_000, "1_" * 100_000],
)
def test_long_text_that_is_not_ion(text):
    with pytest.raises((ValueError, ArithmeticError)):
        values_of(text, DEPTH_MAX)


SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda bit: {"BOOL": bit}, st.booleans()),
    st.sampled_from(
        [{"NULL": True}, {"B": "aGk="}, {"SS": ["a", "'"]}, {"BS": [""]}, {"NS": ["1.5"]}]
    ),
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(lambda members: {"L": members}, st.lists(inner, max_size=3))
        | st.builds(lambda members: {"M": members}, st.dictionaries(NAMES, inner, max_size=3))
    ),
    max_leaves=6,
)


def same_numbers(value):
    """A value whose numbers are compared as numbers: exports write them in another form."""
    ((code, content),) = value.items()
    match code:
        case "N":
            return {"N": float(content)}
        case "L":
            return {"L": [same_numbers(each) for each in content]}
        case "M":
            return {"M": {name: same_numbers(each) for name, each in content.items()}}
    return value


@given(VALUES)
def test_what_exports_write_is_read(value):
    line = f"$ion_1_0 {{Item:{{a:{value_text(value)}}}}}"
    item = ion_line_of(line.encode()).item
    assert same_numbers(item["a"]) == same_numbers(value)


SCALAR_TEXTS = [
    *("1", "-2.5", "6d2", "0x1F", "1_0", "null", "null.int", "true", "1e3", "nan", "2020-01-01T"),
    *("{{aGk=}}", '{{"e"}}', "$x", "'b'", '"c"', "'''d'''", "'''d''' '''e'''"),
]
TEXTS = st.recursive(
    st.sampled_from(SCALAR_TEXTS),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{' , '.join(parts)}]")
        | st.lists(inner, max_size=3).map(lambda parts: f"({' '.join(parts)})")
        | st.lists(inner, max_size=3).map(
            lambda parts: "{" + ",".join(f"'f {n}' : {each}" for n, each in enumerate(parts)) + "}"
        )
        | inner.map("a::{}".format)
    ),
    max_leaves=6,
)
FRAGMENTS = [*SCALAR_TEXTS, *'{}[](),:"', "::", "/**/"]


def plain(node):
    """What the reader of Ion's authors would make of a node, where both have a plain form."""
    match node.kind:
        case "LIST" | "SEXP":
            return [plain(each) for each in node.content]
        case "STRUCT":
            return {name: plain(each) for name, each in node.content.items()}
        case "INT" | "DECIMAL" | "FLOAT":
            return float(node.content)
        case "STRING" | "SYMBOL" | "TIMESTAMP" | "CLOB":
            return "text"
    return node.content


def plain_of_authors(value):
    from amazon.ion.core import IonType  # noqa: PLC0415 - slow to import, and optional

    if value is None or type(value).__name__ == "IonPyNull":
        return None
    kind = value.ion_type
    match kind:
        case IonType.LIST | IonType.SEXP:
            return [plain_of_authors(each) for each in value]
        case IonType.STRUCT:
            return {str(name): plain_of_authors(each) for name, each in value.items()}
        case IonType.INT | IonType.DECIMAL | IonType.FLOAT:
            return float(value)
        case IonType.BOOL:
            return bool(value)
    return bytes(value) if kind is IonType.BLOB else "text"


def read_by_both(text):
    """What both parsers read; None if they refuse."""
    from amazon.ion import simpleion  # noqa: PLC0415 - slow to import, and optional

    try:
        theirs = [plain_of_authors(each) for each in simpleion.loads(text, single_value=False)]
    except Exception:  # noqa: BLE001 - it has many
        theirs = None
    try:
        ours = [plain(each) for each in values_of(text, 100)]
    except (ValueError, ArithmeticError):
        ours = None
    return repr(ours), repr(theirs)  # a NaN is not equal to itself


@needs_ion
@given(TEXTS)
def test_the_reader_of_the_authors_reads_the_same(text):
    ours, theirs = read_by_both(text)
    assert ours == theirs != "None"


# It also reads some text that is not Ion, as `a : 1` without braces.
@needs_ion
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map(" ".join))
def test_what_the_reader_of_the_authors_refuses_is_refused(text):
    ours, theirs = read_by_both(text)
    assert ours in {"None", theirs}
