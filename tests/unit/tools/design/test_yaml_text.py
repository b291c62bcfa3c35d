import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hashrange.tools.design.yaml_text import yaml_of
from tests.unit.tools.design.stacks import template_in

WORDS = """
    yes no on off true false null y n YES Null ~ = << 1 012 0x1f 1e3 1_000 1.5 .5 .inf .nan - -- ---
    ? : # ! & * [ ] { } | > % @ ` ' " a: :a a#b 2026-11-27 12:30:00 a::b a:b \\ , nan inf
"""
SPECIAL = WORDS.split()
TEXTS = st.one_of(st.sampled_from(SPECIAL), st.text(st.characters(exclude_categories=["Cs"])))
VALUES = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)),
    max_leaves=12,
)


@pytest.mark.parametrize("text", SPECIAL)
def test_text_stays_a_text(text):
    assert yaml.safe_load(yaml_of({"a": text, text: ["b", text]})) == {"a": text, text: ["b", text]}


@given(st.dictionaries(TEXTS, VALUES, min_size=1))
def test_data_are_read_back(data):
    assert yaml.safe_load(yaml_of(data)) == data


def test_functions_have_their_short_form():
    template = {
        "a": {"Ref": "Table"},
        "b": [{"Fn::If": ["C", {"Ref": "AWS::NoValue"}, {"d": 1}]}, {"Fn::Sub": "${Table}-x"}],
        "c": {"Fn::Not": [{"Fn::Equals": [{"Ref": "P"}, ""]}]},
    }
    text = yaml_of(template)
    assert "a: !Ref Table\n" in text
    assert template_in(text) == template
