"""Powertools for AWS Lambda: `python/with_powertools.py` says what it does."""

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]  # installs packages


@pytest.fixture
def seen(python):
    return python("with_powertools.py")


# The second call reads the answer of the first from the item that refuses its put.
def test_answer_is_stored(seen):
    assert seen["twice"] == [[{"run": 1}, {"run": 1}, {"run": 2}], 2]
    assert seen["sort_key"] == [[{"paid": 1}, {"paid": 1}], ["idempotency#test"]]


def test_race_has_one_winner(seen):
    assert seen["race"] == [["ran", *["refused"] * 9], 1]


@pytest.mark.parametrize("step", ["failing", "killed"])
def test_failed_run_is_run_again(seen, step):
    assert seen[step] == ["second", 2]


def test_expired_answer_is_not_used(seen):
    assert seen["expired"] == [{"run": 1}, {"run": 2}]


def test_refusals(seen):
    assert seen["changed_payload"] == "IdempotencyValidationError"
    assert seen["no_table"] == (
        "Failed to save in progress record to idempotency store - (An error occurred "
        "(ResourceNotFoundException) when calling the PutItem operation: "
        "Requested resource not found)"
    )


def test_batch_of_stream_records(seen):
    images = [
        [kind, {"pk": f"k{number}"}, number, ["a"], [0, 255]]
        for kind, number in (("INSERT", 0), ("INSERT", 1), ("INSERT", 3), ("REMOVE", 0))
    ]
    assert seen["batch"] == [images, True]


def test_parameters(seen):
    assert seen["read_parameters"] == ["here", 15]
