"""The context of a request, the target that it names, targets of utilization, pages of lists."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, Protocol, TypeVar

import msgspec

from hashrange.api.aws_services.scaling.service import ScalingError, invalid, not_found
from hashrange.api.aws_services.scaling.tracking_alarms import follow
from hashrange.limits.tables import (
    SCALING_ID_CHARS_MAX,
    SCALING_PAGE_MAX,
    SCALING_TARGET_MAX,
    SCALING_TARGET_MIN,
    SCALING_TARGET_PERCENT_MAX,
    SCALING_TARGET_PERCENT_MIN,
)
from hashrange.messages import scaling as messages
from hashrange.regions.replication.groups import replicas_of
from hashrange.regions.replication.shared_targets import address_in, change_shared
from hashrange.tables.alarms.store import AlarmRows
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.scaling_rows import (
    INDEX_READ,
    INDEX_WRITE,
    TABLE_READ,
    TABLE_WRITE,
    StoredTarget,
    names_of,
)
from hashrange.tables.jobs.scaling_store import Change, ScalingRows
from hashrange.tables.keys.scaling_keys import address_of

T = TypeVar("T")

NAMESPACE: Final = "dynamodb"
DIMENSIONS: Final = {
    TABLE_READ: 2,
    TABLE_WRITE: 2,
    INDEX_READ: 4,
    INDEX_WRITE: 4,
}
"""Dimensions, with the number of parts of their resource ids."""


class ScalingContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context of one request.

    Attributes:
        alarms: those of the policies.
        scope: whose tables the caller sees: `tables.keys.scaling_keys`.
        catalog: those tables.
        new_id: draws a UUID.
    """

    rows: ScalingRows
    alarms: AlarmRows
    catalog: Catalog
    scope: str
    account: str
    region: str
    now_ms: int
    new_id: Callable[[], str]


class OfTarget(Protocol):
    """A request on a target."""

    @property
    def service_namespace(self) -> str | None:
        """As sent."""

    @property
    def resource_id(self) -> str | None:
        """As sent."""

    @property
    def scalable_dimension(self) -> str | None:
        """As sent."""


def check_target(request: OfTarget) -> tuple[str, str]:
    """Resource and dimension of a request. Raises ValidationException: not of DynamoDB."""
    resource, dimension = request.resource_id, request.scalable_dimension
    assert resource is not None
    assert dimension is not None, "required"
    check_some_target(request.service_namespace, resource, dimension)
    return resource, dimension


def check_some_target(
    namespace: str | None, resource: str | None = None, dimension: str | None = None
) -> None:
    """Refuse what is not of DynamoDB; resource and dimension may be absent."""
    parts = None if resource is None else resource.split("/")
    kinds = {2: ["table"], 4: ["table", "index"]}
    if (
        namespace != NAMESPACE
        or (dimension is not None and dimension not in DIMENSIONS)
        or (parts is not None and (not all(parts) or parts[::2] != kinds.get(len(parts))))
        or (parts is not None and dimension is not None and len(parts) != DIMENSIONS[dimension])
        or (resource is not None and "\0" in resource)
    ):
        raise invalid(messages.unsupported())


def is_target(resource: str, dimension: str) -> bool:
    """Whether a target of DynamoDB may have this resource and dimension."""
    try:
        check_some_target(NAMESPACE, resource, dimension)
    except ScalingError:
        return False
    return len(resource) <= SCALING_ID_CHARS_MAX


def check_listed_target(request: OfTarget) -> None:
    """Refuse a list of what is not of DynamoDB, or of a dimension without its resource."""
    check_some_target(request.service_namespace, request.resource_id, request.scalable_dimension)
    if request.scalable_dimension is not None and request.resource_id is None:
        raise invalid(messages.dimension_without_resource())


def address(context: ScalingContext, resource: str, dimension: str) -> str:
    """The address of a target of the caller."""
    return address_of(context.scope, resource, dimension)


async def change_target(
    context: ScalingContext, resource: str, dimension: str, change: Change
) -> StoredTarget | None:
    """Change a target of the caller with its alarms; all replicas share those of write units."""
    catalog, old = context.catalog, None

    def noting(before: StoredTarget | None) -> StoredTarget | None:
        nonlocal old
        old = before
        return change(before)

    opened = await catalog.open(names_of(resource)[0])
    if opened is None or not replicas_of(opened.table) or not catalog.prefix:
        after = await context.rows.change(address(context, resource, dimension), noting)
    else:
        at = address_in(opened.table, opened.table.region, resource, dimension)
        after = await change_shared(
            *(catalog, context.rows.engine, opened.table, at), change=noting, now_ms=context.now_ms
        )
    table = None if opened is None else opened.table
    await follow(context.alarms, table, old, after, now_ms=context.now_ms)
    return after


async def target_of(arn: str, context: ScalingContext) -> StoredTarget | None:
    """The target of the caller that has an ARN."""
    async for target in context.rows.targets(context.scope):
        if target.arn == arn:
            return target
    return None


def existing(target: StoredTarget | None, resource: str, dimension: str) -> StoredTarget:
    """The target. Raises ObjectNotFoundException."""
    if target is None:
        raise not_found(messages.no_target(resource, dimension))
    return target


def registered(target: StoredTarget | None, resource: str, dimension: str) -> StoredTarget:
    """The target of a policy or action to be put. Raises ObjectNotFoundException."""
    if target is None:
        raise not_found(messages.no_target_registered(resource, dimension))
    return target


async def delete_named(
    request: OfTarget,
    context: ScalingContext,
    member: Literal["policies", "actions"],
    name: str,
    *,
    absent: Callable[[str, str, str], str],
) -> None:
    """Delete a policy or an action of a target by its name.

    `absent` makes the text of an ObjectNotFoundException of resource, dimension and name.
    """
    resource, dimension = check_target(request)

    def change(before: StoredTarget | None) -> StoredTarget:
        kept = () if before is None else getattr(before, member)
        left = tuple(each for each in kept if each.name != name)
        if before is None or len(left) == len(kept):
            raise not_found(absent(resource, dimension, name))
        return msgspec.structs.replace(before, **{member: left})

    await change_target(context, resource, dimension, change)


def page_of(
    found: Sequence[T], most: int | None, token: str | None, *, default: int = SCALING_PAGE_MAX
) -> tuple[list[T], str | None]:
    """A page of a list, and the token of the next one. Raises InvalidNextTokenException."""
    first = 0
    if token is not None:
        if not (token.isascii() and token.isdecimal() and len(token) < 10):  # noqa: PLR2004
            raise ScalingError("InvalidNextTokenException", messages.next_token_invalid())
        first = int(token)
    end = first + (default if most is None else most)
    return list(found[first:end]), str(end) if end < len(found) else None


def target_refusal(value: float, metric: str) -> str | None:
    """The text of the refusal of a target; None for one that a utilization can have."""
    least, most = SCALING_TARGET_MIN, SCALING_TARGET_MAX
    if not least <= value <= most:
        return messages.target_out_of_bounds(_double(value), _double(least), _double(most))
    least, most = SCALING_TARGET_PERCENT_MIN, SCALING_TARGET_PERCENT_MAX
    if not least <= value <= most:
        return messages.percent_out_of_bounds(metric, _double(value), _double(least), _double(most))
    return None


def _double(value: float) -> str:
    """A number as the service writes it, in Java."""
    text = repr(float(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:  # noqa: PLR2004
        return text
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    assert isinstance(exponent, int), "JSON has no other numbers"
    first, rest = digits[0], "".join(map(str, digits[1:])) or "0"
    return f"{'-' if sign else ''}{first}.{rest}E{len(digits) - 1 + exponent}"


def seconds(ms: int | None) -> float | None:
    """A timestamp of an answer."""
    return None if ms is None else ms / 1000


def given(**members: Any) -> dict[str, Any]:
    """The members of a request that are not None."""
    return {name: value for name, value in members.items() if value is not None}
