"""The actions of all services on the port, as policies name them."""

from typing import Final

from hashrange.access.policies.actions import ACTIONS
from hashrange.access.policies.service_keys import CONDITION_KEYS
from hashrange.api.aws_services.dax_clusters.service import DAX
from hashrange.api.aws_services.kinesis.service import KINESIS
from hashrange.api.aws_services.scaling.service import AUTO_SCALING
from hashrange.api.iam.registry import IAM, STS
from hashrange.model.operations import OPERATION_FACTS

_WITHOUT_OPERATION: Final = ("iam:PassRole", "cloudtrail:LookupEvents")
_OWN: Final = ("hashrange:DescribeServer", "hashrange:UseConsoleEndpoint", "hashrange:VerifyData")


def known_actions() -> frozenset[str]:
    """All of them, with their services."""
    cached = [each.name for each in OPERATION_FACTS.values() if each.dax_metric and each.action]
    named = {
        f"{service.name}:{name}"
        for service in (AUTO_SCALING, DAX, IAM, KINESIS, STS)
        for name in service.operations()
    }
    named |= {f"{DAX.name}:{name}" for name in cached}
    return frozenset(named | ACTIONS.keys() | CONDITION_KEYS.keys() | {*_WITHOUT_OPERATION, *_OWN})
