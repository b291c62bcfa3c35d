"""Namespaces: with `--namespaces separate` each account has tables of its own in each region."""

from typing import Final

_ARN: Final = "arn:"
_COLONS: Final = 5


def namespace_prefix(account: str, region: str) -> str:
    """The prefix of the names of all tables in the namespace of an account and region."""
    return f"{account}:{region}:"  # no name, no account and no region has a colon in it


def stored_name(name_or_arn: str, namespace: str) -> str:
    """The name of a table as the whole catalog has it.

    Args:
        name_or_arn: a valid name, or the valid ARN of a table or of its index.
        namespace: that of the caller, a prefix; empty if all callers have the same tables.
    """
    if name_or_arn.startswith(_ARN):
        return stored_name_of(name_or_arn, separate=bool(namespace))
    return namespace + name_or_arn


def stored_name_of(arn: str, *, separate: bool) -> str:
    """The name of a table as the whole catalog has it, from the ARN of the table or of its index.

    Args:
        arn: valid.
        separate: each account and region has tables of its own.
    """
    *_, region, account, resource = arn.split(":", _COLONS)
    name = resource.split("/")[1]
    return namespace_prefix(account, region) + name if separate else name
