"""Everything of a server that changes while it runs is changed again and again under load.

Faults, latencies, lag and authentication are settings of the start: they are in force here while
the rest changes. The certificate, which a signal renews, is in `test_tls.py`.
"""

# A request in flight while something is switched ends as it began, or is planned again: it has its
# own answer or refusal, never 5xx. Insights that were disabled made requests of all tables fail.

import contextlib
import json
import urllib.request

import pytest
from botocore.exceptions import ClientError

from tests.access.callers import EVERYTHING
from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.indexes import attributes, index_of
from tests.api.load import OTHER, TABLE, UNITS, loaded, made
from tests.api.policies import policy
from tests.api.scaling import bounds, place, scaling_client
from tests.api.test_identities import made_administrator
from tests.pace import until
from tests.served import served

pytestmark = pytest.mark.long
ROUNDS = 3


def arn_of(client, name=TABLE):
    return client.describe_table(TableName=name)["Table"]["TableArn"]


def insights(client, endpoint, *, on):
    """Of the table itself, and of another one, which the requests do not name."""
    action = "ENABLE" if on else "DISABLE"
    for name in (TABLE, OTHER):
        client.update_contributor_insights(TableName=name, ContributorInsightsAction=action)


def new_table(client, endpoint, *, on):
    """Another table with insights, a stream and time to live comes and goes."""
    if not on:
        client.delete_table(TableName="coming")
        return
    made(client, "coming")
    client.update_contributor_insights(TableName="coming", ContributorInsightsAction="ENABLE")


def same_table(client, endpoint, *, on):
    if on:
        made(client)
    else:
        client.delete_table(TableName=TABLE)


def stream(client, endpoint, *, on):
    chosen = {"StreamViewType": "NEW_AND_OLD_IMAGES"} if on else {}
    client.update_table(TableName=TABLE, StreamSpecification={"StreamEnabled": on, **chosen})


def billing(client, endpoint, *, on):
    each = {"IndexName": "by-g", "ProvisionedThroughput": UNITS}
    units = {"ProvisionedThroughput": UNITS, "GlobalSecondaryIndexUpdates": [{"Update": each}]}
    mode = "PAY_PER_REQUEST" if on else "PROVISIONED"
    with contextlib.suppress(ClientError):  # four times a day
        client.update_table(TableName=TABLE, BillingMode=mode, **({} if on else units))


def throughput(client, endpoint, *, on):
    units = {"ReadCapacityUnits": 1000 + on, "WriteCapacityUnits": 1000 + on}
    with contextlib.suppress(ClientError):  # some decreases a day
        client.update_table(TableName=TABLE, BillingMode="PROVISIONED", ProvisionedThroughput=units)


def index(client, endpoint, *, on):
    create = {**index_of("by-n", "n"), "ProvisionedThroughput": UNITS}
    change = {"Create": create} if on else {"Delete": {"IndexName": "by-n"}}
    client.update_table(
        TableName=TABLE,
        AttributeDefinitions=attributes(pk="S", g="S", n="N"),
        GlobalSecondaryIndexUpdates=[change],
    )
    until(lambda: statuses(client).get("by-n") == ("ACTIVE" if on else None))


def statuses(client):
    indexes = client.describe_table(TableName=TABLE)["Table"].get("GlobalSecondaryIndexes", [])
    return {each["IndexName"]: each["IndexStatus"] for each in indexes}


def queried_index(client, endpoint, *, on):
    """The index that the requests query."""
    create = {**index_of("by-g", "g"), "ProvisionedThroughput": UNITS}
    change = {"Create": create} if on else {"Delete": {"IndexName": "by-g"}}
    client.update_table(
        TableName=TABLE,
        AttributeDefinitions=attributes(pk="S", g="S"),
        GlobalSecondaryIndexUpdates=[change],
    )
    until(lambda: statuses(client).get("by-g") == ("ACTIVE" if on else None))


def recovery(client, endpoint, *, on):
    client.update_continuous_backups(
        TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": on}
    )


def time_to_live(client, endpoint, *, on):
    client.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"AttributeName": "n", "Enabled": on}
    )


def resource_policy(client, endpoint, *, on):
    arn = arn_of(client)
    if on:
        client.put_resource_policy(ResourceArn=arn, Policy=policy("dynamodb:*"))
    else:
        client.delete_resource_policy(ResourceArn=arn)


def tags(client, endpoint, *, on):
    arn = arn_of(client)
    if on:
        client.tag_resource(ResourceArn=arn, Tags=[{"Key": "a", "Value": "b"}])
    else:
        client.untag_resource(ResourceArn=arn, TagKeys=["a"])


def hot_keys(client, endpoint, *, on):
    for page in ("/top.json", "/metrics", "/health"):
        with urllib.request.urlopen(endpoint + page) as answer:
            assert answer.status == 200


def backup(client, endpoint, *, on):
    if on:
        client.create_backup(TableName=TABLE, BackupName="during")
        return
    (listed,) = until(lambda: available_backups(client))
    client.delete_backup(BackupArn=listed)


def available_backups(client):
    listed = client.list_backups()["BackupSummaries"]
    return [each["BackupArn"] for each in listed if each["BackupStatus"] == "AVAILABLE"]


def protection(client, endpoint, *, on):
    client.update_table(TableName=TABLE, DeletionProtectionEnabled=on)


SWITCHES = [
    insights, new_table, stream, billing, throughput, index, recovery, time_to_live,
    resource_policy, tags, hot_keys, backup, protection, queried_index, same_table,
]  # fmt: skip


DISTURBED = {
    "throttle": "on",
    "latency": "*:p50=1,p99=2",
    "replica_lag": "2",
    "fault": "Query:*:0.1:ThrottlingException",
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({}, id="plain"),
        pytest.param(DISTURBED, id="disturbed", marks=pytest.mark.long),
    ],
)
def server(request):
    with served(**request.param) as made_:
        yield made_.endpoint


def switched(switch, client, endpoint, load):
    for number in range(2 * ROUNDS):
        switch(client, endpoint, on=number % 2 == 0)
        load.more()


# Each begins with tables of its own: the limits of changes a day are those of a table.
@pytest.mark.parametrize("switch", SWITCHES)
def test_tables(server, switch):
    with loaded(server) as (client, load):
        if switch in {queried_index, same_table}:
            switch(client, server, on=False)
        switched(switch, client, server, load)


# The targets are followed from the next round of the counting on, which a move of the clock makes.
@pytest.mark.parametrize("throttle", ["off", "on"])
def test_scalable_targets_and_insights_together(throttle):
    with served(testing=True, throttle=throttle) as made_, loaded(made_.endpoint) as (client, load):
        scaling = scaling_client(made_.endpoint)

        def switch(client, endpoint, *, on):
            if on:
                scaling.register_scalable_target(**place(TABLE), **bounds(1000, 2000))
            else:
                scaling.deregister_scalable_target(**place(TABLE))
            made_.clock.advance(seconds=5)
            load.more()
            insights(client, endpoint, on=on)

        switched(switch, client, made_.endpoint, load)


def test_the_clock_and_snapshots():
    with served(testing=True) as made_, loaded(made_.endpoint) as (client, load):

        def switch(client, endpoint, *, on):
            if on:
                made_.snapshots.save("s")
                same_table(client, endpoint, on=False)
                made_.clock.advance(hours=1)
            else:
                made_.snapshots.load("s")
                made_.clock.reset()

        switched(switch, client, made_.endpoint, load)


def test_replicas():
    with served(regions="us-east-1,eu-west-1") as made_:
        options = {"aws_access_key_id": "000000000000"}
        with loaded(made_.endpoint, **options) as (client, load):

            def switch(client, endpoint, *, on):
                update = {"Create" if on else "Delete": {"RegionName": "eu-west-1"}}
                client.update_table(TableName=OTHER, ReplicaUpdates=[update])
                until(lambda: replicas(client) == (["ACTIVE"] if on else []))

            client.update_table(TableName=OTHER, BillingMode="PAY_PER_REQUEST")
            switched(switch, client, made_.endpoint, load)


def replicas(client):
    table = client.describe_table(TableName=OTHER)["Table"]
    return [
        each["ReplicaStatus"]
        for each in table.get("Replicas", [])
        if each["RegionName"] == "eu-west-1"
    ]


def test_clusters_of_dax():
    with served() as made_, loaded(made_.endpoint) as (client, load):
        dax = dax_client(made_.endpoint)

        def switch(_client, _endpoint, *, on):
            if on:
                dax.create_cluster(**cluster("switched"))
            else:
                dax.delete_cluster(ClusterName="switched")
            wanted = ["available"] if on else []
            until(lambda: cluster_statuses(dax) == wanted)

        switched(switch, client, made_.endpoint, load)


def cluster_statuses(dax):
    return [each["Status"] for each in dax.describe_clusters()["Clusters"]]


# What the sender of the requests may do, and whether its key is known.
def test_policies_and_keys(tmp_path):
    keys = made_administrator(str(tmp_path / "data"))
    with served(memory=False, data=tmp_path / "data", auth="required") as made_:
        iam = client_of(made_.endpoint, "iam", **keys)
        iam.create_user(UserName="sender")
        key = iam.create_access_key(UserName="sender")["AccessKey"]
        owner = {"UserName": "sender", "AccessKeyId": key["AccessKeyId"]}
        sender = {
            "aws_access_key_id": key["AccessKeyId"],
            "aws_secret_access_key": key["SecretAccessKey"],
        }
        everything = json.dumps(EVERYTHING)
        rule = {"UserName": "sender", "PolicyName": "all"}
        iam.put_user_policy(**rule, PolicyDocument=everything)
        with loaded(made_.endpoint, **sender) as (client, load):
            administrator = client_of(made_.endpoint, **keys)

            def switch(client, endpoint, *, on):
                arn = administrator.describe_table(TableName=TABLE)["Table"]["TableArn"]
                if on:
                    iam.put_user_policy(**rule, PolicyDocument=everything)
                    administrator.delete_resource_policy(ResourceArn=arn)
                    iam.update_access_key(**owner, Status="Active")
                else:
                    own = policy("dynamodb:GetItem", principal={"AWS": arn.split(":")[4]})
                    administrator.put_resource_policy(ResourceArn=arn, Policy=own)
                    iam.delete_user_policy(**rule)
                    load.more()
                    iam.update_access_key(**owner, Status="Inactive")

            switched(switch, client, made_.endpoint, load)
