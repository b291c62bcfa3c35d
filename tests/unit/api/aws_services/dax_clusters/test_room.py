"""How many nodes there may be."""

import pytest

from hashrange.api.aws_services.dax_clusters.context import DaxContext
from hashrange.api.aws_services.dax_clusters.nodes import check_room
from hashrange.api.aws_services.dax_clusters.service import DaxError
from hashrange.limits.dax import ACCOUNT_NODES_MAX, SERVER_NODES_MAX

ACCOUNT, CAPACITY = "NodeQuotaForCustomerExceededFault", "InsufficientClusterCapacityFault"


def context(*, can_run):
    return DaxContext(
        rows=None,
        scope="",
        account="000000000000",
        region="us-east-1",
        host="127.0.0.1",
        now_ms=0,
        can_run=can_run,
        has_tls=False,
        check_role=None,
        changed=None,
        new_id=None,
        topics=(),
    )


@pytest.mark.parametrize(
    ("own", "others", "can_run", "code"),
    [
        (ACCOUNT_NODES_MAX + 1, 0, True, ACCOUNT),
        (1, SERVER_NODES_MAX, True, CAPACITY),
        (1, 0, False, CAPACITY),
    ],
)
def test_too_many_nodes(own, others, can_run, code):
    with pytest.raises(DaxError) as error:
        check_room(context(can_run=can_run), own, others)
    assert error.value.name == code


def test_as_many_nodes_as_there_may_be():
    check_room(context(can_run=True), ACCOUNT_NODES_MAX, SERVER_NODES_MAX - ACCOUNT_NODES_MAX)
