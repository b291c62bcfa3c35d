"""Names of attributes that a request gives outside of items and expressions."""

from hashrange.errors import invalid
from hashrange.limits.requests import ATTRIBUTE_NAME_BYTES_MAX
from hashrange.messages.items import values as messages
from hashrange.model.sizes import text_bytes


def check_name(name: str) -> None:
    """Raises DynamoError: the name is empty or has more than `ATTRIBUTE_NAME_BYTES_MAX` bytes."""
    if not name:
        raise invalid(messages.attribute_name_empty())
    if text_bytes(name) > ATTRIBUTE_NAME_BYTES_MAX:
        raise invalid(messages.attribute_name_too_large())
