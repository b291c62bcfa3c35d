"""Services that act for tenants: a session carries no more than it was given."""

import pytest
from botocore.exceptions import ClientError

from tests.access.callers import EVERYTHING
from tests.access.conftest import POSTGRES
from tests.access.tenants import ATTEMPTS, TENANT, VICTIM, policy_of
from tests.access.test_tenants import ALL, attempted

# The deputy may do everything; for a tenant it takes a session that is confined by its tag.
SCOPED = {"session": policy_of("tenants"), "tags": {"tenant": TENANT}}

# Sessions and further users are made in the test, where the server is in its process.
pytestmark = pytest.mark.parametrize("engine", ["memory", POSTGRES], indirect=True, scope="session")


@pytest.fixture(scope="module")
def deputy(world):
    world.keys["deputy"] = world.server.callers.session("deputy", "acme", EVERYTHING, **SCOPED)
    world.keys["plain"] = world.server.callers.session("deputy", "self", EVERYTHING)
    return world


@pytest.mark.parametrize("name", ALL)
def test_a_session_for_a_tenant_is_confined_to_it(deputy, name):
    _, code = attempted(deputy, "deputy", name, VICTIM)
    assert code == "AccessDeniedException"


def test_a_session_for_a_tenant_reaches_its_items(deputy):
    for name in ("get", "query", "query, index", "select", "transaction, get"):
        _, code = attempted(deputy, "deputy", name, TENANT)
        assert code is None
    assert attempted(deputy, "plain", "scan", VICTIM)[1] is None


def test_denials_name_the_session_and_its_policy(deputy):
    request = ATTEMPTS["get"].request(deputy, VICTIM)
    with pytest.raises(ClientError) as error:
        deputy.client("deputy").get_item(**request)
    assert error.value.response["Error"]["Message"] == (
        "User: arn:aws:sts::111111111111:assumed-role/deputy/acme is not authorized to perform: "
        f"dynamodb:GetItem on resource: {deputy.arn} "
        "because no session policy allows the dynamodb:GetItem action"
    )
