"""The resources that LookupEvents names beside an event; its record may have others. Pure."""

from collections.abc import Iterator

from hashrange.api.audit.events import TABLE_TYPE, Event
from hashrange.model.operations import OPERATION_FACTS


def named_resources(event: Event) -> Iterator[tuple[str, str]]:
    """The types and names of the resources that LookupEvents shows."""
    facts = OPERATION_FACTS.get(event.event_name)
    members = None if facts is None else facts.lookup_members
    if members is None:
        for each in event.resources:
            yield each.type, each.arn.partition("/")[2]
        return
    parameters = event.request_parameters
    if isinstance(parameters, dict):
        names = [parameters.get(member) for member in members]
        yield from ((TABLE_TYPE, name) for name in names if isinstance(name, str))
