from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hashrange.backups.exports.ion_text import item_text, number_text
from tests.optional_packages import needs_ion
from tests.rows import rows


# Forms of the service's exports. Source: Developer Guide, "DynamoDB table export output format".
@rows(
    ("number", "text"),
    [
        ("103", "103."),
        ("600", "6d2"),
        ("2000", "2d3"),
        ("0", "0."),
        ("-5", "-5."),
        ("-50", "-5d1"),
        ("1.5", "1.5"),
        ("0.001", "0.001"),
        ("1E+125", "1d125"),
        ("1.25E-100", "125d-102"),
    ],
)
def test_numbers_have_the_form_of_the_service(number, text):
    assert number_text(number) == text


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-(10**20),
                      max_value=10**20)  # fmt: skip


@needs_ion
@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | NUMBERS | st.booleans(),
        max_size=5,
    )
)
def test_any_item_is_read_by_the_reader_of_ion(content):
    from amazon.ion import simpleion  # noqa: PLC0415 - slow to import, and optional

    def value(each):
        match each:
            case bool():
                return {"BOOL": each}
            case Decimal():
                return {"N": str(each)}
            case _:
                return {"S": each}

    item = {name: value(each) for name, each in content.items()}
    read = simpleion.loads(f"$ion_1_0 {item_text(item)}")
    assert {name: read[name] for name in read} == content
