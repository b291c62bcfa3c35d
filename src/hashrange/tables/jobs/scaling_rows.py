"""The rows of auto scaling as the engine keeps them, as JSON. Members are never renamed."""

from typing import Final

import msgspec

from hashrange.capacity.auto_scaling import History
from hashrange.tables.keys.scaling_keys import address_of

TABLE_READ: Final = "dynamodb:table:ReadCapacityUnits"
TABLE_WRITE: Final = "dynamodb:table:WriteCapacityUnits"
INDEX_READ: Final = "dynamodb:index:ReadCapacityUnits"
INDEX_WRITE: Final = "dynamodb:index:WriteCapacityUnits"
_ALARM_NAME_MAX: Final = 255


class Suspended(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The suspended parts of a target's scaling."""

    scale_in: bool = False
    scale_out: bool = False
    scheduled: bool = False


class StoredPolicy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A target tracking policy; `id` is in its ARN and in the names of its alarms."""

    name: str
    id: str
    created_ms: int
    percent: float
    out_cooldown_seconds: int | None = None
    in_cooldown_seconds: int | None = None
    in_disabled: bool | None = None


class StoredAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scheduled action; `seen_ms` is the time up to which its runs are done."""

    name: str
    id: str
    created_ms: int
    seen_ms: int
    schedule: str
    timezone: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    min_units: int | None = None
    max_units: int | None = None


class StoredTarget(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scalable target.

    Attributes:
        scope: whose tables it is about: `tables.keys.scaling_keys`.
        account: of the caller who registered it; with the region, part of its ARNs.
        evaluated_minute: the last minute, since the epoch, after which it was evaluated.
        reported: the last reason for not scaling that became an activity.
        version: of the register of a global table that it was made of.
    """

    scope: str
    resource: str
    dimension: str
    account: str
    region: str
    id: str
    created_ms: int
    min_units: int
    max_units: int
    role: str
    suspended: Suspended = Suspended()
    tags: dict[str, str] = {}
    policies: tuple[StoredPolicy, ...] = ()
    actions: tuple[StoredAction, ...] = ()
    history: History = History()
    evaluated_minute: int = 0
    reported: str | None = msgspec.field(default=None, name="told")
    version: tuple[int, str] = (0, "")

    @property
    def address(self) -> str:
        """Its address in the keys."""
        return address_of(self.scope, self.resource, self.dimension)

    @property
    def arn(self) -> str:
        """Its ARN."""
        prefix = f"arn:aws:application-autoscaling:{self.region}:{self.account}"
        return f"{prefix}:scalable-target/{self.id}"

    def policy_arn(self, policy: StoredPolicy) -> str:
        """The ARN of a policy of it."""
        return (
            f"arn:aws:autoscaling:{self.region}:{self.account}:scalingPolicy:{policy.id}:"
            f"resource/dynamodb/{self.resource}:policyName/{policy.name}"
        )

    def alarm_name(self, policy: StoredPolicy, alarm: str) -> str:
        """The name of an alarm of a policy; of a long resource its beginning."""
        ending = f"-{alarm}-{policy.id}"
        return f"TargetTracking-{self.resource}"[: _ALARM_NAME_MAX - len(ending)] + ending

    @property
    def names(self) -> tuple[str, ...]:
        """The table, and the index of it if it is about one."""
        return names_of(self.resource)

    @property
    def is_write(self) -> bool:
        """Whether it is about write units."""
        return self.dimension in {TABLE_WRITE, INDEX_WRITE}


class TargetAddress(msgspec.Struct, frozen=True):
    """Where a target is: whose, of what, and in which region."""

    scope: str
    region: str
    resource: str
    dimension: str

    @property
    def text(self) -> str:
        """The address in the keys."""
        return address_of(self.scope, self.resource, self.dimension)


def copied(target: StoredTarget, address: TargetAddress, old: StoredTarget | None) -> StoredTarget:
    """The same target at another address; what has been evaluated there stays."""
    account = address.scope.partition(":")[0] or target.account
    return msgspec.structs.replace(
        target,
        scope=address.scope,
        region=address.region,
        account=account,
        role=target.role.replace(f"::{target.account}:", f"::{account}:"),
        history=History() if old is None else old.history,
        evaluated_minute=0 if old is None else old.evaluated_minute,
        reported=None if old is None else old.reported,
    )


class Activity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scaling activity, or a reason for not scaling."""

    id: str
    resource: str
    dimension: str
    description: str
    cause: str
    start_ms: int
    end_ms: int | None = None
    status: str
    message: str | None = None
    not_scaled: str | None = None
    min_units: int | None = None
    max_units: int | None = None
    current_units: int | None = None


def scaling_role(account: str) -> str:
    """The ARN of the role that scales the tables of an account."""
    return (
        f"arn:aws:iam::{account}:role/aws-service-role/dynamodb.application-autoscaling."
        "amazonaws.com/AWSServiceRoleForApplicationAutoScaling_DynamoDBTable"
    )


def names_of(resource: str) -> tuple[str, ...]:
    """Table, or table and index, of a resource id such as `table/T/index/I`."""
    parts = resource.split("/")
    return (parts[1],) if len(parts) == 2 else (parts[1], parts[3])  # noqa: PLR2004 - see above
