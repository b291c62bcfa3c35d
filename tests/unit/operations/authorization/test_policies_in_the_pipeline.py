"""Policies as a `Policy` of the pipeline: the way from a request to a decision, and its moments."""

import msgspec
import pytest

from hashrange.errors import DynamoError, Fault
from hashrange.operations.authorization.arns import arn_of
from hashrange.operations.authorization.registry import permissions
from hashrange.operations.registry import OPERATIONS
from hashrange.policies.decisions import Decisions, GovernedResource, Subject, denial
from hashrange.policies.principals import Principal
from hashrange.policies.verdicts import Decision
from tests.pace import costs_at_most
from tests.unit.operations.still_server import CALLER, StillServer
from tests.unit.policies.subjects import document, statement

T = "a-table"
ANN = Principal(
    type="User",
    arn=f"arn:aws:iam::{CALLER.account}:user/ann",
    account=CALLER.account,
    user_name="ann",
)
OWN = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}
ANN_KEY, BOB_KEY = {"pk": {"S": "ann"}}, {"pk": {"S": "bob"}}


class Guard:
    """Decides by one identity policy; what depends on the request waits for its plan."""

    reads_plans = True

    def __init__(self, *statements):
        self._decisions = Decisions()
        self._subject = Subject(ANN, (document(*statements),))
        self._resources = {}

    def _verdict(self, caller, access):
        arn = arn_of(access, caller)
        resource = self._resources.setdefault(arn, GovernedResource(arn, caller.account))
        action = f"dynamodb:{access.action}"
        return self._decisions.verdict(self._subject, action, resource), action, resource

    def _admit(self, decision, action, resource):
        if not decision.allowed:
            # There is no fault of its own yet.
            raise DynamoError(
                Fault.UNRECOGNIZED_CLIENT, denial(decision, self._subject, action, resource)
            )

    def allow(self, caller, operation, checked):
        for access in operation.accesses(checked):
            verdict, action, resource = self._verdict(caller, access)
            if isinstance(verdict, Decision):
                self._admit(verdict, action, resource)

    def allow_plan(self, caller, operation, checked, plan):
        for permission in permissions(operation, checked, plan):
            verdict, action, resource = self._verdict(caller, permission.access)
            if not isinstance(verdict, Decision):
                self._admit(verdict.decision(permission.context), action, resource)


@pytest.fixture
def server():
    made = StillServer(transient_ms=0)
    made.create(BillingMode="PAY_PER_REQUEST")
    made.call("PutItem", Item=ANN_KEY)
    made.call("PutItem", Item=BOB_KEY)
    yield made
    made.end()


def refusal(server, operation, **request):
    typed = msgspec.convert({"TableName": T, **request}, OPERATIONS[operation].request)
    with pytest.raises(DynamoError) as error:
        server.run(server.pipeline.perform(operation, typed, CALLER))
    return error.value.message


def test_own_items_only(server):
    server.pipeline.guard(Guard(statement(Condition=OWN)))
    assert server.call("GetItem", Key=ANN_KEY)["Item"] == ANN_KEY
    assert refusal(server, "GetItem", Key=BOB_KEY) == (
        f"User: {ANN.arn} is not authorized to perform: dynamodb:GetItem on resource: "
        f"arn:aws:dynamodb:us-east-1:{CALLER.account}:table/{T} because no identity-based policy "
        "allows the dynamodb:GetItem action"
    )
    batch = {"RequestItems": {T: {"Keys": [ANN_KEY, BOB_KEY]}}}
    assert "dynamodb:BatchGetItem" in refusal(server, "BatchGetItem", **batch)
    update = {"Key": BOB_KEY, "UpdateExpression": "SET a = pk"}
    assert "dynamodb:UpdateItem" in refusal(server, "UpdateItem", **update)
    # The hole of AWS: a scan has no leading keys, so that all of none are one's own.
    assert server.call("Scan")["Count"] == 2


def test_denials_come_before_tables_are_looked_up(server):
    server.pipeline.guard(Guard(statement(Action="dynamodb:ListTables")))
    for name in (T, "no-such-table"):
        assert "dynamodb:GetItem" in refusal(server, "GetItem", TableName=name, Key=ANN_KEY)


def test_attributes_and_what_writes_return(server):
    names = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "title"]}}
    quiet = {"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}}
    server.pipeline.guard(Guard(statement(Condition=names | quiet)))
    update = {"Key": ANN_KEY, "UpdateExpression": "SET title = :t"}
    values = {":t": {"S": "x"}}
    server.call("UpdateItem", **update, ExpressionAttributeValues=values)
    secret = {"Key": ANN_KEY, "UpdateExpression": "SET secret = :t"}
    assert refusal(server, "UpdateItem", **secret, ExpressionAttributeValues=values)
    shown = {**update, "ReturnValues": "ALL_NEW"}
    assert refusal(server, "UpdateItem", **shown, ExpressionAttributeValues=values)
    failing = {
        **update,
        "ConditionExpression": "title = :t",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    assert refusal(server, "UpdateItem", **failing, ExpressionAttributeValues=values)


# The condition keys and the decision of a read: 5 microseconds each on a quiet machine.
def test_cost_of_a_decision(server):
    keys = {"dynamodb:LeadingKeys": "${aws:username}", "dynamodb:Attributes": ["pk", "title"]}
    guard = Guard(statement(Condition={"ForAllValues:StringEquals": keys}))
    row = OPERATIONS["GetItem"]
    checked = row.check(msgspec.convert({"TableName": T, "Key": ANN_KEY}, row.request))
    plans = []
    server.pipeline.observe(type("Seen", (), {"see": lambda _, __, plan: plans.append(plan)})())
    server.call("GetItem", Key=ANN_KEY)
    times = 100_000
    with costs_at_most(times * 10e-6 / 0.03):
        for _ in range(times):
            guard.allow_plan(CALLER, row, checked, plans[0])
