"""Disturbances that an operator asks for: errors of a share of the requests, and held answers.

Requests are refused after all checks and before anything is read, written or charged, with the
exceptions, texts and reasons of the service. Only errors that an operation can have are possible.

The latency of a rule is drawn from the log-normal distribution through its p50 and p99, and cut off
at LATENCY_MS_MAX. A request is executed at once and its answer is held, so that a write whose
client has given up has taken effect. A request that takes longer by itself is not held.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import exp, log
from typing import Final, TypeAlias

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.operation import AnyOperation, Caller, Performer, TableMode
from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import HELD_ANSWERS_MAX, LATENCY_MS_MAX
from hashrange.messages.items import operations, throttling
from hashrange.messages.server import internal_server_error, temporarily_unavailable
from hashrange.model.operations import Items
from hashrange.settings.rules import ALL, FaultRule, LatencyRule
from hashrange.settings.texts import SettingError
from hashrange.wire.arns import table_name_of

Strike: TypeAlias = Callable[[Caller, Sequence[str]], None]
"""Raises the error of a request of a caller on tables, if the draw says so."""
Maker: TypeAlias = Callable[["_FaultedRequest"], DynamoError]


class _FaultedRequest:
    """The request that an error is made for."""

    def __init__(self, operation: AnyOperation, caller: Caller, table: str) -> None:
        self.is_of_items = operation.tables is TableMode.OPEN
        self._access = "Read" if operation.facts.is_read else "Write"
        self._arn = table
        if not table.startswith("arn:"):
            self._arn = f"arn:aws:dynamodb:{caller.region}:{caller.account}:table/{table}"

    def reasons(self, limit: str) -> list[dict[str, str]]:
        """ThrottlingReasons with one reason of the table."""
        return [{"reason": f"Table{self._access}{limit}", "resource": self._arn}]


def _throttled(request: _FaultedRequest) -> DynamoError:
    if not request.is_of_items:
        return DynamoError(Fault.THROTTLED, throttling.too_many_changes())
    members = {"throttlingReasons": request.reasons("KeyRangeThroughputExceeded")}
    return DynamoError(Fault.THROTTLED, throttling.hot_key(), members=members)


def _over_throughput(request: _FaultedRequest) -> DynamoError:
    members = {"ThrottlingReasons": request.reasons("ProvisionedThroughputExceeded")}
    text = throttling.provisioned_table()
    return DynamoError(Fault.THROUGHPUT_EXCEEDED, text, members=members)


def _over_account_limit(request: _FaultedRequest) -> DynamoError:
    members = {"ThrottlingReasons": request.reasons("AccountLimitExceeded")}
    return DynamoError(Fault.REQUEST_LIMIT_EXCEEDED, throttling.account(), members=members)


def _of_items(operation: AnyOperation) -> bool:
    return operation.tables is TableMode.OPEN


def _any(_operation: AnyOperation) -> bool:
    return True


def _writes(operation: AnyOperation, items: Items) -> bool:
    return operation.facts.items is items and not operation.facts.is_read


_ERRORS: Final[Mapping[str, tuple[Maker, Callable[[AnyOperation], bool]]]] = {
    "ThrottlingException": (_throttled, _any),
    "ProvisionedThroughputExceededException": (_over_throughput, _of_items),
    "RequestLimitExceeded": (_over_account_limit, _of_items),
    "TransactionConflictException": (
        lambda _: DynamoError(Fault.TRANSACTION_CONFLICT, operations.conflict()),
        lambda row: _writes(row, Items.ONE) and not row.facts.statements,
    ),
    "TransactionInProgressException": (
        lambda _: DynamoError(Fault.TRANSACTION_IN_PROGRESS, operations.in_progress()),
        lambda row: _writes(row, Items.TRANSACTION),
    ),
    "InternalServerError": (
        lambda _: DynamoError(Fault.INTERNAL, internal_server_error()),
        _any,
    ),
    "ServiceUnavailable": (
        lambda _: DynamoError(Fault.UNAVAILABLE, temporarily_unavailable()),
        _any,
    ),
}
"""How an error is made, and which operations can have it."""


class Faults:
    """Makes requests fail.

    Args:
        rules: those of the settings; the first that applies to a request and its draw decides.
        draw: draws numbers from 0 up to but not including 1.

    Raises:
        SettingError: a rule names an operation or an error that does not exist, or that do not
            belong together.
    """

    def __init__(self, rules: Sequence[FaultRule], draw: Callable[[], float]) -> None:
        for rule in rules:
            _check(rule)
        self._rules = rules
        self._draw = draw

    def strike_of(self, name: str) -> Strike | None:
        """The function that makes requests of an operation fail; None if no rule applies."""
        operation, draw = OPERATIONS[name], self._draw
        rules = [
            (rule.table, rule.probability, _ERRORS[rule.error][0])
            for rule in self._rules
            if rule.operation in {ALL, name} and _ERRORS[rule.error][1](operation)
        ]
        if not rules:
            return None

        def strike(caller: Caller, table_names: Sequence[str]) -> None:
            for table, probability, make in rules:
                sent = _named(table, table_names)
                if sent is not None and draw() < probability:
                    raise make(_FaultedRequest(operation, caller, sent))

        return strike


def _named(table: str, sent: Sequence[str]) -> str | None:
    """The first of the names or ARNs of a request that a rule applies to; None if there is none."""
    if table == ALL:
        return sent[0] if sent else ""
    return next((each for each in sent if table_name_of(each) == table), None)


def _check(rule: FaultRule) -> None:
    if rule.error not in _ERRORS:
        raise SettingError(f"--fault: {rule.error!r} is not one of {', '.join(_ERRORS)}")
    check_operation("--fault", rule.operation)
    can_have = _ERRORS[rule.error][1]
    if rule.operation != ALL and not can_have(OPERATIONS[rule.operation]):
        having = [name for name, operation in OPERATIONS.items() if can_have(operation)]
        raise SettingError(
            f"--fault: {rule.operation} never has {rule.error}; these have it: {', '.join(having)}"
        )


def check_operation(flag: str, name: str) -> None:
    """Raises SettingError: no operation has this name, nor is it `*`."""
    if name != ALL and name not in OPERATIONS:
        raise SettingError(f"{flag}: {name!r} is not an operation of this server, nor {ALL}")


_Z99: Final = 2.3263478740408408
"""The 99th percentile of the standard normal distribution."""
_LEAST: Final = 1e-9
"""The draw in place of 0, which has no quantile."""
_NS_A_MS: Final = 1_000_000
_NS: Final = 1_000_000_000


def latency_ms(rule: LatencyRule, drawn: float) -> float:
    """The latency at a quantile `drawn` of a rule's distribution, at most LATENCY_MS_MAX."""
    if rule.p99_ms == rule.p50_ms:
        return rule.p50_ms
    from statistics import NormalDist  # noqa: PLC0415 - few starts need it

    sigma = log(rule.p99_ms / rule.p50_ms) / _Z99
    most = log(LATENCY_MS_MAX)
    return exp(min(most, log(rule.p50_ms) + sigma * NormalDist().inv_cdf(max(drawn, _LEAST))))


class Latencies:
    """Holds answers.

    Args:
        rules: those of the settings; the first that names an operation applies to it, or else the
            first for all operations.
        draw: draws numbers from 0 up to but not including 1.
        monotonic_ns: measures how long a request has taken.
        sleep: waits for seconds, without blocking the loop.
        held_max: answers that are held at a time.

    Attributes:
        held: answers that are held now; further ones beyond `held_max` are not held.

    Raises:
        SettingError: a rule names an operation that does not exist.
    """

    def __init__(
        self,
        rules: Sequence[LatencyRule],
        draw: Callable[[], float],
        monotonic_ns: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]],
        *,
        held_max: int = HELD_ANSWERS_MAX,
    ) -> None:
        for rule in rules:
            check_operation("--latency", rule.operation)
        self.held = 0
        self._rules = rules
        self._draw = draw
        self._monotonic_ns = monotonic_ns
        self._sleep = sleep
        self._held_max = held_max

    def wrapped(self, name: str, perform: Performer) -> Performer:
        """A performer that holds the answers of another one, if a rule names its operation."""
        by_operation = {rule.operation: rule for rule in reversed(self._rules)}
        rule = by_operation.get(name, by_operation.get(ALL))
        if rule is None:
            return perform

        async def late(request: object) -> object:
            until_ns = self._monotonic_ns() + int(latency_ms(rule, self._draw()) * _NS_A_MS)
            try:
                answer = await perform(request)
            except Exception:
                await self._hold(until_ns)
                raise
            await self._hold(until_ns)
            return answer

        return late

    async def _hold(self, until_ns: int) -> None:
        left_ns = until_ns - self._monotonic_ns()
        if left_ns <= 0 or self.held >= self._held_max:
            return
        self.held += 1
        try:
            await self._sleep(left_ns / _NS)
        finally:
            self.held -= 1
