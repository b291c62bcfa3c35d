"""Requests to auto scaling, in short."""

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.api.conftest import CONFIG, REGION

READ, WRITE = "dynamodb:table:ReadCapacityUnits", "dynamodb:table:WriteCapacityUnits"


def scaling_client(endpoint):
    return boto3.client(
        "application-autoscaling",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=CONFIG,
    )


def place(name, dimension=WRITE, index=None):
    resource = f"table/{name}" if index is None else f"table/{name}/index/{index}"
    return {"ServiceNamespace": "dynamodb", "ResourceId": resource, "ScalableDimension": dimension}


def bounds(least, most):
    return {"MinCapacity": least, "MaxCapacity": most}


def tracking(percent=70.0, metric="DynamoDBWriteCapacityUtilization", **more):
    configuration = {
        "TargetValue": percent,
        "PredefinedMetricSpecification": {"PredefinedMetricType": metric},
        **more,
    }
    return {
        "PolicyName": "p",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": configuration,
    }


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    answer = error.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    return answer["Error"]["Code"], answer["Error"]["Message"]
