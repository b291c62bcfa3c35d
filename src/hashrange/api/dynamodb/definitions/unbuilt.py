"""Refuses parameters of DynamoDB that this server does not support, rather than ignore them."""

from collections.abc import Mapping

from hashrange.errors import invalid
from hashrange.messages.tables.operations import not_supported


def refuse_unbuilt(request: object, members: Mapping[str, str]) -> None:
    """Refuse a request that has one of `members`: field → name in the error text."""
    for field, name in members.items():
        if getattr(request, field) is not None:
            raise invalid(not_supported(name), bare=True)
