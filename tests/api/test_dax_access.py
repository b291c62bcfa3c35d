"""Who may use a cluster of DAX, and what it then does: what its role may do, and no more."""

import json
import uuid
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from hashrange.settings.kinds import Auth
from tests.api.conftest import client_of
from tests.api.dax import cluster
from tests.api.dax_calls import transact_put
from tests.api.dax_session import DaxSession
from tests.api.tables import keyed
from tests.api.test_identities import ACCOUNT, keys_of, made_administrator
from tests.engines.postgres_server import url_of
from tests.pace import until

TABLE = "guarded"
NAME = "guarded"
ARN = f"arn:aws:dax:us-east-1:{ACCOUNT}:cache/{NAME}"
DENIED = [4, 37, 38, 42]


def document(*statements):
    made = [
        each
        if isinstance(each, dict)
        else {"Effect": "Allow", "Action": each[0], "Resource": each[1]}
        for each in statements
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": made})


def trust(service):
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def code_of(call, **request):
    try:
        call(**request)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


class Guarded:
    """A server with a cluster whose role may get and put, and users with some permissions."""

    def __init__(self, endpoint, administrator):
        self.endpoint = endpoint
        self.iam = client_of(endpoint, "iam", **administrator)
        self.dax = client_of(endpoint, "dax", **administrator)
        self.db = client_of(endpoint, **administrator)
        self.role = self.make_role("cluster", "dax.amazonaws.com")
        self.allow_role("dynamodb:GetItem", "dynamodb:PutItem")
        self.db.create_table(TableName=TABLE, **keyed(pk="S"))
        self.dax.create_cluster(**cluster(NAME, IamRoleArn=self.role))
        until(lambda: self.described()["Status"] == "available")

    def described(self):
        return self.dax.describe_clusters(ClusterNames=[NAME])["Clusters"][0]

    def make_role(self, name, service):
        name = f"{name}-{uuid.uuid4().hex[:8]}"
        role = self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust(service))
        return role["Role"]["Arn"]

    def allow_role(self, *actions):
        self.iam.put_role_policy(
            RoleName=self.role.rpartition("/")[2],
            PolicyName="p",
            PolicyDocument=document((list(actions), "*")),
        )

    def user(self, *statements):
        """The keys of a new user, which the server knows; statements are pairs or documents."""
        name = f"u-{uuid.uuid4().hex[:8]}"
        self.iam.create_user(UserName=name)
        if statements:
            self.iam.put_user_policy(
                UserName=name, PolicyName="p", PolicyDocument=document(*statements)
            )
        keys = keys_of(self.iam.create_access_key(UserName=name)["AccessKey"])
        sts = client_of(self.endpoint, "sts", **keys)
        until(lambda: code_of(sts.get_caller_identity) is None)
        return keys

    def session(self, keys):
        end = self.described()["Nodes"][0]["Endpoint"]
        return DaxSession(end["Address"], end["Port"], **keys)


@pytest.fixture(scope="module")
def guarded(request, start_server, tmp_path_factory):
    engine = request.config.getoption("--engine")
    is_database = engine == "postgres"
    place = (
        url_of(str(uuid.uuid4())) if is_database else str(tmp_path_factory.mktemp("dax") / "data")
    )
    administrator = made_administrator(place)
    chosen = {"engine": place} if is_database else {"data": Path(place)}
    if engine == "memory":
        chosen["memory"] = False
    return Guarded(start_server(auth=Auth.REQUIRED, **chosen), administrator)


def test_the_role_of_the_cluster_is_asked_and_not_the_permissions_of_the_caller(guarded):
    keys = guarded.user(("dax:*", ARN))
    with guarded.session(keys) as dax:
        assert dax.put(TABLE, "a") == {}
        # An item without other attributes is the empty list of attributes.
        assert dax.get(TABLE, "a") == {0: b"\x01"}
        assert dax.get(TABLE, "b") == {}
    assert code_of(client_of(guarded.endpoint, **keys).get_item, TableName=TABLE, Key=key("a")) == (
        "AccessDeniedException"
    )


def key(name):
    return {"pk": {"S": name}}


@pytest.mark.parametrize(
    "statements",
    [(), (("dynamodb:*", "*"),), (("dax:*", ARN.replace(NAME, "other")),), (("dax:PutItem", ARN),)],
)
def test_without_permission_for_the_cluster_nothing_is_read_and_no_hit_is_shown(
    guarded, statements
):
    with guarded.session(guarded.user(("dax:*", ARN))) as dax:
        dax.put(TABLE, "a")
        dax.get(TABLE, "a")
    with guarded.session(guarded.user(*statements)) as dax:
        codes, text = dax.get(TABLE, "a")
        assert codes == DENIED
        assert "dax:GetItem" in text


def test_what_the_role_may_not_do_nobody_does_and_no_hit_is_shown(guarded):
    with guarded.session(guarded.user(("dax:*", ARN))) as dax:
        dax.put(TABLE, "a")
        assert dax.get(TABLE, "a") == {0: b"\x01"}
        guarded.allow_role("dynamodb:PutItem")
        try:
            until(lambda: dax.get(TABLE, "a")[0] == DENIED)
        finally:
            guarded.allow_role("dynamodb:GetItem", "dynamodb:PutItem")


def test_a_wrong_signature_reads_nothing(guarded):
    keys = guarded.user(("dax:*", ARN))
    with guarded.session({**keys, "aws_secret_access_key": "wrong"}) as dax:
        codes, _ = dax.get(TABLE, "a")
        assert codes[:3] == [4, 23, 31]


def test_the_control_plane_is_allowed_on_clusters_by_any_of_their_names(guarded):
    keys = guarded.user(("dax:*", ARN))
    dax = client_of(guarded.endpoint, "dax", **keys)
    assert code_of(dax.describe_clusters, ClusterNames=[NAME]) is None
    assert code_of(dax.list_tags, ResourceName=ARN) is None
    assert code_of(dax.list_tags, ResourceName=NAME.upper()) is None
    assert code_of(dax.describe_clusters) == "AccessDeniedException"
    assert code_of(dax.describe_clusters, ClusterNames=[NAME, "x"]) == "AccessDeniedException"
    assert code_of(dax.delete_cluster, ClusterName="other") == "AccessDeniedException"
    assert code_of(dax.create_subnet_group, SubnetGroupName="s", SubnetIds=["s"]) == (
        "AccessDeniedException"
    )
    keys = guarded.user(("dax:DescribeClusters", "*"))
    dax = client_of(guarded.endpoint, "dax", **keys)
    assert code_of(dax.describe_clusters, ClusterNames=[NAME]) is None
    assert code_of(dax.delete_cluster, ClusterName=NAME) == "AccessDeniedException"


# Without namespaces a cluster is seen from each region; its ARN is that of its creation.
def test_a_denied_cluster_is_denied_from_each_region(guarded):
    denied = {"Effect": "Deny", "Action": "dax:*", "Resource": ARN}
    keys = guarded.user(("dax:*", "*"), denied)
    for region in ("us-east-1", "eu-west-1"):
        dax = client_of(guarded.endpoint, "dax", region_name=region, **keys)
        for name in (NAME, NAME.upper(), ARN, ARN.replace("us-east-1", "eu-west-1")):
            assert code_of(dax.list_tags, ResourceName=name) == "AccessDeniedException"
        assert code_of(dax.update_cluster, ClusterName=NAME) == "AccessDeniedException"
        assert code_of(dax.describe_clusters, ClusterNames=[NAME]) == "AccessDeniedException"


def test_a_statement_may_be_about_what_encloses_an_operation(guarded):
    enclosed = {"StringEquals": {"dax:EnclosingOperation": "TransactWriteItems"}}
    deny = {"Effect": "Deny", "Action": "dax:PutItem", "Resource": ARN, "Condition": enclosed}
    with guarded.session(guarded.user(("dax:*", ARN), deny)) as dax:
        assert dax.put(TABLE, "a") == {}
        codes, text = transact_put(dax, TABLE, "enclosed")
        assert codes == DENIED
        assert "with an explicit deny" in text
    guarded.allow_role("dynamodb:*")
    try:
        with guarded.session(guarded.user(("dax:*", ARN))) as dax:
            until(lambda: transact_put(dax, TABLE, "enclosed")[0] != DENIED)
    finally:
        guarded.allow_role("dynamodb:GetItem", "dynamodb:PutItem")


def test_a_cluster_gets_no_role_that_its_maker_may_not_pass_or_that_does_not_trust_dax(guarded):
    keys = guarded.user(("dax:*", "*"))
    dax = client_of(guarded.endpoint, "dax", **keys)
    mine = cluster("mine", IamRoleArn=guarded.role)
    assert code_of(dax.create_cluster, **mine) == "AccessDeniedException"
    other = guarded.make_role("other", "lambda.amazonaws.com")
    for arn in (other, other + "-missing"):
        with pytest.raises(ClientError) as error:
            guarded.dax.create_cluster(**cluster("mine", IamRoleArn=arn))
        assert error.value.response["Error"]["Code"] == "InvalidParameterValueException"
        assert error.value.response["Error"]["Message"] == f"No permission to assume role: {arn}"
