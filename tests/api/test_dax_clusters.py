"""AmazonDAXV3 through boto3's client: clusters that listen, their groups, events and tags."""

import contextlib
import json
import socket
import uuid

import pytest

from tests.api.dax import ROLE, cluster, dax_client
from tests.api.scaling import refused
from tests.api.webhooks import receiving
from tests.pace import until
from tests.served import served


@pytest.fixture(scope="module")
def dax(start_server):
    client = dax_client(start_server())
    yield client
    client.close()


@pytest.fixture
def name(dax):
    name = f"c{uuid.uuid4().hex[:8]}"
    yield name
    for each in dax.describe_clusters()["Clusters"]:
        if each["ClusterName"] == name and each["Status"] != "deleting":
            dax.delete_cluster(ClusterName=name)
    until(lambda: name not in names(dax))


def names(dax):
    return [each["ClusterName"] for each in dax.describe_clusters()["Clusters"]]


def described(dax, name):
    (found,) = dax.describe_clusters(ClusterNames=[name])["Clusters"]
    return found


def available(dax, name):
    until(lambda: described(dax, name)["Status"] == "available")
    return described(dax, name)


def listens(endpoint):
    try:
        socket.create_connection((endpoint["Address"], endpoint["Port"])).close()
    except ConnectionRefusedError:
        return False
    return True


# What a template makes, waits for, describes and removes again.
def test_a_cluster_is_created_and_listens(dax, name):
    tags = [{"Key": "team", "Value": "a"}]
    made = dax.create_cluster(**cluster(name, 2, Description="mine", Tags=tags))["Cluster"]
    assert (made["Status"], made["TotalNodes"], made["ActiveNodes"]) == ("creating", 2, 0)
    assert "Nodes" not in made
    found = available(dax, name)
    assert found["ClusterArn"] == f"arn:aws:dax:us-east-1:000000000000:cache/{name}"
    assert found["Description"] == "mine"
    assert (found["TotalNodes"], found["ActiveNodes"]) == (2, 2)
    assert [node["NodeId"] for node in found["Nodes"]] == [f"{name}-a", f"{name}-b"]
    assert {node["NodeStatus"] for node in found["Nodes"]} == {"available"}
    assert [node["AvailabilityZone"] for node in found["Nodes"]] == ["us-east-1a", "us-east-1b"]
    assert found["ParameterGroup"]["ParameterGroupName"] == "default.dax1.0"
    assert (found["SubnetGroup"], found["IamRoleArn"]) == ("default", ROLE)
    assert found["SSEDescription"] == {"Status": "DISABLED"}
    assert found["ClusterEndpointEncryptionType"] == "NONE"
    discovery = found["ClusterDiscoveryEndpoint"]
    assert discovery["URL"] == f"dax://{discovery['Address']}:{discovery['Port']}"
    ends = [discovery, *(node["Endpoint"] for node in found["Nodes"])]
    assert all(listens(each) for each in ends)
    assert len({each["Port"] for each in ends}) == 3
    assert dax.list_tags(ResourceName=found["ClusterArn"])["Tags"] == tags
    assert dax.delete_cluster(ClusterName=name)["Cluster"]["Status"] == "deleting"
    until(lambda: name not in names(dax))
    assert not any(listens(each) for each in ends)


def test_nodes_are_added_removed_and_started_again(dax, name):
    dax.create_cluster(**cluster(name))
    before = available(dax, name)
    more = dax.increase_replication_factor(ClusterName=name, NewReplicationFactor=3)["Cluster"]
    assert (more["Status"], more["TotalNodes"]) == ("modifying", 3)
    found = available(dax, name)
    assert [node["NodeId"][-1] for node in found["Nodes"]] == ["a", "b", "c"]
    assert found["Nodes"][0]["Endpoint"] == before["Nodes"][0]["Endpoint"]
    rebooting = dax.reboot_node(ClusterName=name, NodeId=f"{name}-b")["Cluster"]
    assert rebooting["Nodes"][1]["NodeStatus"] == "rebooting"
    until(lambda: described(dax, name)["Nodes"][1]["NodeStatus"] == "available")
    assert described(dax, name)["Nodes"][1]["Endpoint"] == found["Nodes"][1]["Endpoint"]
    less = dax.decrease_replication_factor(
        ClusterName=name, NewReplicationFactor=2, NodeIdsToRemove=[f"{name}-a"]
    )["Cluster"]
    assert less["NodeIdsToRemove"] == [f"{name}-a"]
    left = available(dax, name)
    assert [node["NodeId"][-1] for node in left["Nodes"]] == ["b", "c"]
    # The letter that is free is used again.
    dax.increase_replication_factor(ClusterName=name, NewReplicationFactor=3)
    assert {node["NodeId"][-1] for node in available(dax, name)["Nodes"]} == set("abc")


def test_what_is_changed_of_a_cluster(dax, name):
    dax.create_parameter_group(ParameterGroupName=f"{name}-g")
    dax.create_cluster(**cluster(name))
    available(dax, name)
    changed = dax.update_cluster(
        ClusterName=name,
        Description="new",
        PreferredMaintenanceWindow="sun:01:00-sun:02:00",
        ParameterGroupName=f"{name}-g",
    )["Cluster"]
    assert changed["Description"] == "new"
    assert changed["PreferredMaintenanceWindow"] == "sun:01:00-sun:02:00"
    assert changed["ParameterGroup"]["ParameterGroupName"] == f"{name}-g"
    code, _ = refused(dax.delete_parameter_group, ParameterGroupName=f"{name}-g")
    assert code == "InvalidParameterGroupStateFault"
    dax.update_cluster(ClusterName=name, ParameterGroupName="default.dax1.0")
    dax.delete_parameter_group(ParameterGroupName=f"{name}-g")


INVALID, COMBINATION = "InvalidParameterValueException", "InvalidParameterCombinationException"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ClusterName": "1invalid"}, INVALID),
        ({"ClusterName": "in--valid"}, INVALID),
        ({"ClusterName": "invalid-"}, INVALID),
        ({"ClusterName": "a" * 21}, INVALID),
        ({"ClusterName": None}, INVALID),
        ({"NodeType": "dax.z9.huge"}, INVALID),
        ({"IamRoleArn": "n/a"}, INVALID),
        ({"ReplicationFactor": 0}, INVALID),
        ({"ReplicationFactor": 11}, "NodeQuotaForClusterExceededFault"),
        ({"ParameterGroupName": "nobody"}, "ParameterGroupNotFoundFault"),
        ({"SubnetGroupName": "nobody"}, "SubnetGroupNotFoundFault"),
        ({"AvailabilityZones": ["us-east-1a", "us-east-1b"]}, COMBINATION),
        ({"AvailabilityZones": ["mars-1a"]}, INVALID),
        ({"PreferredMaintenanceWindow": "sometimes"}, INVALID),
        ({"ClusterEndpointEncryptionType": "TLS"}, COMBINATION),
        ({"ClusterEndpointEncryptionType": "SOME"}, INVALID),
        ({"SecurityGroupIds": ["sg-1"]}, COMBINATION),
        ({"NotificationTopicArn": "arn:aws:sns:us-east-1:123456789012:t"}, INVALID),
        ({"NetworkType": "ipv6"}, COMBINATION),
        (
            {"Tags": [{"Key": str(n), "Value": ""} for n in range(51)]},
            "TagQuotaPerResourceExceeded",
        ),
    ],
)
def test_what_is_no_cluster(dax, name, change, code):
    request = {
        key: value for key, value in {**cluster(name), **change}.items() if value is not None
    }
    assert refused(dax.create_cluster, **request)[0] == code


# The texts are those that others have recorded of the service.
def test_texts_of_the_service(dax):
    def text(arn):
        return refused(dax.create_cluster, **cluster("c", IamRoleArn=arn))[1]

    assert text("n/a") == "ARNs must start with 'arn:': n/a"
    assert text("arn:sth") == "Second colon partition not found: arn:sth"
    assert text("arn:sth:aws") == "Third colon vendor not found: arn:sth:aws"
    assert text("arn:a:b:c") == "Fourth colon (region/namespace delimiter) not found: arn:a:b:c"
    assert (
        text("arn:a:b:c:d")
        == "Fifth colon (namespace/relative-id delimiter) not found: arn:a:b:c:d"
    )
    assert refused(dax.delete_cluster, ClusterName="unknown") == (
        "ClusterNotFoundFault",
        "Cluster not found.",
    )
    assert refused(dax.describe_clusters, ClusterNames=["unknown"]) == (
        "ClusterNotFoundFault",
        "Cluster unknown not found.",
    )
    assert refused(dax.describe_clusters, ClusterNames=["in_valid"])[1].startswith(
        "Cluster ID specified is not a valid identifier."
    )


def test_a_cluster_that_does_not_exist_or_exists_already(dax, name):
    missing = "ClusterNotFoundFault"
    factor = {"ClusterName": name, "NewReplicationFactor": 2}
    assert refused(dax.update_cluster, ClusterName=name)[0] == missing
    assert refused(dax.increase_replication_factor, **factor)[0] == missing
    assert refused(dax.decrease_replication_factor, **factor)[0] == missing
    assert refused(dax.reboot_node, ClusterName=name, NodeId="n")[0] == missing
    assert refused(dax.list_tags, ResourceName=name)[0] == missing
    dax.create_cluster(**cluster(name))
    assert refused(dax.create_cluster, **cluster(name))[0] == "ClusterAlreadyExistsFault"
    available(dax, name)
    assert refused(dax.reboot_node, ClusterName=name, NodeId="n")[0] == "NodeNotFoundFault"
    many = {"ClusterName": name, "NewReplicationFactor": 11}
    assert refused(dax.increase_replication_factor, **many)[0] == "NodeQuotaForClusterExceededFault"
    one = {"ClusterName": name, "NewReplicationFactor": 1}
    assert refused(dax.increase_replication_factor, **one)[0] == INVALID
    assert refused(dax.decrease_replication_factor, **one)[0] == INVALID
    dax.increase_replication_factor(ClusterName=name, NewReplicationFactor=2)
    dax.delete_cluster(ClusterName=name)
    assert refused(dax.delete_cluster, ClusterName=name)[0] in {
        "InvalidClusterStateFault",
        "ClusterNotFoundFault",
    }


def test_parameter_groups(dax, name):
    group = dax.create_parameter_group(ParameterGroupName=name, Description="d")["ParameterGroup"]
    assert group == {"ParameterGroupName": name, "Description": "d"}
    exists = refused(dax.create_parameter_group, ParameterGroupName=name)
    assert exists[0] == "ParameterGroupAlreadyExistsFault"
    dax.update_parameter_group(
        ParameterGroupName=name,
        ParameterNameValues=[
            {"ParameterName": "query-ttl-millis", "ParameterValue": "1000"},
            {"ParameterName": "record-ttl-millis", "ParameterValue": "0"},
        ],
    )
    parameters = dax.describe_parameters(ParameterGroupName=name)["Parameters"]
    assert {each["ParameterName"]: each["ParameterValue"] for each in parameters} == {
        "query-ttl-millis": "1000",
        "record-ttl-millis": "0",
    }
    defaults = dax.describe_default_parameters()["Parameters"]
    assert {each["ParameterValue"] for each in defaults} == {"300000"}
    assert {each["ChangeType"] for each in defaults} == {"IMMEDIATE"}
    found = dax.describe_parameter_groups()["ParameterGroups"]
    assert found[0]["ParameterGroupName"] == "default.dax1.0"
    assert group in found
    for value in ("-1", "soon", "9" * 17):
        wrong = [{"ParameterName": "query-ttl-millis", "ParameterValue": value}]
        code, _ = refused(
            dax.update_parameter_group, ParameterGroupName=name, ParameterNameValues=wrong
        )
        assert code == INVALID
    unknown = [{"ParameterName": "shoe-size", "ParameterValue": "1"}]
    code, _ = refused(
        dax.update_parameter_group, ParameterGroupName=name, ParameterNameValues=unknown
    )
    assert code == INVALID
    code, _ = refused(dax.delete_parameter_group, ParameterGroupName="default.dax1.0")
    assert code == "InvalidParameterGroupStateFault"
    dax.delete_parameter_group(ParameterGroupName=name)
    gone = refused(dax.delete_parameter_group, ParameterGroupName=name)
    assert gone[0] == "ParameterGroupNotFoundFault"


# Tools that delete all that they find meet it. Source: reports of users.
@pytest.mark.parametrize("group", ["default", "DEFAULT"])
def test_the_default_subnet_group_stays(dax, group):
    told = (INVALID, "default is reserved and cannot be modified.")
    assert refused(dax.delete_subnet_group, SubnetGroupName=group) == told
    changes = {"SubnetGroupName": group, "Description": "mine"}
    assert refused(dax.update_subnet_group, **changes) == told
    assert dax.describe_subnet_groups()["SubnetGroups"][0]["SubnetGroupName"] == "default"


def test_subnet_groups(dax, name):
    group = dax.create_subnet_group(SubnetGroupName=name, SubnetIds=["subnet-1", "subnet-2"])
    assert [each["SubnetIdentifier"] for each in group["SubnetGroup"]["Subnets"]] == [
        "subnet-1",
        "subnet-2",
    ]
    exists = refused(dax.create_subnet_group, SubnetGroupName=name, SubnetIds=["subnet-1"])
    assert exists[0] == "SubnetGroupAlreadyExistsFault"
    changed = dax.update_subnet_group(SubnetGroupName=name, SubnetIds=["subnet-3"])["SubnetGroup"]
    assert len(changed["Subnets"]) == 1
    dax.create_cluster(**cluster(name, SubnetGroupName=name))
    assert refused(dax.delete_subnet_group, SubnetGroupName=name)[0] == "SubnetGroupInUseFault"
    dax.delete_cluster(ClusterName=name)
    until(lambda: name not in names(dax))
    dax.delete_subnet_group(SubnetGroupName=name)
    gone = refused(dax.describe_subnet_groups, SubnetGroupNames=[name])
    assert gone[0] == "SubnetGroupNotFoundFault"
    invalid = refused(dax.create_subnet_group, SubnetGroupName=name, SubnetIds=["net"])
    assert invalid[0] == "InvalidSubnet"
    many = [f"subnet-{n}" for n in range(21)]
    quota = refused(dax.create_subnet_group, SubnetGroupName=name, SubnetIds=many)
    assert quota[0] == "SubnetQuotaExceededFault"


def test_tags(dax, name):
    arn = dax.create_cluster(**cluster(name))["Cluster"]["ClusterArn"]
    tags = dax.tag_resource(ResourceName=arn, Tags=[{"Key": "a", "Value": "1"}])["Tags"]
    assert tags == dax.list_tags(ResourceName=name)["Tags"] == [{"Key": "a", "Value": "1"}]
    missing = refused(dax.untag_resource, ResourceName=arn, TagKeys=["b"])
    assert missing[0] == "TagNotFoundFault"
    assert dax.untag_resource(ResourceName=arn, TagKeys=["a"])["Tags"] == []
    assert refused(dax.list_tags, ResourceName="arn:aws:s3:::b")[0] == "InvalidARNFault"
    assert refused(dax.list_tags, ResourceName=arn, NextToken="1")[0] == INVALID


def test_events(dax, name):
    dax.create_cluster(**cluster(name))
    available(dax, name)

    def texts(**more):
        events = dax.describe_events(SourceName=name, SourceType="CLUSTER", **more)["Events"]
        return [each["Message"] for each in events]

    until(lambda: "Cluster created." in texts())
    assert f"Node {name}-a was started." in texts(Duration=5)
    assert texts(StartTime=0, EndTime=1) == []
    assert refused(dax.describe_events, SourceName=name)[0] == COMBINATION
    assert refused(dax.describe_events, MaxResults=5)[0] == INVALID


def test_pages(dax, name):
    made = [f"{name}-{n}" for n in range(12)]
    for each in made:
        dax.create_subnet_group(SubnetGroupName=each, SubnetIds=["subnet-1"])
    for each in [f"{name}-x{n}" for n in range(12)]:
        made.append(each)
        dax.create_subnet_group(SubnetGroupName=each, SubnetIds=["subnet-1"])
    first = dax.describe_subnet_groups(MaxResults=20)
    rest = dax.describe_subnet_groups(MaxResults=20, NextToken=first["NextToken"])
    found = [each["SubnetGroupName"] for page in (first, rest) for each in page["SubnetGroups"]]
    assert set(made) <= set(found)
    assert len(first["SubnetGroups"]) == 20
    assert refused(dax.describe_subnet_groups, MaxResults=19)[0] == INVALID
    assert len(dax.describe_subnet_groups(MaxResults=100)["SubnetGroups"]) >= len(made)
    assert refused(dax.describe_subnet_groups, MaxResults=101)[0] == INVALID
    assert refused(dax.describe_subnet_groups, NextToken="soon")[0] == INVALID
    for each in made:
        dax.delete_subnet_group(SubnetGroupName=each)


# An operator learns of a cluster's events where those of alarms arrive too.
def test_events_are_sent_to_the_topic_of_a_cluster():
    topic = "arn:aws:sns:us-east-1:000000000000:events"
    with (
        receiving() as receiver,
        served(testing=True, alarm_webhook=f"{topic}={receiver.url}") as server,
        contextlib.closing(dax_client(server.endpoint)) as dax,
    ):
        made = dax.create_cluster(**cluster("told", NotificationTopicArn=topic))["Cluster"]
        active = {"TopicArn": topic, "TopicStatus": "active"}
        assert made["NotificationConfiguration"] == active
        available(dax, "told")
        dax.create_cluster(**cluster("quiet"))
        assert "NotificationConfiguration" not in available(dax, "quiet")
        server.clock.advance(seconds=60)
        headers, body = receiver.next()
        assert headers["x-amz-sns-topic-arn"] == topic
        assert json.loads(body["Message"])["SourceName"] == "told"
        changed = dax.update_cluster(ClusterName="told", NotificationTopicStatus="inactive")
        quiet = {"TopicArn": topic, "TopicStatus": "inactive"}
        assert changed["Cluster"]["NotificationConfiguration"] == quiet
        dax.delete_cluster(ClusterName="told")
        until(lambda: "told" not in names(dax))
        server.clock.advance(seconds=60)
        events = [
            each["Message"]
            for each in dax.describe_events(SourceType="CLUSTER", SourceName="told")["Events"]
        ]
        sent = [json.loads(body["Message"])["Message"]]
        while not receiver.arrived.empty():
            sent.append(receiver.message()["Message"])
        assert sorted([*sent, "Cluster deleted."]) == sorted(events)
        for request in (
            {"ClusterName": "quiet", "NotificationTopicStatus": "active"},
            {"ClusterName": "quiet", "NotificationTopicArn": f"{topic}-none"},
            {"ClusterName": "quiet", "NotificationTopicStatus": "some"},
        ):
            assert refused(dax.update_cluster, **request)[0] in {INVALID, COMBINATION}
