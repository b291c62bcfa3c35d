"""Texts about global tables of the version 2017.11.29, of which there are none.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from hashrange.messages.text import Text

# CreateGlobalTable and UpdateGlobalTable.
global_table_version = Text("One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).")
# CreateGlobalTable without its list, UpdateGlobalTable with nothing to do. Source: captures of the
# service, September 2026, as of all texts below but the last two.
parameters_invalid = Text("One or more parameter values were invalid")


def prefixed(text: str) -> str:
    """A violation that the service finds after it has checked the constraints of its model."""
    return f"{parameters_invalid()}: {text}"


# CreateGlobalTable with a name that is too short or too long.
name_length = Text("TableName must be at least 3 characters long and at most 255 characters long")


def no_replicas() -> str:
    """CreateGlobalTable with an empty list."""
    return prefixed("Global table must have atleast one replica")


def two_actions() -> str:
    """UpdateGlobalTable that creates and deletes in one structure."""
    return prefixed("A ReplicaUpdate structure cannot contain both a create replica action and a delete replica action")


# GlobalTableNotFoundException of DescribeGlobalTableSettings and its update.
global_table_not_found = Text("Global table with name: '{name}' does not exist.")


def described_global_table_not_found(name: str) -> str:
    """GlobalTableNotFoundException of DescribeGlobalTable and UpdateGlobalTable."""
    return f"Global table not found: {global_table_not_found(name)}"
