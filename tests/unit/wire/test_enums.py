"""The API's closed sets."""

from hashrange.wire import enums
from hashrange.wire.enums import EnumSet
from tests.rows import rows
from tests.unit.wire.model import model

_SHAPES = {
    "BULK_INPUT_FORMAT": "BulkOperationInputFormat",
    "OUTPUT_TYPE": "OutputTypeEnum",
    "PERFORMANCE_TIER": "BulkOperationPerformanceTier",
    "RETURN_VALUES": "ReturnValue",
    "ATTRIBUTE_TYPE": "ScalarAttributeType",
    "S3_SSE_ALGORITHM": "S3SseAlgorithm",
}
_UNPUBLISHED = {"REGION_NAME"}
"""A text in the model; the service checks it against a list all the same, and prints that."""
_SETS = {name: value for name, value in vars(enums).items() if isinstance(value, EnumSet)}


def _shape_name(name):
    if name in _SHAPES:
        return _SHAPES[name]
    return "".join(word if word == "SSE" else word.capitalize() for word in name.split("_"))


# A value that the model gained would be refused as unknown.
@rows("name", sorted(_SETS.keys() - _UNPUBLISHED))
def test_values_are_those_of_the_model(name):
    service = "dynamodbstreams" if name.startswith("SHARD_") else "dynamodb"
    assert set(model(service).shape_for(_shape_name(name)).enum) == _SETS[name].values


@rows("name", sorted(_UNPUBLISHED))
def test_what_the_model_does_not_publish_is_a_text_there(name):
    shape = model("dynamodb").shape_for(_shape_name(name))
    assert (shape.type_name, shape.enum) == ("string", [])


@rows("name", _SETS)
def test_every_value_is_printed_once(name):
    assert sorted(_SETS[name].printed) == sorted(_SETS[name].values)
    assert len(_SETS[name].printed_current) == len(_SETS[name].values)
