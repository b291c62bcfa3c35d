"""The JavaScript SDK's client of CloudWatch: `cloudwatch.mjs` says what each step does."""

import pytest

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(240)]


@pytest.fixture
def seen(javascript):
    return javascript("cloudwatch.mjs")


def test_metrics(seen):
    assert (seen["put"], seen["list"]) == (200, ["page0", "page1"])
    statistics = seen["statistics"]
    percentiles = statistics["point"].pop("ExtendedStatistics")
    assert abs(percentiles["p50"] - 149) < 5
    assert statistics == {
        "at": True,
        "point": {"Sum": 22350, "SampleCount": 150, "Unit": "Milliseconds"},
    }
    half = {"Id": "b", "Label": "half", "Values": [149.5], "StatusCode": "Complete", "at": True}
    assert seen["data"] == [half]


def test_errors(seen):
    assert seen["errors"] == {
        "isItsType": True,
        "message": "The NextToken provided is invalid",
        "names": ["InvalidNextToken", "InvalidParameterValueException"],
        "codes": ["InvalidNextToken", "InvalidParameterValue"],
    }
    assert seen["types"] == ["application/x-amz-json-1.0"]
