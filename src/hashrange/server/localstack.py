"""The pages of LocalStack that programs read before they use a server: a table of routes.

Source: LocalStack's page *Internal endpoints* and its configuration of stages; states of services
are its `ServiceState`, stages of the initialization its `Stage`. `machine_id` and `is_docker` of
`info` identify a machine, and are left out.
"""

import platform
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from hashrange.clock import Clock
from hashrange.model.times import iso_time
from hashrange.observe.process_figures import program_version
from hashrange.server.routes import READING, Route
from hashrange.wire.answers import JSON, encode
from hashrange.wire.exchange import Handler, Request, Response

_SERVICES: Final = (
    "application-autoscaling",
    "cloudwatch",
    "dax",
    "dynamodb",
    "dynamodbstreams",
    "iam",
    "kinesis",
    "sts",
)
"""The services of AWS on the port, by the names that boto3 has for them."""
_EDITION: Final = "community"
"""LocalStack's other editions have services and pages that are not here."""
_STAGES: Final = {"BOOT": True, "START": True, "READY": True, "SHUTDOWN": False}
"""A server listens when it is ready, and has no scripts to run before."""


def localstack_pages(
    fault: Callable[[], Awaitable[str | None]], clock: Clock
) -> Sequence[Route[Handler]]:
    """The rows below `/_localstack`; `fault` says why the server is not ready, if it is not."""
    started_ns = clock.monotonic_ns()
    session = clock.new_uuid()

    async def health(_request: Request) -> Response:
        state = "running" if await fault() is None else "error"
        services = dict.fromkeys(_SERVICES, state)
        return _json({"services": services, "edition": _EDITION, "version": program_version()})

    async def info(_request: Request) -> Response:
        uptime_ns = clock.monotonic_ns() - started_ns
        about = {
            "version": program_version(),
            "edition": _EDITION,
            "is_license_activated": False,
            "session_id": session,
            "system": platform.system().lower(),
            "server_time_utc": iso_time(clock.now_ms()),
            "uptime": uptime_ns // 1_000_000_000,
        }
        return _json(about)

    return (
        Route(READING, b"/_localstack/health", health),
        Route(READING, b"/_localstack/info", info),
        Route(READING, b"/_localstack/init", _fixed({"completed": _STAGES, "scripts": []})),
        *(
            Route(
                READING,
                b"/_localstack/init/" + stage.lower().encode(),
                _fixed({"completed": is_completed, "scripts": []}),
            )
            for stage, is_completed in _STAGES.items()
        ),
    )


def _fixed(answer: object) -> Handler:
    """A handler whose answer is always the same."""
    response = _json(answer)

    async def page(_request: Request) -> Response:
        return response

    return page


def _json(answer: object) -> Response:
    return Response(200, encode(answer), JSON)
