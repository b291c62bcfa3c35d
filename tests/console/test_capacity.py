"""What a person does on the page of a table's capacity."""

import pytest

from hashrange.access.policies.decisions import Subject
from hashrange.settings.sources import load
from tests.api.conftest import client_of
from tests.console.conftest import Console, make_table
from tests.served import ServerThread, served
from tests.static_credentials import SECRET, StaticCredentials, long_term, user
from tests.unit.access.policies.subjects import document

pytestmark = pytest.mark.toolchain("chromium")
KEY = {"artist": {"S": "Björk"}, "title": {"S": "Jóga"}}
PATH = "/tables/albums/capacity"


@pytest.fixture(scope="module")
def server():
    """One with partitions, whose clock can be moved."""
    with served(throttle="on", testing=True) as server:
        make_table(client_of(server.endpoint), "albums")
        yield server


@pytest.fixture(scope="module")
def throttling(browser, server):
    """Its pages."""
    return Console(server.endpoint, client_of(server.endpoint), browser)


def read_until(console, place):
    """Read one key until a text is there."""
    while not place.is_visible():
        for _ in range(20):
            console.client.get_item(TableName="albums", Key=KEY, ConsistentRead=True)


def test_partitions_are_seen_as_they_are_used(throttling):
    with throttling.opened(PATH) as page:
        place = page.get_by_role("region", name="Table", exact=True)
        place.get_by_text("4 partitions · serves 12K reads and 4K writes a second").wait_for()
        place.get_by_text("4 partitions as a list").click()
        rows = place.get_by_role("table").get_by_role("row")
        assert rows.count() == 5
        assert "0 % to 25 %" in rows.nth(1).inner_text()
        read_until(
            throttling,
            place.get_by_text(r"reads · 0 writes").and_(
                place.locator(".figures").filter(has_not_text="0 reads")
            ),
        )


def test_the_hottest_key_is_shown(throttling):
    with throttling.opened(PATH) as page:
        keys = page.get_by_role("region", name="Hottest keys")
        read_until(throttling, keys.get_by_text("Björk"))
        keys.get_by_role("button", name="Enable contributor insights").click()
        keys.get_by_role("button").wait_for(state="detached")
    found = throttling.client.describe_contributor_insights(TableName="albums")
    assert found["ContributorInsightsStatus"] in {"ENABLING", "ENABLED"}


def test_the_last_hour_is_charted(throttling, server):
    with throttling.opened(PATH) as page:
        page.get_by_role("region", name="Table", exact=True).wait_for()
        throttling.client.get_item(TableName="albums", Key=KEY)
        server.clock.advance(seconds=61)
        chart = page.get_by_role("slider", name="Read units a second")
        chart.wait_for()
        assert "consumed: now" in chart.get_attribute("aria-label")
        last = chart.get_attribute("aria-valuenow")
        chart.press("ArrowLeft")
        page.wait_for_function(
            "([chart, last]) => chart.getAttribute('aria-valuenow') < last",
            arg=[chart.element_handle(), last],
        )
        assert "consumed" in chart.get_attribute("aria-valuetext")


def test_costs_and_what_if(throttling):
    with throttling.opened(PATH) as page:
        costs = page.get_by_role("region", name="Cost of this load")
        costs.get_by_role("row", name="On demand now").wait_for()
        assert costs.get_by_text("cheapest").count() == 1
        card = page.get_by_role("region", name="What if")
        card.get_by_label("Read units a second").fill("0")
        card.get_by_label("Write units a second").fill("500")
        card.get_by_label("Provisioned write units").fill("50")
        card.get_by_role("button", name="Simulate").click()
        found = card.get_by_role("region", name="Simulation")
        found.wait_for()
        row = found.get_by_role("row", name="Throttled writes").first.get_by_role("cell")
        assert row.nth(0).inner_text() == "0 %"
        assert int(row.nth(1).inner_text().removesuffix(" %")) > 20


def test_auto_scaling_is_shown(throttling):
    client = client_of(throttling.endpoint, "application-autoscaling")
    place = {
        "ServiceNamespace": "dynamodb",
        "ResourceId": "table/paid",
        "ScalableDimension": "dynamodb:table:WriteCapacityUnits",
    }
    throttling.client.create_table(
        TableName="paid",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    )
    client.register_scalable_target(**place, MinCapacity=2, MaxCapacity=40)
    target = {
        "TargetValue": 70.0,
        "PredefinedMetricSpecification": {
            "PredefinedMetricType": "DynamoDBWriteCapacityUtilization"
        },
    }
    client.put_scaling_policy(
        **place,
        PolicyName="follow",
        PolicyType="TargetTrackingScaling",
        TargetTrackingScalingPolicyConfiguration=target,
    )
    with throttling.opened("/tables/paid/capacity") as page:
        card = page.get_by_role("region", name="Auto scaling")
        row = card.get_by_role("row", name="table writes")
        row.wait_for()
        assert row.get_by_role("cell").all_inner_texts() == ["writes", "2", "40", "70 %"]
    with throttling.opened(PATH) as page:
        page.get_by_text("A table on demand needs none.").wait_for()


def test_a_paused_page_asks_nothing(throttling):
    with throttling.opened(PATH) as page:
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused").wait_for()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        with throttling.opened(PATH) as other:
            for _ in range(2):
                other.wait_for_event("response", lambda each: each.url.endswith("/api/capacity"))
        assert [url for url in asked if url.endswith("/api/capacity")] == []
        with page.expect_request("**/api/capacity"):
            page.get_by_role("button", name="Go on").click()


def test_the_charts_show_a_week(throttling):
    with throttling.opened(PATH) as page:
        page.get_by_role("slider", name="Latency").wait_for()
        with page.expect_response("**/api/history") as answered:
            page.get_by_label("Charts of").select_option("7 days")
        assert len(answered.value.json()["minutes"]) in {168, 169}
        week = len(answered.value.json()["minutes"])
        page.locator(f'[role="slider"][aria-valuemax="{week - 1}"]').first.wait_for()
        page.reload()
        page.locator(f'[role="slider"][aria-valuemax="{week - 1}"]').first.wait_for()
        page.get_by_label("Charts of").select_option("1 hour")
        page.locator('[role="slider"][aria-valuemax="59"]').first.wait_for()


def test_without_throttling_the_page_says_how_to_see_partitions(console, table):
    with console.opened(PATH) as page:
        page.get_by_text("hashrange serve --throttle on").wait_for()
        page.get_by_role("region", name="Cost of this load").get_by_role("row").nth(1).wait_for()


def test_the_list_of_tables_has_units(console, table):
    with console.opened() as page:
        row = page.get_by_role("row", name="albums")
        read_until(console, row.get_by_text("r · 0 w").and_(row.locator("td", has_not_text="0 r")))


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        (["dynamodb:Describe*", "dynamodb:Scan"], "No request was sampled yet"),
        (["dynamodb:Describe*"], "you may not scan this table"),
        (["dynamodb:List*"], "AccessDeniedException"),
    ],
)
def test_policies_decide_what_is_shown(browser, actions, text):
    policy = document({"Effect": "Allow", "Action": actions, "Resource": "*"})
    reader = Subject(user("reader").principal, (policy,))
    credentials = StaticCredentials(long_term(), long_term("AKREADER", SECRET, reader))
    settings = {"port": "0", "memory": "true", "auth": "required", "hot_keys": "on"}
    thread = ServerThread(load({**settings, "drain_seconds": "1"}, {}), credentials)
    client = client_of(
        thread.endpoint, aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key=SECRET
    )
    make_table(client, "albums")
    with Console(thread.endpoint, client, browser).opened(PATH) as page:
        page.get_by_label("Access key").fill("AKREADER")
        page.get_by_label("Secret key").fill(SECRET)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_text(text).first.wait_for()
    thread.close()
