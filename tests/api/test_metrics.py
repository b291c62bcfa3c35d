"""What /metrics says of a server that was used, by value; and that the pages say the same."""

import re
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from prometheus_client.parser import text_string_to_metric_families

from hashrange.settings.kinds import Throttle
from tests.api.conftest import client_of
from tests.api.tables import keyed
from tests.copied_pages import fresh

OF_WORKERS = {"hashrange_engine_lost_comparisons_total", "hashrange_worker_restarts_total"}
"""In docs/scale.md, as there are none in one process."""
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / f"{name}.md" for name in ("operating", "dax", "dax-clusters")]


def scraped(endpoint):
    """Values by name and labels."""
    families = text_string_to_metric_families(fresh(f"{endpoint}/metrics"))
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


@pytest.fixture(scope="module")
def used(start_server, tmp_path_factory):
    """Figures of a server that has done a little of everything, and the size of its data file."""
    data = tmp_path_factory.mktemp("metrics") / "data"
    endpoint = start_server(memory=False, data=data)
    client = client_of(endpoint)
    for name in ("Orders", "Users"):
        client.create_table(TableName=name, **keyed(p="S"))
    for number in range(3):
        client.put_item(TableName="Orders", Item={"p": {"S": f"key{number}"}, "n": {"N": "1"}})
    client.delete_item(TableName="Orders", Key={"p": {"S": "key0"}})
    client.get_item(TableName="Orders", Key={"p": {"S": "key1"}}, ConsistentRead=True)
    with pytest.raises(ClientError):
        client.put_item(
            TableName="Orders",
            Item={"p": {"S": "key1"}},
            ConditionExpression="attribute_not_exists(p)",
        )
    with pytest.raises(ClientError):
        client.get_item(TableName="None", Key={"p": {"S": "x"}})
    with pytest.raises(ClientError):
        client.search_vectors()
    return scraped(endpoint), (data / "hashrange.db").stat().st_size


def test_requests_by_operation_and_error(used):
    found, _ = used
    assert found["hashrange_requests_total", "OK", "PutItem"] == 3
    assert found["hashrange_requests_total", "ConditionalCheckFailedException", "PutItem"] == 1
    assert found["hashrange_requests_total", "GetItem", "ResourceNotFoundException"] == 1
    invalid = ("SearchVectors", "ValidationException")
    assert found["hashrange_requests_total", *invalid] == 1
    assert found["hashrange_request_duration_seconds_count", "PutItem"] == 4
    assert found["hashrange_request_duration_seconds_bucket", "+Inf", "PutItem"] == 4
    assert 0 < found["hashrange_request_duration_seconds_sum", "PutItem"] < 100


def test_units_by_operation_and_table(used):
    found, _ = used
    assert found["hashrange_consumed_write_units_total", "Orders", "PutItem"] == 4
    assert found["hashrange_consumed_write_units_total", "DeleteItem", "Orders"] == 1
    assert found["hashrange_consumed_read_units_total", "GetItem", "Orders"] == 1


# key1 and key2: 1 + 4 bytes, and a number of one digit: 1 + 2 bytes.
def test_items_and_bytes_of_tables(used):
    found, _ = used
    assert found["hashrange_tables",] == 2
    assert found["hashrange_table_items", "Orders"] == 2
    assert found["hashrange_table_bytes", "Orders"] == 16
    assert found["hashrange_table_items", "Users"] == 0


def test_storage(used):
    found, data_bytes = used
    commits = found["hashrange_engine_commits_total",]
    assert commits >= 6  # a refusal need not commit
    assert found["hashrange_engine_writes_total",] >= commits
    assert found["hashrange_engine_commit_duration_seconds_count",] == commits
    assert found["hashrange_engine_sync_duration_seconds_count",] == commits
    sync = found["hashrange_engine_sync_duration_seconds_sum",]
    assert 0 < sync < found["hashrange_engine_commit_duration_seconds_sum",] < 100
    assert found["hashrange_engine_data_bytes",] == data_bytes
    assert found["hashrange_engine_wal_bytes",] > 0
    free, size = (found[f"hashrange_disk_{each}_bytes", "--data"] for each in ("free", "size"))
    assert 0 < free < size
    for name in ("disk_full", "down", "recoveries_total", "writes_refused_total"):
        assert found[f"hashrange_engine_{name}",] == 0
    assert found["hashrange_engine_write_queue_length",] == 0


def test_work_beside_requests(used):
    found, _ = used
    assert found["hashrange_expired_items_total",] == 0
    assert found["hashrange_background_failures_total",] == 0
    assert found["hashrange_indexes_in_work",] == 0
    assert found["hashrange_tables_dropping",] == 0
    assert found["hashrange_transaction_items",] == 0
    for name in ("jobs_running", "jobs_ended_total", "job_failures_total"):
        assert found[f"hashrange_{name}",] == 0


def test_connections(used):
    found, _ = used
    assert found["hashrange_connections",] >= 1
    assert found["hashrange_connections_opened_total",] >= 2
    assert found["hashrange_received_bytes_total",] > 1000
    assert found["hashrange_sent_bytes_total",] > 1000


# A metric that no page names is found by nobody; one that is gone breaks what people look at.
def test_the_pages_list_what_there_is(used):
    found, _ = used
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for name, *_ in found}
    text = "".join(page.read_text("utf-8") for page in PAGES)
    listed = set(re.findall(r"^\| `(hashrange_[a-z_]+|process_[a-z_]+)` \|", text, re.MULTILINE))
    assert names - OF_WORKERS <= listed
    # Of a server without archives, an audit log, contributor insights, destinations, replicas,
    # scrubbing, peers, triggers and DAX.
    kinds = (
        "access_log",
        "archive",
        "archived",
        "audit",
        "backup",
        "certificate",
        "refused",
        "service",
        "contributor",
        "dax_cluster",
        "dax_upstream",
        "destination",
        "peer",
        "replication",
        "scrub",
    )
    kinds = (*kinds, "strong", "table_expired", "trigger")
    others = tuple(f"hashrange_{each}_" for each in kinds)
    of_database = tuple(f"hashrange_engine_{each}" for each in ("down_s", "failovers", "host"))
    listed = {name for name in listed if not name.startswith((*others, *of_database))}
    assert listed - names <= {"process_resident_memory_bytes"}, "is there on Linux alone"


def test_regions_are_told_apart(start_server):
    regions = ("us-east-1", "eu-west-1")
    endpoint = start_server(namespaces="separate", regions=",".join(regions), throttle=Throttle.ON)
    for times, region in enumerate(regions, 1):
        client = client_of(endpoint, region_name=region)
        table = client.create_table(TableName="Orders", **keyed(p="S"))["TableDescription"]
        for name in ["Orders", table["TableArn"]] * times:
            client.put_item(TableName=name, Item={"p": {"S": "key"}})
    found = scraped(endpoint)

    def by_labels(name):
        return {key[1:]: value for key, value in found.items() if key[0] == f"hashrange_{name}"}

    places = [f"000000000000:{region}:Orders" for region in regions]
    assert by_labels("consumed_write_units_total") == {
        (place, "PutItem"): times * 2.0 for times, place in enumerate(places, 1)
    }
    assert by_labels("table_items") == {(place,): 1.0 for place in places}
    assert {place for *_, place in by_labels("partitions")} == {*places}
