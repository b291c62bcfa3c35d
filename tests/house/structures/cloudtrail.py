"""CloudTrail: where its answers and this server differ from its model."""

from typing import Final

from tests.house.structures.service import Service

CLOUDTRAIL: Final = Service(
    module="cloudtrail",
    model="cloudtrail",
    title="CloudTrail",
    requests="LookupEvents",
    answers="LookupEvents",
    # The audit log has an Event.
    names={"Event": "LookupEvent", "Resource": "LookupResource"},
    always={
        "LookupEvent": (
            "EventId EventName ReadOnly EventTime EventSource Resources CloudTrailEvent"
        ),
        "LookupEventsAnswer": "Events",
        "LookupResource": "ResourceType ResourceName",
    },
    # A digest of them is in tokens.
    nulls=("LookupAttribute", "LookupEvents"),
)
