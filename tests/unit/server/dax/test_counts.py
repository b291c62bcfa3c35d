"""Calls under the names of the metrics of the service."""

import pytest

from hashrange.dax.call_counts import CallCounts
from hashrange.errors import DynamoError, Fault
from hashrange.observe.figures import SENTENCES


def test_all_figures_have_their_names_in_the_service():
    names = CallCounts().figures().keys()
    assert names <= SENTENCES.keys()
    told = {SENTENCES[name].rpartition(": ")[2].removesuffix(".") for name in names}
    assert {
        "GetItemRequestCount",
        "BatchGetItemRequestCount",
        "PutItemRequestCount",
        "UpdateItemRequestCount",
        "DeleteItemRequestCount",
        "BatchWriteItemRequestCount",
        "QueryRequestCount",
        "ScanRequestCount",
        "TransactGetItemsCount",
        "TransactWriteItemsCount",
        "TotalRequestCount",
        "FailedRequestCount",
        "ErrorRequestCount",
        "ThrottledRequestCount",
        "FaultRequestCount",
    } <= told


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (Fault.VALIDATION, "dax_error_calls_total"),
        (Fault.ACCESS_DENIED, "dax_error_calls_total"),
        (Fault.THROUGHPUT_EXCEEDED, "dax_throttled_calls_total"),
        (Fault.THROTTLED, "dax_throttled_calls_total"),
        (Fault.INTERNAL, "dax_fault_calls_total"),
    ],
)
def test_each_failure_is_of_one_kind(fault, name):
    counts = CallCounts()
    counts.fail(DynamoError(fault, "text"))
    figures = counts.figures()
    kinds = ("dax_error_calls_total", "dax_throttled_calls_total", "dax_fault_calls_total")
    assert {each: figures[each] for each in kinds} == {each: each == name for each in kinds}
    assert figures["dax_failed_calls_total"] == 1
