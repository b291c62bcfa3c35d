"""The actions of all services on the port, as policies name them."""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.dax_clusters.service import DAX
from hashrange.iam.registry import IAM, STS
from hashrange.model.operations import OPERATION_FACTS
from hashrange.policies.actions import ACTIONS
from hashrange.policies.service_keys import CONDITION_KEYS
from hashrange.scaling.service import AUTO_SCALING

_WITHOUT_OPERATION: Final = ("iam:PassRole", "cloudtrail:LookupEvents")
_OWN: Final = ("hashrange:DescribeServer", "hashrange:UseConsoleEndpoint")


def known_actions() -> frozenset[str]:
    """All of them, with their services."""
    cached = [each.name for each in OPERATION_FACTS.values() if each.dax_metric and each.action]
    services: Mapping[str, Iterable[str]] = {
        AUTO_SCALING.name: AUTO_SCALING.operations(),
        DAX.name: (*DAX.operations(), *cached),
        IAM.name: IAM.operations,
        STS.name: STS.operations,
    }
    named = {f"{service}:{name}" for service, names in services.items() for name in names}
    return frozenset(named | ACTIONS.keys() | CONDITION_KEYS.keys() | {*_WITHOUT_OPERATION, *_OWN})
