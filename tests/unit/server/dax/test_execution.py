"""Writes of a batch that are throttled: again and again, for two seconds at most."""

import asyncio

import pytest

from hashrange.api.steps.operation import Caller
from hashrange.dax.protocol.calls import Call
from hashrange.errors import DynamoError, Fault
from hashrange.model.structures.dynamodb import (
    BatchWriteItem,
    BatchWriteItemAnswer,
    DeleteRequest,
    WriteRequest,
)
from hashrange.server.dax.execution import Execution
from tests.unit.clocks import Clock

CALLER = Caller("000000000000", "us-east-1", "")
WRITES = {"T": [WriteRequest(delete_request=DeleteRequest(key={"pk": {"S": "a"}}))]}
LEFT = BatchWriteItemAnswer(unprocessed_items=WRITES)
DONE = BatchWriteItemAnswer(unprocessed_items={})
THROTTLED = DynamoError(Fault.THROUGHPUT_EXCEEDED, "slow down")


class Facts:
    """None are needed."""

    scope = ""


class Batches:
    """Answers batches in turn, the last answer again and again; each takes some seconds."""

    def __init__(self, *answers, call_seconds=0.0):
        self._answers = list(answers)
        self._call_seconds = call_seconds
        self._clock = Clock()
        self.performed = 0

    async def wait(self, seconds):
        self._clock.later(seconds)

    async def perform(self, request):
        assert request.request_items == WRITES
        self.performed += 1
        self._clock.later(self._call_seconds)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, DynamoError):
            raise answer
        return answer

    def execute(self):
        execution = Execution(
            lambda *_: self.perform, lambda _: Facts(), self.wait, monotonic_ns=self._clock
        )
        request = BatchWriteItem(request_items=WRITES)
        call = Call("BatchWriteItem", request, lambda answer, _: repr(answer).encode())
        return asyncio.run(execution(call, CALLER))


def test_what_was_throttled_is_written_again():
    batches = Batches(LEFT, THROTTLED, LEFT, DONE)
    assert batches.execute() == repr(DONE).encode()
    assert batches.performed == 4


@pytest.mark.parametrize(("call_seconds", "performed"), [(0.0, 9), (0.3, 5), (3.0, 2)])
def test_it_ends_after_two_seconds(call_seconds, performed):
    batches = Batches(LEFT, call_seconds=call_seconds)
    with pytest.raises(DynamoError, match="throttled for two seconds"):
        batches.execute()
    assert batches.performed == performed


def test_other_refusals_end_it():
    batches = Batches(LEFT, DynamoError(Fault.ACCESS_DENIED, "no"))
    with pytest.raises(DynamoError, match="no"):
        batches.execute()
    assert batches.performed == 2
