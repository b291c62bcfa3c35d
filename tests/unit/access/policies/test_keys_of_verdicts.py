"""A verdict names all condition keys that it looks at: others are not computed for it."""

from hypothesis import example, given
from hypothesis import strategies as st

from hashrange.access.policies.decisions import Decisions, Subject
from hashrange.access.policies.verdicts import Residual
from tests.unit.access.policies.subjects import GET, TABLE_ARN, USER, document, governed, statement

NAMES = ("dynamodb:LeadingKeys", "dynamodb:Select", "aws:SourceIp", "aws:UserAgent")
VALUES = ("ann", "10.0.0.1", "a*", "${aws:UserAgent}", "${dynamodb:Select, 'ann'}", "true", "false")
OPERATORS = (
    "StringEquals",
    "StringNotLike",
    "ForAllValues:StringEquals",
    "ForAnyValue:StringLike",
    "IpAddress",
    "StringEqualsIfExists",
    "Null",
)
ANY, NAMED = "*", TABLE_ARN.replace("books", "${aws:UserAgent}")
EVERYTHING = document(statement())

conditions = st.dictionaries(
    st.sampled_from(OPERATORS),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), min_size=1, max_size=1),
    max_size=1,
)
statements = st.builds(
    lambda effect, resource, condition: statement(effect, Resource=resource, Condition=condition),
    st.sampled_from(("Allow", "Allow", "Deny")),
    st.sampled_from((ANY, NAMED)),
    conditions,
)
found = st.sampled_from([None, ("ann",), ("books",), ("10.0.0.1",), ("ann", "books")])
contexts = st.fixed_dictionaries({name.lower(): found for name in NAMES})


@given(
    made=st.lists(statements, min_size=1, max_size=2),
    kind=st.sampled_from(("identity", "boundary", "resource")),
    context=contexts,
)
@example(made=[statement(Resource=NAMED)], kind="identity", context={"aws:useragent": ("books",)})
def test_other_keys_change_no_decision(made, kind, context):
    context = {key: values for key, values in context.items() if values}
    subject, resource = Subject(USER, (document(*made),)), governed(None)
    if kind == "boundary":
        subject = Subject(USER, (EVERYTHING,), document(*made))
    if kind == "resource":
        policy = document(*({**each, "Principal": "*"} for each in made))
        subject, resource = Subject(USER), governed(policy)
    verdict = Decisions().verdict(subject, GET, resource)
    if isinstance(verdict, Residual):
        asked = {key: values for key, values in context.items() if key in verdict.keys}
        assert verdict.decision(asked) == verdict.decision(context)
