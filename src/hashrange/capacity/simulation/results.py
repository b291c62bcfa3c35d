"""Results of a simulation, by minute."""

import msgspec

from hashrange.capacity.partitions import Split


class PlaceMinute(msgspec.Struct, frozen=True):
    """A table or index in one minute.

    Attributes:
        read_units: units consumed in the minute.
        read_rate: units a second that are served at the end of the minute.
        throttled: throttled requests by reason.
    """

    read_units: float
    write_units: float
    read_rate: float
    write_rate: float
    partitions: int
    throttled: dict[str, int]


class Demand(msgspec.Struct):
    """Requests of one kind: the number of all requests, and of throttled ones."""

    requests: int = 0
    throttled: int = 0


class ScalingEvent(msgspec.Struct, frozen=True):
    """A decision of auto scaling.

    Attributes:
        place: the name of the index, or `table`.
        note: the cause of a change, or the reason for no change.
    """

    second: float
    place: str
    kind: str
    before: int
    after: int
    note: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a simulation.

    Attributes:
        table: the name of the table in `places`.
        places: minutes of the table and of each index.
        traffic: minutes of each kind of requests.
        partitions: numbers of partitions at the beginning.
        provisioned: read and write units multiplied by seconds, of the table and all indexes; None
            for an on-demand table.
        bytes_before: the size of the table and its indexes at the beginning.
        bytes_after: the size at the end.
    """

    title: str
    seconds: int
    table: str
    places: dict[str, list[PlaceMinute]]
    traffic: dict[str, list[Demand]]
    partitions: dict[str, int]
    splits: list[Split]
    scaling: list[ScalingEvent]
    provisioned: tuple[float, float] | None
    bytes_before: float
    bytes_after: float

    def total(self, name: str) -> Demand:
        """The sum over all minutes for one kind of requests."""
        minutes = self.traffic[name]
        return Demand(
            sum(minute.requests for minute in minutes), sum(minute.throttled for minute in minutes)
        )

    def throttled(self, place: str) -> dict[str, int]:
        """Throttled requests of a table or index by reason."""
        reasons: dict[str, int] = {}
        for minute in self.places[place]:
            for reason, requests in minute.throttled.items():
                reasons[reason] = reasons.get(reason, 0) + requests
        return reasons
