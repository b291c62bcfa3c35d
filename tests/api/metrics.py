"""Requests to CloudWatch, in short."""

import boto3
import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.loaders import Loader

from tests.api.conftest import CONFIG, REGION, client_of

DIMENSIONS = [{"Name": "Page", "Value": "home"}]
MINUTE = 60


JSON, CBOR, QUERY = "json", "smithy-rpc-v2-cbor", "query"


class OneProtocol(Loader):
    """Loads models as they are for clients that know one protocol only.

    Until 2025 the model of CloudWatch had the query protocol alone.
    """

    protocol = QUERY

    def load_service_model(self, service_name, type_name, api_version=None):
        model = super().load_service_model(service_name, type_name, api_version)
        if type_name != "service-2":
            return model
        metadata = {**model["metadata"], "protocol": self.protocol, "protocols": [self.protocol]}
        if self.protocol == QUERY:
            metadata.pop("awsQueryCompatible", None)
        return {**model, "metadata": metadata}


def client_speaking(protocol, endpoint, **keys):
    """A client of CloudWatch; JSON is what boto3 speaks of itself."""
    if protocol == JSON:
        return client_of(endpoint, "cloudwatch", **keys)
    session = botocore.session.get_session()
    loader = OneProtocol(extra_search_paths=session.get_component("data_loader").search_paths)
    loader.protocol = protocol
    session.register_component("data_loader", loader)
    known = {"aws_access_key_id": "local", "aws_secret_access_key": "local", **keys}
    return boto3.Session(botocore_session=session).client(
        "cloudwatch", endpoint_url=endpoint, region_name=REGION, config=CONFIG, **known
    )


def put(client, namespace, values, *, name="Latency", **more):
    """Put values by their times."""
    data = [
        {"MetricName": name, "Dimensions": DIMENSIONS, "Timestamp": at, "Value": value, **more}
        for at, value in values.items()
    ]
    client.put_metric_data(Namespace=namespace, MetricData=data)


def statistics(client, namespace, start, end, *, name="Latency", period=MINUTE, **more):
    chosen = {"Dimensions": DIMENSIONS, "Statistics": ["Sum", "SampleCount"], **more}
    answer = client.get_metric_statistics(
        Namespace=namespace, MetricName=name, StartTime=start, EndTime=end, Period=period, **chosen
    )
    assert answer["Label"] == name
    points = sorted(answer["Datapoints"], key=lambda each: each["Timestamp"])
    return [{**each, "Timestamp": int(each["Timestamp"].timestamp())} for each in points]


def query(namespace, *, name="Latency", stat="Sum", period=MINUTE, **more):
    metric = {"Namespace": namespace, "MetricName": name, "Dimensions": DIMENSIONS}
    return {"Id": "m1", "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}, **more}


def data(client, start, end, *queries, **more):
    """Labels, and values by time, of the queries."""
    request = {"MetricDataQueries": [*queries], "StartTime": start, "EndTime": end, **more}
    return client.get_metric_data(**request)


def values_of(answer):
    return {
        each["Id"]: {
            int(at.timestamp()): value
            for at, value in zip(each["Timestamps"], each["Values"], strict=True)
        }
        for each in answer["MetricDataResults"]
    }


def refused(call, **request):
    with pytest.raises(ClientError) as error:
        call(**request)
    return error.value.response["Error"]["Code"], error.value.response["Error"]["Message"]
