"""The operations of IAM and STS, by API and name."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.iam import (
    access_keys,
    attachments,
    inline_policies,
    managed_policies,
    roles,
    simulations,
    sts,
    tags,
    unbuilt,
    users,
)
from hashrange.iam.operation import Operation


class QueryService(msgspec.Struct, frozen=True):
    """An API.

    Attributes:
        name: as in scopes of signatures and in actions.
        version: as sent with each request.
        namespace: of its XML.
        operations: by their names.
    """

    name: str
    version: str
    namespace: str
    operations: Mapping[str, Operation]


IAM: Final = QueryService(
    "iam",
    "2010-05-08",
    "https://iam.amazonaws.com/doc/2010-05-08/",
    {
        **users.OPERATIONS,
        **access_keys.OPERATIONS,
        **roles.OPERATIONS,
        **managed_policies.OPERATIONS,
        **attachments.OPERATIONS,
        **inline_policies.OPERATIONS,
        **tags.OPERATIONS,
        **simulations.OPERATIONS,
        **unbuilt.OPERATIONS,
    },
)
STS: Final = QueryService(
    "sts", "2011-06-15", "https://sts.amazonaws.com/doc/2011-06-15/", sts.OPERATIONS
)
