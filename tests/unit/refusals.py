"""What a check refuses, as a value that tests compare."""

from hashrange.errors import DynamoError, Fault


def refusal(check, *arguments, fault=Fault.VALIDATION):
    """The text of the refusal; None if everything is right."""
    caught = None
    try:
        check(*arguments)
    except DynamoError as error:
        caught = error
    assert caught is None or caught.fault is fault
    return caught and caught.message
