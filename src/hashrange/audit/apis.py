"""Records the calls of the other APIs on the port, whatever they are."""

from hashrange.audit.recorder import Recorder
from hashrange.errors import DynamoError
from hashrange.operations.pipeline.operation import Caller
from hashrange.server.apis import Api, Apis
from hashrange.server.exchange import Request, Response


class RecordedApi:
    """An API whose calls of authenticated callers are recorded.

    Args:
        api: answers.
        recorder: makes the records.
        source: the name of its service, such as `iam.amazonaws.com`.
    """

    def __init__(self, api: Api, recorder: Recorder, source: str) -> None:
        self._api = api
        self._recorder = recorder
        self._source = source

    async def respond(self, request: Request, caller: Caller) -> Response:
        """Answer a request, and record it."""
        response = await self._api.respond(request, caller)
        return self._recorder.record_call(request, self._source, caller, response)

    def refuse(self, error: DynamoError) -> Response:
        """The answer to a request that was refused before; as on AWS, it is not recorded."""
        return self._api.refuse(error)


_SOURCES = {
    b"com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101": "cloudtrail.amazonaws.com",
    b"AnyScaleFrontendService": "application-autoscaling.amazonaws.com",
    b"AmazonDAXV3": "dax.amazonaws.com",
}
"""Names of services by the prefixes of their targets."""


def recorded(apis: Apis, recorder: Recorder) -> Apis:
    """The same APIs, recorded."""
    by_target = {
        prefix: RecordedApi(api, recorder, _SOURCES.get(prefix, prefix.decode("latin-1")))
        for prefix, api in apis.by_target.items()
    }
    by_scope = {
        service: RecordedApi(api, recorder, f"{service}.amazonaws.com")
        for service, api in apis.by_scope.items()
    }
    return Apis(by_target, by_scope)
