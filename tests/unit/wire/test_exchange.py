"""X-Amz-Target."""

from hashrange.model.operations import OPERATION_FACTS, Service
from hashrange.wire.exchange import operation_of, target_of
from tests.rows import rows
from tests.unit.wire.model import OPERATIONS, model

_SERVICES = {"dynamodb": Service.DYNAMODB, "dynamodbstreams": Service.STREAMS}


# The rows are written by hand; a new model must not leave them behind.
@rows(("service", "operation"), OPERATIONS)
def test_every_operation_of_the_model_is_known(service, operation):
    target = f"{model(service).metadata['targetPrefix']}.{operation}".encode()
    facts = operation_of(target)
    assert (facts.name, facts.service) == (operation, _SERVICES[service])
    assert target_of(operation) == target


def test_there_are_no_others():
    assert OPERATION_FACTS.keys() == {operation for _, operation in OPERATIONS}
