"""A server whose callers have subjects with policies, made in the test."""

import json

import msgspec
import pytest

from hashrange.access.policies.decisions import Subject
from hashrange.access.policies.principals import Principal
from hashrange.api.authorization.guard import Guard
from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import Caller, Connection
from hashrange.errors import DynamoError
from tests.unit.access.policies.subjects import document
from tests.unit.api.dynamodb.still_server import StillServer

T = "a-table"
ACCOUNT, OTHER_ACCOUNT = "111111111111", "222222222222"
REGION = "us-east-1"
ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{T}"
HERE = Connection("203.0.113.7", is_secure=True, user_agent="tests", access_key="AKIAEXAMPLE")


def user(name, *statements, account=ACCOUNT, connection=HERE, **more):
    """A caller: a user with one identity policy of these statements."""
    principal = Principal(
        type="User",
        arn=f"arn:aws:iam::{account}:user/{name}",
        account=account,
        user_id=f"AIDA{name.upper()}",
        user_name=name,
        tags=more.pop("tags", {}),
    )
    policies = (document(*statements),) if statements else ()
    return Caller(account, REGION, "localhost", Subject(principal, policies, **more), connection)


def root(account=ACCOUNT):
    """The root user of an account."""
    arn = f"arn:aws:iam::{account}:root"
    principal = Principal(type="Account", arn=arn, account=account, user_id=account)
    return Caller(account, REGION, "localhost", Subject(principal), HERE)


def policy(*statements):
    """The text of a policy."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


class GuardedServer(StillServer):
    """Requests of callers; those of the administrator, the root user, are without a caller."""

    def __init__(self, *, separate=False, **settings):
        super().__init__(transient_ms=settings.pop("transient_ms", 0), **settings)
        self.pipeline = Pipeline(
            self.store,
            self.catalog,
            lambda *_: self.noted(),
            transient_ms=self.transient_ms,
            separate=separate,
        )
        self.pipeline.guard(Guard(self.now_ms, separate=separate))

    def ask(self, caller, operation, **request):
        """The answer to a request, as JSON."""
        typed = msgspec.convert(request, OPERATIONS[operation].request)
        answer = self.run(self.pipeline.perform(operation, typed, caller))
        return None if answer is None else msgspec.json.decode(msgspec.json.encode(answer))

    def refusal(self, caller, operation, **request):
        """The fault and the text of a refused request."""
        with pytest.raises(DynamoError) as error:
            self.ask(caller, operation, **request)
        return error.value.fault.wire_name.rpartition("#")[2], error.value.message

    def denied(self, caller, operation, **request):
        """The text of a request that is denied."""
        code, text = self.refusal(caller, operation, **request)
        assert code == "AccessDeniedException", text
        return text
