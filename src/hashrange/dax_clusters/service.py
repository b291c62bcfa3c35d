"""DAX clusters as a service: its protocol, its errors, its operations."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hashrange.messages import dax_clusters as messages
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    access_denied,
    internal_failure,
    short_named,
    unknown_operation,
)


def _operations() -> Mapping[str, Any]:
    from hashrange.dax_clusters import (  # noqa: PLC0415 - few servers need them
        clusters,
        events,
        nodes,
        parameter_groups,
        subnet_groups,
        tags,
    )

    return {
        **clusters.OPERATIONS,
        **events.OPERATIONS,
        **nodes.OPERATIONS,
        **parameter_groups.OPERATIONS,
        **subnet_groups.OPERATIONS,
        **tags.OPERATIONS,
    }


DAX: Final = Service(
    name="dax",
    version="2017-04-19",
    protocols=(JsonProtocol(target=b"AmazonDAXV3"),),
    operations=cache(_operations),
    unknown=unknown_operation(messages.unknown_operation),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalFailure", messages.internal()),
)
