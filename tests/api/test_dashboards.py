"""Dashboards of CloudWatch: put, read, listed and deleted, in each protocol."""

import json
import uuid

import pytest
from botocore.exceptions import ClientError

from tests.api.metrics import CBOR, JSON, QUERY, client_speaking, refused

WIDGET = {"type": "metric", "x": 0, "y": 0, "width": 6, "height": 6, "properties": {}}


@pytest.fixture(scope="module", params=[JSON, CBOR, QUERY])
def cloudwatch(endpoint, request):
    return client_speaking(request.param, endpoint)


@pytest.fixture
def name():
    return f"d-{uuid.uuid4()}"


def put(client, name, *widgets):
    body = json.dumps({"widgets": [*widgets]})
    answer = client.put_dashboard(DashboardName=name, DashboardBody=body)
    assert answer["DashboardValidationMessages"] == []
    return body


def test_a_dashboard_is_read_as_it_was_put(cloudwatch, name):
    put(cloudwatch, name)
    body = put(cloudwatch, name, WIDGET)
    found = cloudwatch.get_dashboard(DashboardName=name)
    arn = f"arn:aws:cloudwatch::000000000000:dashboard/{name}"
    assert {key: found[key] for key in found if key != "ResponseMetadata"} == {
        "DashboardArn": arn,
        "DashboardBody": body,
        "DashboardName": name,
    }
    (entry,) = cloudwatch.list_dashboards(DashboardNamePrefix=name)["DashboardEntries"]
    assert (entry["DashboardArn"], entry["Size"]) == (arn, len(body))
    assert entry["LastModified"].timestamp() > 1_700_000_000


# Source: the models: PutDashboard ignores the tags of a dashboard that is there.
def test_tags_are_those_of_the_first_put(cloudwatch, name):
    body = json.dumps({"widgets": []})
    for value in ("first", "second"):
        cloudwatch.put_dashboard(
            DashboardName=name, DashboardBody=body, Tags=[{"Key": "team", "Value": value}]
        )
    dashboard = {"ResourceARN": f"arn:aws:cloudwatch::000000000000:dashboard/{name}"}
    assert cloudwatch.list_tags_for_resource(**dashboard)["Tags"] == [
        {"Key": "team", "Value": "first"}
    ]
    cloudwatch.tag_resource(**dashboard, Tags=[{"Key": "tier", "Value": "1"}])
    cloudwatch.untag_resource(**dashboard, TagKeys=["team", "none"])
    put(cloudwatch, name, WIDGET)
    assert cloudwatch.list_tags_for_resource(**dashboard)["Tags"] == [{"Key": "tier", "Value": "1"}]
    cloudwatch.delete_dashboards(DashboardNames=[name])
    for call, more in (
        (cloudwatch.list_tags_for_resource, {}),
        (cloudwatch.tag_resource, {"Tags": [{"Key": "a", "Value": "b"}]}),
        (cloudwatch.untag_resource, {"TagKeys": ["a"]}),
    ):
        assert refused(call, **dashboard, **more)[0] == "ResourceNotFoundException"
    assert refused(cloudwatch.get_dashboard, DashboardName=name)[0] == "ResourceNotFound"


def test_dashboards_are_listed_by_name(cloudwatch, name):
    for end in "bac":
        put(cloudwatch, f"{name}-{end}")
    found = cloudwatch.list_dashboards(DashboardNamePrefix=name)["DashboardEntries"]
    assert [each["DashboardName"][-1] for each in found] == ["a", "b", "c"]


def test_all_dashboards_are_deleted_or_none(cloudwatch, name):
    names = [f"{name}-{end}" for end in "ab"]
    for each in names:
        put(cloudwatch, each)
    code, text = refused(cloudwatch.delete_dashboards, DashboardNames=[*names, name])
    assert (code, text) == ("ResourceNotFound", f"Dashboard {name} does not exist")
    assert len(cloudwatch.list_dashboards(DashboardNamePrefix=name)["DashboardEntries"]) == 2
    cloudwatch.delete_dashboards(DashboardNames=[*names, names[0]])
    for each in names:
        code, _ = refused(cloudwatch.get_dashboard, DashboardName=each)
        assert code == "ResourceNotFound"


FAULTS = [
    ("{", "", "The body is not a JSON object"),
    ("[]", "", "The body is not a JSON object"),
    ("[" * 2000, "", "The body is not a JSON object"),
    ("{}", "", "Should have required property 'widgets'"),
    ('{"widgets": [1]}', "/widgets/0", "Should be object"),
    ('{"widgets": [{"type": "text"}]}', "/widgets/0", "Should have required property 'properties'"),
    (json.dumps({"widgets": [{**WIDGET, "width": 25}]}), "/widgets/0/width", "Should be <= 24"),
    (json.dumps({"widgets": [{**WIDGET, "y": -1}]}), "/widgets/0/y", "Should be >= 0"),
    (json.dumps({"widgets": [{**WIDGET, "x": "1"}]}), "/widgets/0/x", "Should be integer"),
    (json.dumps({"widgets": [WIDGET] * 501}), "/widgets", "Should NOT have more than 500 items"),
    ('{"widgets": []}' + " " * 300_000, "", "The body has more than 300,000 bytes"),
]


@pytest.mark.parametrize("row", FAULTS, ids=lambda row: row[2])
def test_faults_of_bodies(cloudwatch, name, row):
    body, path, message = row
    with pytest.raises(ClientError) as error:
        cloudwatch.put_dashboard(DashboardName=name, DashboardBody=body)
    found = error.value.response
    assert found["Error"]["Code"] == "InvalidParameterInput"
    assert f"{path or '/'}: {message}" in found["Error"]["Message"]
    if "dashboardValidationMessages" in found:  # XML names it as it names no other member
        assert found["dashboardValidationMessages"] == [{"DataPath": path, "Message": message}]
    assert refused(cloudwatch.get_dashboard, DashboardName=name)[0] == "ResourceNotFound"


REFUSALS = [
    ("get_dashboard", {"DashboardName": "a b"}, "InvalidParameterValue"),
    ("list_dashboards", {"DashboardNamePrefix": "a/"}, "InvalidParameterValue"),
    ("list_dashboards", {"NextToken": "x"}, "InvalidNextToken"),
    ("delete_dashboards", {"DashboardNames": []}, "InvalidParameterValue"),
    (
        "delete_dashboards",
        {"DashboardNames": [f"d{number}" for number in range(101)]},
        "InvalidParameterValue",
    ),
    ("put_dashboard", {"DashboardName": "a b", "DashboardBody": "{}"}, "InvalidParameterInput"),
    (
        "put_dashboard",
        {
            "DashboardName": "tagged",
            "DashboardBody": '{"widgets": []}',
            "Tags": [{"Key": "aws:k", "Value": "v"}],
        },
        "ValidationError",
    ),
]


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row[0])
def test_refusals(cloudwatch, row):
    operation, request, code = row
    assert refused(getattr(cloudwatch, operation), **request)[0] == code
