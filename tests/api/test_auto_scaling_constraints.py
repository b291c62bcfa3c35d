"""Members of requests to Application Auto Scaling that its model or its reference refuses."""

import uuid
from functools import partial

import pytest

from tests.api.indexes import attributes, schema, units
from tests.api.scaling import READ, bounds, place, refused, scaling_client


@pytest.fixture(scope="module")
def scaling(endpoint):
    client = scaling_client(endpoint)
    yield client
    client.close()


@pytest.fixture
def table(dynamodb):
    name = f"t-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        AttributeDefinitions=attributes(pk="S"),
        KeySchema=schema("pk"),
        **units(5, 5),
    )
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ({"": "a"}, "Tag keys have 1 to 128 characters, tag values up to 256"),
        ({"a" * 129: "a"}, "Tag keys have 1 to 128 characters, tag values up to 256"),
        ({"a": "a" * 257}, "Tag keys have 1 to 128 characters, tag values up to 256"),
        ({"aws:a": "b"}, "Tag keys that begin with aws: are reserved: aws:a"),
    ],
)
def test_tags_that_cannot_be(scaling, table, tags, text):
    register = partial(scaling.register_scalable_target, **place(table), **bounds(1, 9))
    assert refused(register, Tags=tags) == ("ValidationException", text)
    arn = register(Tags={"a": "b"})["ScalableTargetARN"]
    told = refused(scaling.tag_resource, ResourceARN=arn, Tags=tags)
    assert told == ("ValidationException", text)
    assert refused(register, Tags={"a": "c"}) == (
        "ValidationException",
        (
            "The scalable target that you tried to tag already exists. To update tags on an "
            "existing scalable target, use the TagResource API."
        ),
    )
    register()
    many = {str(number): "" for number in range(50)}
    assert refused(scaling.tag_resource, ResourceARN=arn, Tags=many)[0] == "TooManyTagsException"
    assert scaling.list_tags_for_resource(ResourceARN=arn)["Tags"] == {"a": "b"}
    for keys in ([""], ["a" * 129], ["a"] * 201):
        told = refused(scaling.untag_resource, ResourceARN=arn, TagKeys=keys)
        assert told[0] == "ValidationException"


# Texts as the API's model has them, in every operation.
@pytest.mark.parametrize(
    ("operation", "members"),
    [
        ("register_scalable_target", {"RoleARN": "a\0"}),
        ("register_scalable_target", {"ResourceId": "table/a\u0001"}),
        ("deregister_scalable_target", {"ResourceId": "table/\ufffe"}),
        ("delete_scaling_policy", {"PolicyName": "a\u0002"}),
        ("delete_scheduled_action", {"ScheduledActionName": "a\u0003"}),
        ("describe_scalable_targets", {"ResourceIds": ["a"] * 51}),
        ("describe_scalable_targets", {"ResourceIds": ["a\0"]}),
        ("describe_scaling_policies", {"PolicyNames": [""]}),
        ("describe_scheduled_actions", {"ScheduledActionNames": ["a" * 1601]}),
        ("describe_scaling_activities", {"NextToken": "\0"}),
        ("describe_scaling_activities", {"ResourceId": f"table/{'a' * 1600}"}),
        ("describe_scaling_activities", {"MaxResults": 51}),
        ("describe_scaling_activities", {"MaxResults": 0}),
    ],
)
def test_members_that_break_the_model(scaling, table, operation, members):
    call = getattr(scaling, operation)
    more = {} if operation == "describe_scalable_targets" else {"ResourceId": f"table/{table}"}
    request = {"ServiceNamespace": "dynamodb", "ScalableDimension": READ, **more, **members}
    code, text = refused(call, **request)
    assert code == "ValidationException"
    assert "failed to satisfy constraint" in text


# Source: the API's reference of each list.
@pytest.mark.parametrize(
    "operation",
    [
        "describe_scalable_targets",
        "describe_scaling_policies",
        "describe_scheduled_actions",
        "describe_scaling_activities",
    ],
)
def test_a_list_of_a_dimension_needs_its_resource(scaling, operation):
    request = {"ServiceNamespace": "dynamodb", "ScalableDimension": READ}
    told = refused(getattr(scaling, operation), **request)
    text = "A resource ID must be specified with a scalable dimension"
    assert told == ("ValidationException", text)
