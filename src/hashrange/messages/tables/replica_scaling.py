"""Texts of the auto scaling of replicas.

Source of all that do not say otherwise: measurements of the service by users, October 2026.
"""

from collections.abc import Sequence

from hashrange.messages.text import Text

# ResourceNotFoundException: no table, or one without replicas.
no_global_table = Text("Global table with name: '{name}' does not exist.")
# ResourceNotFoundException: no replica in a region. A text of this server.
no_replica = Text("Global table with name: '{name}' has no replica in region: '{region}'.")


def no_indexes(name: str, indexes: Sequence[str]) -> str:
    """ResourceNotFoundException: global indexes that the table has not."""
    return f"{_failed(name)} because the global secondary indexes with names: \u2018[{', '.join(indexes)}]\u2019 do not exist."


def on_demand(name: str, regions: Sequence[str], parameters: Sequence[str]) -> str:
    """Settings for an on-demand table."""
    named = _quoted([each.upper() for each in regions])
    convert = "You must convert table's BillingMode to PROVISIONED to set parameters:"
    return f"Failed to update global table with name \u2018{name}\u2018. Replicas {named} BillingMode is PayPerRequest. {convert} {_quoted(parameters)}."


def required(name: str, parameters: Sequence[str]) -> str:
    """Settings that are not complete."""
    return f"{_failed(name)}: Parameters {_quoted(parameters)} are required unless auto scaling is being disabled."


def left_blank(name: str, parameters: Sequence[str]) -> str:
    """Settings beside AutoScalingDisabled."""
    return f"Failed to update settings for global table with name \u2018{name}\u2019: Parameters {_quoted(parameters)} must be left blank when disabling auto scaling."


def nothing(name: str) -> str:
    """A request without settings. Source: captures of the service, September 2026."""
    return f"{_failed(name)} because at least one update parameter must be specified."


def nothing_for(name: str, region: str) -> str:
    """A replica without settings."""
    return f"{_failed(name)} because at least one update parameter must be specified for region: \u2018{region}\u2019."


def regions_twice(name: str, regions: Sequence[str]) -> str:
    """A region that is named twice."""
    named = ", ".join(regions)
    return f"{_failed(name)} because the regions: \u2018[{named}]\u2019 were specified more than once."


# Bounds that exclude each other.
maximum_below_minimum = Text("Maximum capacity cannot be less than minimum capacity")
# An error of Application Auto Scaling.
passed_on = Text("{text} (Service: AWSApplicationAutoScaling; Status Code: 400; Error Code: ValidationException; Request ID: {request_id}; Proxy: null)")


def _failed(name: str) -> str:
    return f"Failed to update settings for global table with name: \u2018{name}\u2019"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
