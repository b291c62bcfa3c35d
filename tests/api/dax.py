"""Clusters of DAX in short: their client, and what is put into requests."""

import boto3

from tests.api.conftest import CONFIG, REGION

ROLE = "arn:aws:iam::123456789012:role/DaxRole"


def dax_client(endpoint):
    return boto3.client(
        "dax",
        endpoint_url=endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=CONFIG,
    )


def cluster(name, nodes=1, **more):
    return {
        "ClusterName": name,
        "NodeType": "dax.t3.small",
        "ReplicationFactor": nodes,
        "IamRoleArn": ROLE,
        **more,
    }
