"""The actions of all services on the port, as policies name them."""

from collections.abc import Iterable, Mapping
from typing import Final

from hashrange.dax_clusters.verbs import VERBS as DAX
from hashrange.iam.registry import IAM, STS
from hashrange.policies.actions import ACTIONS
from hashrange.policies.service_keys import CONDITION_KEYS
from hashrange.scaling.verbs import VERBS as SCALING

_OF_ITEMS: Final = ("BatchGetItem", "BatchWriteItem", "Query", "Scan")
"""Actions of DAX without condition keys; those with are in `CONDITION_KEYS`."""
_WITHOUT_OPERATION: Final = ("iam:PassRole", "cloudtrail:LookupEvents")
_OWN: Final = ("hashrange:DescribeServer", "hashrange:UseConsoleEndpoint")


def known_actions() -> frozenset[str]:
    """All of them, with their services."""
    services: Mapping[str, Iterable[str]] = {
        "application-autoscaling": SCALING,
        "dax": (*DAX, *_OF_ITEMS),
        IAM.name: IAM.operations,
        STS.name: STS.operations,
    }
    named = {f"{service}:{name}" for service, names in services.items() for name in names}
    return frozenset(named | ACTIONS.keys() | CONDITION_KEYS.keys() | {*_WITHOUT_OPERATION, *_OWN})
