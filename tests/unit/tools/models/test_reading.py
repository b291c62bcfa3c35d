"""Models of other programs: what is read of each form, by value."""

import json

import msgspec
import pytest

from hashrange.tools.definition import AutoScaling
from hashrange.tools.design.model_formats import FORMATS
from hashrange.tools.models.files import parsed
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.schema import AccessPattern
from hashrange.tools.models.table_parts import indexes_of, key_types
from tests.unit.tools.models.shop import TEXT


def read(text, suffix=".json", name="shop"):
    return model_of(parsed(text.encode(), suffix), name)


@pytest.fixture
def shop():
    return read(TEXT, ".toml")


@pytest.mark.parametrize(("form", "suffix"), [("toml", ".toml"), ("json", ".json")])
def test_a_model_is_written_and_read_again(shop, form, suffix):
    again = read(FORMATS[form](shop), suffix)
    assert (again.tables, again.entities, again.patterns) == (
        shop.tables,
        shop.entities,
        shop.patterns,
    )


def test_samples_have_the_declared_types_and_all_digits(shop):
    sample = shop.entities[1].samples[0]
    assert sample["total"] == {"N": "10.50"}
    assert sample["customerId"] == {"S": "1"}


WORKBENCH = {
    "ModelName": "Offers",
    "ModelMetadata": {"Author": "A", "Description": "Of cards.", "Version": "2.0", "Own": 1},
    "DataModel": [
        {
            "TableName": "Offers",
            "KeyAttributes": {
                "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
                "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
            },
            "NonKeyAttributes": [
                {"AttributeName": "Miles", "AttributeType": "N", "SampleDataFormat": {}},
                {"AttributeName": "GSI1SK", "AttributeType": "S"},
            ],
            "TableFacets": [
                {
                    "FacetName": "Account",
                    "KeyAttributeAlias": {"PartitionKeyAlias": "A#{Id}", "SortKeyAlias": "SK"},
                    "NonKeyAttributes": ["Miles"],
                    "TableData": [{"PK": {"S": "A#1"}, "SK": {"S": "A"}, "Miles": {"N": "5"}}],
                    "DataAccess": {"MySql": {}},
                }
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "GSI1",
                    "KeyAttributes": {
                        "PartitionKey": {"AttributeName": "SK", "AttributeType": "S"},
                        "SortKey": {"AttributeName": "GSI1SK", "AttributeType": "S"},
                    },
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Miles"]},
                }
            ],
            "TableData": [
                {"PK": {"S": "A#1"}, "SK": {"S": "A"}, "Miles": {"N": "5"}},
                {"PK": {"S": "O#1"}, "SK": {"S": "O"}},
            ],
            "DataAccess": {"MySql": {}},
            "BillingMode": "PROVISIONED",
            "ProvisionedCapacitySettings": {
                "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 5},
                "AutoScalingWrite": {
                    "ScalableTargetRequest": {"MinCapacity": 2, "MaxCapacity": 9},
                    "ScalingPolicyConfiguration": {"TargetValue": 60},
                },
            },
            "OwnMember": [1],
        }
    ],
    "OwnMember": {"a": None},
}


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_workbench(version):
    document = {**WORKBENCH, "ModelMetadata": {"Version": version}}
    model = read(json.dumps(document))
    (table,) = model.tables
    assert model.dialect == "workbench"
    assert table.scaling == AutoScaling(units_min=2, units_max=9, target_percent=60)
    assert table.request["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert key_types(table.request) == {"PK": "S", "SK": "S", "GSI1SK": "S"}
    assert indexes_of(table.request)["GSI1"]["Projection"]["NonKeyAttributes"] == ["Miles"]
    account, rest = model.entities
    assert account.templates == {"PK": "A#{Id}"}
    assert account.attributes == {"Miles": "N"}
    assert [item["PK"]["S"] for item in (*account.samples, *rest.samples)] == ["A#1", "O#1"]


def test_workbench_is_kept_whole_unless_it_is_changed():
    text = FORMATS["workbench"](read(json.dumps(WORKBENCH)))
    assert json.loads(text) == WORKBENCH


def test_members_of_workbench_are_kept_through_other_forms():
    # An edit in between: the description changes, the rest is as it was.
    toml = FORMATS["toml"](read(json.dumps(WORKBENCH))).replace("Of cards.", "Changed.")
    again = json.loads(FORMATS["workbench"](read(toml, ".toml")))
    assert again["OwnMember"] == {"a": None}
    assert again["ModelMetadata"] == {
        **WORKBENCH["ModelMetadata"],
        "Description": "Changed.",
        "AWSService": "Amazon DynamoDB",
        "DateCreated": "",
        "DateLastModified": "",
    }
    (table,) = again["DataModel"]
    (wanted,) = WORKBENCH["DataModel"]
    assert table["OwnMember"] == [1]
    assert table["KeyAttributes"] == wanted["KeyAttributes"]
    assert table["TableFacets"][0] == {**wanted["TableFacets"][0]}
    assert table["GlobalSecondaryIndexes"] == wanted["GlobalSecondaryIndexes"]
    assert table["TableData"] == wanted["TableData"]


DATA_MODEL = {
    "tables": [
        {
            "TableName": "Users",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
    ],
    "items": {
        "Users": [{"PutRequest": {"Item": {"id": {"S": "1"}, "is_active": {"BOOL": "True"}}}}]
    },
    "access_patterns": [
        {
            "pattern": "1",
            "description": "User by id",
            "table": "Users",
            "dynamodb_operation": "Query",
            "implementation": "aws dynamodb query --table-name Users --key-condition-expression "
            "'#id = :id' --expression-attribute-names '{\"#id\": \"id\"}' "
            '--expression-attribute-values \'{":id": {"S": "1"}}\' --limit 5 '
            "--no-scan-index-forward --consistent-read --output json",
        },
        {"pattern": 2, "description": "Mail", "reason": "another service sends it"},
    ],
}


def test_data_model_of_the_mcp_server():
    model = read(json.dumps(DATA_MODEL))
    assert model.dialect == "data-model"
    assert model.tables[0].request == DATA_MODEL["tables"][0]
    assert model.entities[0].samples == ({"id": {"S": "1"}, "is_active": {"BOOL": True}},)
    assert model.patterns == (
        AccessPattern(
            name="1",
            description="User by id",
            table="Users",
            operation="Query",
            request={
                "TableName": "Users",
                "KeyConditionExpression": "#id = :id",
                "ExpressionAttributeNames": {"#id": "id"},
                "ExpressionAttributeValues": {":id": {"S": "1"}},
                "Limit": 5,
                "ScanIndexForward": False,
                "ConsistentRead": True,
            },
        ),
        AccessPattern(name="2", description="Mail", note="another service sends it"),
    )


COST_MODEL = {
    "tables": [
        {
            "table_name": "Orders",
            "key_schema": {"partition_key": "customer", "sort_key": "day"},
            "attribute_definitions": [{"attribute_name": "day", "attribute_type": "N"}],
            "entities": [
                {
                    "entity_name": "Order",
                    "estimated_item_size_bytes": 700,
                    "estimated_item_count": 9,
                    "attributes": [{"name": "total", "type": "N"}],
                }
            ],
            "gsis": [
                {
                    "index_name": "ByDay",
                    "partition_key": "day",
                    "projection": {"type": "INCLUDE", "attributes": ["total"]},
                }
            ],
            "streams": {"enabled": True},
        }
    ],
    "access_patterns": [
        {
            "pattern_id": "AP1",
            "description": "Orders of a day",
            "operation": "Query",
            "table": "Orders",
            "index": "ByDay",
            "peak_rps": 12.5,
            "items_per_request": 3,
            "consistency": "eventual",
        }
    ],
}


def test_data_model_of_agents_that_estimate_costs():
    model = read(json.dumps(COST_MODEL))
    assert model.dialect == "cost-model"
    request = model.tables[0].request
    assert key_types(request) == {"customer": "S", "day": "N"}
    assert request["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert indexes_of(request)["ByDay"]["Projection"]["NonKeyAttributes"] == ["total"]
    (order,) = model.entities
    assert order.attributes == {"customer": "S", "day": "N", "total": "N"}
    assert (order.item_bytes, order.items) == (700, 9)
    (pattern,) = model.patterns
    assert (pattern.entity, pattern.key) == ("Order", {"day": "{day}"})
    assert (pattern.rate, pattern.items, pattern.consistent) == (12.5, 3, False)


ONETABLE = {
    "format": "onetable:1.1.0",
    "indexes": {
        "primary": {"hash": "pk", "sort": "sk"},
        "gs1": {"hash": "gs1pk", "sort": "gs1sk", "project": ["name"]},
        "ls1": {"type": "local", "sort": "number", "project": "keys"},
    },
    "params": {"typeField": "_type", "isoDates": True},
    "models": {
        "User": {
            "pk": {"type": "string", "value": "${_type}#${id}"},
            "sk": {"type": "string", "value": "N#${number:6:0}"},
            "gs1pk": {"type": "string", "value": "NAME#${name}"},
            "gs1sk": {"type": "string", "value": "user#"},
            "id": {"type": "string", "required": True},
            "number": {"type": "number"},
            "name": {"type": "string", "required": True},
            "born": {"type": "date"},
            "tags": {"type": "array", "items": {"type": "string"}},
        }
    },
}


def test_onetable():
    model = read(json.dumps(ONETABLE), name="my users")
    (table,), (user,) = model.tables, model.entities
    assert table.name == "my-users"
    assert key_types(table.request)["number"] == "N"
    assert [*indexes_of(table.request)] == ["gs1", "ls1"]
    assert user.templates == {
        "pk": "User#{id}",
        "sk": "N#{number:06}",
        "gs1pk": "NAME#{name}",
        "gs1sk": "user#",
        "_type": "User",
    }
    assert user.attributes == {"id": "S", "number": "N", "name": "S", "born": "S", "tags": "L"}
    assert user.optional == ("born", "tags")


def test_onetable_is_written_and_read_again():
    model = read(json.dumps(ONETABLE))
    again = read(FORMATS["onetable"](model))
    assert (again.tables, again.entities) == (model.tables, model.entities)


TEMPLATE = """
Description: A stack
Parameters:
  Stage: {Type: String, Default: dev}
  Units: {Type: Number, Default: 7}
Conditions:
  IsProduction: !Equals [!Ref Stage, prod]
Resources:
  Queue: {Type: AWS::SQS::Queue}
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Stage}-orders"
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: day, AttributeType: N}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
      GlobalSecondaryIndexes:
        - IndexName: !Join ["-", [by, day]]
          KeySchema: [{AttributeName: day, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
          ProvisionedThroughput: {ReadCapacityUnits: "3", WriteCapacityUnits: 3}
      ProvisionedThroughput: {ReadCapacityUnits: !Ref Units, WriteCapacityUnits: 5}
      DeletionProtectionEnabled: !If [IsProduction, true, !Ref "AWS::NoValue"]
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
      StreamSpecification: {StreamViewType: NEW_IMAGE}
      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}
  Target:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      MaxCapacity: 50
      MinCapacity: 5
      ResourceId: !Sub "table/${Orders}"
      ScalableDimension: dynamodb:table:WriteCapacityUnits
  Policy:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      ScalingTargetId: !Ref Target
      TargetTrackingScalingPolicyConfiguration: {TargetValue: 65.0}
"""


def test_cloudformation():
    (table,) = read(TEMPLATE, ".yaml").tables
    assert table.name == "dev-orders"
    assert table.request["BillingMode"] == "PROVISIONED"
    units = table.request["ProvisionedThroughput"]
    assert units == {"ReadCapacityUnits": 7, "WriteCapacityUnits": 5}
    assert [*indexes_of(table.request)] == ["by-day"]
    assert "DeletionProtectionEnabled" not in table.request
    assert (table.time_to_live, table.recovery_days) == ("expires", 35)
    assert table.request["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert table.scaling == AutoScaling(units_min=5, units_max=50, target_percent=65)


def test_tables_are_written_as_cloudformation_and_read_again(shop):
    other = msgspec.structs.replace(
        read(TEMPLATE, ".yaml").tables[0], scaling=None, recovery_days=7, alarms=True
    )
    request = {name: value for name, value in other.request.items() if name != "SSESpecification"}
    model = msgspec.structs.replace(
        shop, tables=(*shop.tables, msgspec.structs.replace(other, request=request))
    )
    again = read(FORMATS["cloudformation"](model), ".yaml").tables
    assert [msgspec.to_builtins(each) for each in again] == [
        msgspec.to_builtins(each) for each in model.tables
    ]
