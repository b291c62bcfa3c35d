"""What projections take."""

from tests.rows import rows
from tests.unit.expressions.requests import bound

ITEM = {
    "p": {"S": "key"},
    "a": {
        "M": {
            "b": {"L": [{"N": "2"}, {"N": "4"}, {"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}]},
            "c": {"N": "5"},
            "e": {"M": {}},
        }
    },
    "l": {"L": [{"S": "0"}, {"S": "1"}, {"M": {"x": {"S": "2"}, "y": {"S": "3"}}}]},
    "a.b": {"S": "dotted"},
}
B = ITEM["a"]["M"]["b"]["L"]


@rows(
    ("text", "part", "names"),
    [
        ("p", {"p": ITEM["p"]}, ("p",)),
        (" p ,a ", {"p": ITEM["p"], "a": ITEM["a"]}, ("p", "a")),
        ("nowhere", {}, ("nowhere",)),
        ("nowhere, p", {"p": ITEM["p"]}, ("nowhere", "p")),
        ("#dotted", {"a.b": {"S": "dotted"}}, ("a.b",)),
        ("a.b", {"a": {"M": {"b": {"L": B}}}}, ("a",)),
        ("a.b[0]", {"a": {"M": {"b": {"L": [B[0]]}}}}, ("a",)),
        ("a.b[2].y", {"a": {"M": {"b": {"L": [{"M": {"y": {"S": "yo"}}}]}}}}, ("a",)),
        ("a.b[0], a.b[1]", {"a": {"M": {"b": {"L": [B[0], B[1]]}}}}, ("a",)),
        (
            "a.b[2].x, a.c, a.b[0]",
            {"a": {"M": {"b": {"L": [B[0], {"M": {"x": {"S": "hi"}}}]}, "c": {"N": "5"}}}},
            ("a",),
        ),
        ("a.e", {"a": {"M": {"e": {"M": {}}}}}, ("a",)),
        ("a.e.f", {}, ("a",)),
        ("l[2].y, l[2].x, l[0]", {"l": {"L": [{"S": "0"}, ITEM["l"]["L"][2]]}}, ("l",)),
        ("l[7], l[1]", {"l": {"L": [{"S": "1"}]}}, ("l",)),
        ("a.x, a.x2.y, a.b[3], a.b[4].x, p.x", {}, ("a", "p")),
        ("a.b.x, p[0]", {}, ("a", "p")),
        ("a[0]", {}, ("a",)),
        ("a.b[0][0], l.x", {}, ("a", "l")),
        ("p, a.c", {"p": ITEM["p"], "a": {"M": {"c": {"N": "5"}}}}, ("p", "a")),
    ],
)
def test_projections(text, part, names):
    aliases = {"#dotted": "a.b"} if "#" in text else None
    projection = bound(aliases, projection=text).projection
    assert projection.apply(ITEM) == part
    assert projection.names == names


def test_parts_are_shared():
    assert bound(projection="a.b").projection.apply(ITEM)["a"]["M"]["b"] is ITEM["a"]["M"]["b"]
