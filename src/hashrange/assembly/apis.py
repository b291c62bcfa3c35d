"""The APIs beside DynamoDB's on the port; each is made with its first request."""

# ruff: noqa: PLC0415 - what a service consists of is imported with its first request
from functools import partial
from typing import TYPE_CHECKING

from hashrange.api.apis import Api, Apis, LateApi
from hashrange.api.aws_services.cloudwatch.service import CLOUDWATCH
from hashrange.api.aws_services.dax_clusters.service import DAX
from hashrange.api.aws_services.kinesis.service import KINESIS
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.assembly.access import Access
from hashrange.assembly.dax_nodes import LedClusters, clusters_api
from hashrange.assembly.parts import Parts, transient_ms
from hashrange.settings.webhooks import webhooks_of
from hashrange.wire.service import Service

if TYPE_CHECKING:
    from hashrange.api.service_api import Backend


def other_apis(parts: Parts, access: Access, clusters: LedClusters | None) -> Apis:
    """The other APIs; `clusters` is None if clusters of DAX run elsewhere, or nowhere."""
    makers = (
        (AUTO_SCALING, partial(_scaling, parts, access)),
        (DAX, partial(clusters_api, parts, access, clusters)),
        (KINESIS, partial(_kinesis, parts)),
        (CLOUDWATCH, partial(_cloudwatch, parts)),
    )
    late = [
        (service, LateApi(service.name, make, service.data_operations)) for service, make in makers
    ]
    return Apis(by_scope=access.apis).also(*late)


def _scaling(parts: Parts, access: Access) -> Api:
    from hashrange.api.aws_services.scaling.backend import AutoScaling

    backend = AutoScaling(
        parts.store, parts.catalog, separate=parts.is_separate, role_tags=access.role_tags
    )
    return _api(parts, AUTO_SCALING, backend)


def _kinesis(parts: Parts) -> Api:
    from hashrange.api.aws_services.kinesis.backend import Kinesis

    backend = Kinesis(
        parts.store,
        separate=parts.is_separate,
        transient_ms=transient_ms(parts.settings),
        rates=parts.rates,
    )
    return _api(parts, KINESIS, backend)


def _cloudwatch(parts: Parts) -> Api:
    from hashrange.api.aws_services.cloudwatch.backend import CloudWatch

    webhooks = webhooks_of(parts.settings.alarm_webhook)
    backend = CloudWatch(parts.store, parts.catalog, webhooks, separate=parts.is_separate)
    return _api(parts, CLOUDWATCH, backend)


def _api(parts: Parts, service: Service, backend: "Backend") -> Api:
    from hashrange.api.service_api import ServiceApi
    from hashrange.api.steps.service_authorization import Authorizer

    clock = parts.store.clock
    return ServiceApi(service, backend, Authorizer(clock.now_ms), clock.new_uuid)
