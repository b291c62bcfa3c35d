"""An asynchronous consumer of Python reads the changes of a table: `python/` has its program."""

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]  # installs packages


# The second run goes on behind the checkpoints of the first.
def test_changes_of_a_table(python):
    seen = python("with_async_kinesis.py")
    assert seen == {
        "runs": [30, 20],
        "tables": ["async-producer"],
        "sources": ["aws:dynamodb"],
        "numbers": {str(key): [*range(key, 50, 7)] for key in range(7)},
    }
