"""What a person does with tables, in a browser."""

import pytest

from tests.api.conftest import client_of
from tests.api.indexes import index_of
from tests.api.replicas import ON_DEMAND
from tests.api.vectors import vector_index
from tests.console.conftest import item_of, make_table

pytestmark = pytest.mark.toolchain("chromium")


def test_tables_are_links_and_are_filtered(console, table):
    make_table(console.client, "songs")
    with console.opened() as page:
        page.get_by_role("link", name=table).wait_for()
        page.keyboard.press("/")
        page.keyboard.type("ong")
        page.get_by_role("link", name=table).wait_for(state="detached")
        page.reload()
        page.get_by_role("link", name="songs").click()
        page.wait_for_url("**/_console/tables/songs")
        page.get_by_role("grid").wait_for()
    console.client.delete_table(TableName="songs")


def test_alarms_of_tables_are_counted(console, table):
    make_table(console.client, "songs")
    cloudwatch = client_of(console.endpoint, "cloudwatch")
    metric = {"Namespace": "AWS/DynamoDB", "MetricName": "ConsumedReadCapacityUnits"}
    rule = {"EvaluationPeriods": 1, "ComparisonOperator": "GreaterThanThreshold", "Threshold": 1}
    dimensions = [{"Name": "TableName", "Value": table}]
    one = {**metric, "Dimensions": dimensions, "Statistic": "Sum", "Period": 60}
    stat = {"Metric": {**metric, "Dimensions": dimensions}, "Period": 60, "Stat": "Sum"}
    cloudwatch.put_metric_alarm(AlarmName="much", **one, **rule)
    cloudwatch.put_metric_alarm(AlarmName="more", Metrics=[{"Id": "m", "MetricStat": stat}], **rule)
    for name, state in (("much", "ALARM"), ("more", "OK")):
        cloudwatch.set_alarm_state(AlarmName=name, StateValue=state, StateReason="a test")
    with console.opened() as page:
        row = page.get_by_role("row").filter(has=page.get_by_role("link", name=table))
        row.get_by_text("1 in alarm").wait_for()
        assert "1 OK" in row.inner_text()
        other = page.get_by_role("row").filter(has=page.get_by_role("link", name="songs"))
        assert "OK" not in other.inner_text()
    console.client.delete_table(TableName="songs")


def test_a_table_is_created_with_options(console):
    with console.opened() as page:
        page.get_by_role("button", name="Create table").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Table name").fill("made")
        dialog.get_by_role("button", name="+ sort key").click()
        dialog.get_by_label("Sort key : attribute").fill("at")
        dialog.get_by_label("Sort key : type").select_option("N")
        dialog.get_by_role("button", name="+ Global index").click()
        dialog.get_by_label("Index name").fill("by-kind")
        dialog.get_by_label("Index partition key : attribute").fill("kind")
        dialog.get_by_label("Most write units").nth(1).fill("40")
        dialog.get_by_text("Stream, time to live").click()
        dialog.get_by_label("Stream").select_option("NEW_IMAGE")
        dialog.get_by_label("Time to live").fill("ends")
        dialog.get_by_label("Point-in-time recovery").check()
        dialog.get_by_label("Protection").check()
        dialog.get_by_role("button", name="+ tag").click()
        dialog.get_by_label("Tag 1: key").fill("team")
        dialog.get_by_label("Tag 1: value").fill("a")
        dialog.get_by_role("button", name="Create", exact=True).click()
        page.get_by_role("link", name="made").wait_for()
    client = console.client
    found = client.describe_table(TableName="made")["Table"]
    assert found["KeySchema"][1] == {"AttributeName": "at", "KeyType": "RANGE"}
    index = found["GlobalSecondaryIndexes"][0]
    assert index["IndexName"] == "by-kind"
    assert index["OnDemandThroughput"] == {"MaxWriteRequestUnits": 40}
    assert found["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert found["DeletionProtectionEnabled"] is True
    ttl = client.describe_time_to_live(TableName="made")["TimeToLiveDescription"]
    assert ttl["AttributeName"] == "ends"
    tags = client.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"]
    assert tags == [{"Key": "team", "Value": "a"}]
    client.update_table(TableName="made", DeletionProtectionEnabled=False)
    client.delete_table(TableName="made")


def test_a_table_is_deleted_by_its_name(console, table):
    with console.opened() as page:
        page.get_by_label(f"Select {table}").check()
        page.get_by_role("button", name="Delete 1 table").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_text("2 items").wait_for()
        button = dialog.get_by_role("button", name="Delete", exact=True)
        assert button.is_disabled()
        dialog.get_by_label("Type albums to confirm").fill(table)
        button.click()
        page.get_by_role("link", name=table).wait_for(state="detached")
    assert console.client.list_tables()["TableNames"] == []


def act(page, table, text):
    page.get_by_role("row").filter(has_text=table).locator("summary").click()
    page.get_by_role("button", name=text).click()
    return page.get_by_role("dialog")


def test_a_table_is_purged(console, table):
    with console.opened() as page:
        dialog = act(page, table, "Purge …")
        dialog.get_by_label("Type albums to confirm").fill(table)
        dialog.get_by_role("button", name="Delete all items").click()
        page.get_by_text("2 items deleted from albums").wait_for()
    assert console.client.scan(TableName=table)["Count"] == 0


def test_two_tables_are_purged(console, table):
    make_table(console.client, "more")
    with console.opened() as page:
        for name in (table, "more"):
            page.get_by_label(f"Select {name}").check()
        page.get_by_role("button", name="Purge 2 tables").click()
        dialog = page.get_by_role("dialog")
        assert dialog.get_by_text("2 items").count() == 2
        dialog.get_by_label("Type purge 2 tables to confirm").fill("purge 2 tables")
        dialog.get_by_role("button", name="Delete all items").click()
        page.get_by_text("4 items deleted from 2 tables").wait_for()
    counts = [console.client.scan(TableName=name)["Count"] for name in (table, "more")]
    console.client.delete_table(TableName="more")
    assert counts == [0, 0]


def test_a_table_is_cloned_with_its_items(console, table):
    with console.opened() as page:
        dialog = act(page, table, "Clone …")
        dialog.get_by_label("Name of the new table").fill("albums2")
        dialog.get_by_role("button", name="Clone").click()
        page.get_by_text("albums cloned to albums2").wait_for()
    copied = item_of(console.client, "albums2", "Sinnerman")
    assert copied == item_of(console.client, table, "Sinnerman")
    console.client.delete_table(TableName="albums2")


def test_a_clone_has_all_indexes_and_their_limits(console):
    client = console.client
    most = {"MaxReadRequestUnits": 30}
    client.create_table(
        TableName="places",
        **ON_DEMAND,
        GlobalSecondaryIndexes=[{**index_of("by_pk", "pk"), "OnDemandThroughput": most}],
        VectorIndexes=[vector_index("by_v")],
    )
    with console.opened() as page:
        dialog = act(page, "places", "Clone …")
        dialog.get_by_role("button", name="Clone").click()
        page.get_by_text("places cloned to places-copy").wait_for()
        page.goto("/_console/tables/places-copy/settings")
        page.get_by_role("region", name="Indexes of the table").get_by_text("vector").wait_for()
        page.get_by_label("Delete the index by_v").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Type by_v to confirm").fill("by_v")
        dialog.get_by_role("button", name="Delete the index").click()
        indexes = page.get_by_role("region", name="Indexes", exact=True)
        indexes.get_by_label("Delete the index by_v").wait_for(state="detached")
    found = client.describe_table(TableName="places-copy")["Table"]
    assert found["GlobalSecondaryIndexes"][0]["OnDemandThroughput"] == most
    for name in ("places", "places-copy"):
        client.delete_table(TableName=name)


def test_settings_are_changed(console, table):
    client = console.client
    with console.opened(f"/tables/{table}/settings") as page:

        def save(card):
            with page.expect_response("**/api/aws"):
                card.get_by_role("button", name="Save").click()
            card.get_by_role("button", name="Save").wait_for()

        capacity = page.get_by_role("region", name="Capacity")
        capacity.get_by_label("Capacity mode").select_option("PROVISIONED")
        capacity.get_by_label("Read units").first.fill("7")
        save(capacity)
        stream = page.get_by_role("region", name="Stream")
        stream.get_by_label("Records have").select_option("KEYS_ONLY")
        save(stream)
        expiry = page.get_by_role("region", name="Time to live")
        expiry.get_by_label("Attribute with the expiry").fill("ends")
        save(expiry)
        indexes = page.get_by_role("region", name="Indexes", exact=True)
        indexes.get_by_role("button", name="+ Global index").click()
        indexes.get_by_label("Index name").fill("by-year")
        indexes.get_by_label("Index partition key : attribute").fill("year")
        indexes.get_by_label("Index partition key : type").select_option("N")
        indexes.get_by_role("button", name="Create the index").click()
        indexes.get_by_role("rowheader", name="by-year").wait_for()
        indexes.get_by_role("button", name="Units of the index by-year").click()
        units = page.get_by_role("dialog")
        units.get_by_label("Write units").fill("3")
        units.get_by_role("button", name="Save").click()
        units.wait_for(state="detached")
        (index,) = client.describe_table(TableName=table)["Table"]["GlobalSecondaryIndexes"]
        assert index["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
        indexes.get_by_role("button", name="Delete the index by-year").click()
        page.get_by_label("Type by-year to confirm").fill("by-year")
        page.get_by_role("dialog").get_by_role("button", name="Delete the index").click()
        indexes.get_by_role("rowheader", name="by-year").wait_for(state="detached")
    found = client.describe_table(TableName=table)["Table"]
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert found["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
    ttl = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert ttl["TimeToLiveStatus"] == "ENABLED"


def test_keys_and_palette(console, table):
    with console.opened("/partiql") as page:
        page.get_by_role("heading", name="PartiQL").wait_for()
        page.keyboard.press("g")
        page.keyboard.press("t")
        page.wait_for_url("**/_console/tables")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill("albums sett")
        page.get_by_role("option", name="albums · Settings").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url("**/_console/tables/albums/settings")


def test_an_empty_server_says_what_to_do(console):
    with console.opened() as page:
        page.get_by_text("No tables yet").wait_for()
        assert "aws dynamodb list-tables" in page.inner_text("main")


def test_a_table_that_is_not_there(console):
    with console.opened("/tables/nothing-there") as page:
        alert = page.get_by_role("alert")
        alert.wait_for()
        assert "ResourceNotFoundException" in alert.inner_text()
        alert.get_by_text("The request: DescribeTable").click()
        assert '"TableName": "nothing-there"' in alert.inner_text()
