"""Application Auto Scaling as a service: its protocol, its errors, its operations."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hashrange.messages import scaling as messages
from hashrange.wire.json_protocol import JsonProtocol
from hashrange.wire.service import (
    Service,
    access_denied,
    internal_failure,
    short_named,
    unknown_operation,
)


def _operations() -> Mapping[str, Any]:
    from hashrange.scaling import (  # noqa: PLC0415 - few servers need them
        actions,
        activities,
        policies,
        tags,
        targets,
    )

    return {
        **actions.OPERATIONS,
        **activities.OPERATIONS,
        **policies.OPERATIONS,
        **tags.OPERATIONS,
        **targets.OPERATIONS,
    }


AUTO_SCALING: Final = Service(
    name="application-autoscaling",
    version="2016-02-06",
    protocols=(JsonProtocol(target=b"AnyScaleFrontendService", text_member="Message"),),
    operations=cache(_operations),
    unknown=unknown_operation(messages.unknown_operation),
    denied=access_denied,
    of_fault=short_named,
    internal=internal_failure("InternalServiceException", messages.internal()),
)
