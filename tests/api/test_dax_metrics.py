"""What the clusters of DAX do is in CloudWatch."""

import time

from tests.api.conftest import client_of
from tests.api.dax import cluster, dax_client
from tests.api.dax_session import DaxSession
from tests.api.metrics import statistics
from tests.api.tables import keyed
from tests.pace import until
from tests.served import served


def available(dax, name):
    (found,) = dax.describe_clusters(ClusterNames=[name])["Clusters"]
    return found if found["Status"] == "available" else None


# Metrics of the minute in which they were used; what a cluster has not done has no datapoint.
def test_metrics_of_a_cluster():
    with served(testing=True) as server:
        dax, cloudwatch = dax_client(server.endpoint), client_of(server.endpoint, "cloudwatch")
        client_of(server.endpoint).create_table(TableName="albums", **keyed(pk="S"))
        dax.create_cluster(**cluster("counted"))
        node = until(lambda: available(dax, "counted"))["Nodes"][0]["Endpoint"]
        began = time.time() - 60
        with DaxSession(node["Address"], node["Port"]) as session:
            for _ in range(4):
                session.get("albums", "a")
        server.clock.advance(seconds=61)
        metrics = (
            *("TotalRequestCount", "GetItemRequestCount", "ItemCacheHits", "ItemCacheMisses"),
            *("QueryRequestCount", "FailedRequestCount", "EstimatedDbSize"),
        )
        dimensions = [{"Name": "ClusterId", "Value": "counted"}]
        sums = {
            name: [
                (each["Unit"], each["Sum"])
                for each in statistics(
                    *(cloudwatch, "AWS/DAX", began, began + 3600),
                    name=name,
                    period=3600,
                    Dimensions=dimensions,
                )
            ]
            for name in metrics
        }
        ((unit, size),) = sums.pop("EstimatedDbSize")
        assert unit == "Bytes"
        assert size > 0
        assert sums == {
            "TotalRequestCount": [("Count", 4)],
            "GetItemRequestCount": [("Count", 4)],
            "ItemCacheHits": [("Count", 3)],
            "ItemCacheMisses": [("Count", 1)],
            "QueryRequestCount": [],
            "FailedRequestCount": [],
        }
        dax.close()
