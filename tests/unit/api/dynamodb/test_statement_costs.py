"""What statements cost, and what is asked of the capacity before they run."""

import pytest

from hashrange.api.steps.admission import Admitted
from tests.unit.api.dynamodb.still_server import StillServer


class Recording:
    """An admission that admits all, and keeps the charges that requests ask for."""

    def __init__(self):
        self.asked = []

    def admit(self, operation, plan, _tables):
        self.asked.append(operation.charges(plan))
        return Admitted(plan)

    def charge(self, _admitted, _cost):
        pass


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    made.create(BillingMode="PAY_PER_REQUEST")
    yield made
    made.end()


# Each page asks for the partitions that it reads; a token that is no token is refused later.
def test_pages_ask_for_their_partitions(server):
    keys = [f"{number:02}" for number in range(23)]
    listed = ", ".join(f"'{key}'" for key in keys)
    request = {"Statement": f'SELECT * FROM "a-table" WHERE pk IN [{listed}]'}
    recording = Recording()
    server.pipeline.limit(recording)
    first = server.call("ExecuteStatement", **request)
    second = server.call("ExecuteStatement", **request, NextToken=first["NextToken"])
    server.call("ExecuteStatement", **request, NextToken=second["NextToken"])
    server.refused("ExecuteStatement", **request, NextToken="none")
    found = [[charge.partition[0]["S"] for charge in asked] for asked in recording.asked]
    assert found == [keys[:10], keys[10:20], keys[20:], keys[:10]]


# A statement of a batch that fails costs what it looked at, whether another one succeeds or not.
def test_failed_statements_of_a_batch_cost(server):
    large = {"pk": {"S": "a"}, "x": {"S": "x" * 3000}}
    server.call("PutItem", Item=large)
    failing, succeeding = (
        {"Statement": f"INSERT INTO \"a-table\" VALUE {{'pk': '{pk}'}}"} for pk in "ab"
    )
    for sent, units in (([failing], 3.0), ([failing, succeeding], 4.0)):
        server.spent.clear()
        server.call("BatchExecuteStatement", Statements=sent)
        assert [spent.write_units for spent in server.spent] == [units]
