"""Steps 4 to 9 of a request, in DynamoDB's own order of checks.

check → allow → tables → fit → admit → run → charge. The order is the order of the calls in
`Pipeline._perform`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from hashrange.api.dynamodb.registry import OPERATIONS
from hashrange.api.steps.admission import Admission, Admitted
from hashrange.api.steps.operation import (
    AnyOperation,
    Caller,
    CallerContext,
    ChargedError,
    Cost,
    Performer,
    TableChoices,
    TableMode,
    never,
)
from hashrange.api.steps.storage_faults import fault_of, table_keeps_changing
from hashrange.api.steps.table_lookup import (
    Governing,
    TableLookup,
    Tables,
)
from hashrange.capacity.consumed import Kind, Units
from hashrange.errors import DynamoError, Fault
from hashrange.messages.wire import enveloped
from hashrange.observe.counts import UnitCounts
from hashrange.storage.engine import StaleFenceError, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.store import Store
from hashrange.wire.codec import check_binaries

PLANS_MAX: Final = 10
"""How often a request is planned, if its table changes each time."""
_PLANS: Final = range(PLANS_MAX)

Meter: TypeAlias = Callable[[str, str], Mapping[str, UnitCounts]]
"""Returns the counts of consumed units of an operation, by table, to be added to.

Its arguments are the name of the operation and the namespace of the caller, a prefix.
"""


Fit: TypeAlias = Callable[..., Any]
"""`Operation.fit`, or a function in its place: makes a plan of a checked request and its tables."""


class Policy(Protocol):
    """Decides which requests a caller may make."""

    def allow(
        self, caller: Caller, operation: AnyOperation, checked: Any, tables: Governing
    ) -> Fit:
        """Raise DynamoError unless the request is allowed, or may be.

        Args:
            caller: the caller.
            operation: the row of the registry.
            checked: what its `check` made.
            tables: those that the request names, to be planned with; None for one that does not
                exist, of which the caller does not know.

        Returns:
            The operation's `fit` if the request is allowed; otherwise a function that calls it and
            raises DynamoError unless the plan is allowed.
        """


class Observer(Protocol):
    """Receives each plan, for statistics."""

    def see(self, operation: AnyOperation, plan: Any, namespace: str) -> None:
        """Take note of a plan that is about to run; `namespace` is that of the caller, a prefix."""


class FaultInjector(Protocol):
    """Makes a share of the requests fail, for tests of clients."""

    def strike_of(self, name: str) -> Callable[[Caller, Sequence[str]], None] | None:
        """A function that raises the error of a request on tables, if it is to fail.

        None for an operation whose requests never fail.
        """


class Delay(Protocol):
    """Lets answers take longer, for tests of clients."""

    def wrapped(self, name: str, perform: Performer) -> Performer:
        """A performer whose answers come later than those of `perform`."""


class Lag(Protocol):
    """Lets eventually consistent reads see old states, for tests of clients."""

    def seen(self, store: Store) -> Store:
        """The store of one such read."""


class Route:
    """An operation and a caller, with the context of all their requests.

    Attributes:
        operation: the row of the registry.
        caller: the caller.
        context: passed to `run`, unless the operation needs the context of one request.
        lookup: finds tables that are not cached.
        at_hand: returns a cached table by name; None if cached tables may not be used.
        strike: makes requests fail; None if none of them is to fail.
    """

    __slots__ = ("at_hand", "caller", "context", "lookup", "operation", "strike")

    def __init__(self, operation: AnyOperation, context: CallerContext, *, separate: bool) -> None:
        self.operation = operation
        self.caller = context.caller
        self.context = context
        self.lookup = TableLookup(operation, context, separate=separate)
        self.at_hand = self.lookup.at_hand()
        self.strike: Callable[[Caller, Sequence[str]], None] | None = None


class Pipeline:
    """Executes decoded requests on a store.

    Attributes:
        epoch: grows with each change of the policy; performers and caches of another epoch must not
            be used.

    Args:
        store: reads and writes items.
        catalog: holds the tables.
        meter: counts consumed units.
        transient_ms: how long transient statuses are shown; 0 for only in the answer that begins
            them.
        separate: each account and region has tables of its own.
        choices: settings for operations on tables.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        meter: Meter,
        *,
        transient_ms: int = 0,
        separate: bool = False,
        choices: TableChoices = TableChoices(),  # noqa: B008 - immutable,
    ) -> None:
        self.epoch = 0
        self._policy: Policy | None = None
        self._admission: Admission | None = None
        self._observer: Observer | None = None
        self._faults: FaultInjector | None = None
        self._delay: Delay | None = None
        self._lag: Lag | None = None
        self._shows_plans = self._is_in_regions = bool(choices.regions)
        self._store = store
        self._catalog = catalog
        self._meter = meter
        self._transient_ms = transient_ms
        self._separate = separate
        self._choices = choices

    def guard(self, policy: Policy | None) -> None:
        """Set the policy, which sees every request from now on."""
        self._policy = policy
        self.epoch += 1

    def limit(self, admission: Admission | None) -> None:
        """Set the admission, which limits capacity."""
        self._admission = admission

    @property
    def admission(self) -> Admission | None:
        """The admission in use."""
        return self._admission

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the operation decides on a request, and cached tables are used."""
        is_free = self._policy is None and self._admission is None and self._delay is None
        return is_free and not (self._shows_plans or self._transient_ms)

    def observe(self, observer: Observer | None) -> None:
        """Set the observer of all plans."""
        self._observer = observer
        self._set_shows_plans()

    def disturb(
        self, *, faults: FaultInjector | None, delay: Delay | None, lag: Lag | None
    ) -> None:
        """Set what makes requests fail, answers late and reads old; before the first request."""
        self._faults, self._delay, self._lag = faults, delay, lag
        self._set_shows_plans()

    def _set_shows_plans(self) -> None:
        others = (self._observer, self._faults, self._lag)
        self._shows_plans = self._is_in_regions or any(each is not None for each in others)

    def performer(
        self, name: str, caller: Caller, rows: Mapping[str, AnyOperation] = OPERATIONS
    ) -> Performer:
        """The performer of an operation, a row of `rows`; callers keep it for many requests."""
        catalog = self._catalog
        if self._separate:
            catalog = catalog.within(caller.account, caller.region)
        units, choices = self._meter(name, catalog.prefix), self._choices
        context = CallerContext(caller, self._store, catalog, self._transient_ms, choices, units)
        route = Route(rows[name], context, separate=self._separate)
        if self._faults is not None:
            route.strike = self._faults.strike_of(name)
        perform = partial(self._perform, route)
        return perform if self._delay is None else self._delay.wrapped(name, perform)

    async def perform(self, name: str, request: object, caller: Caller) -> object:
        """Execute one request of the operation `name`; raises as `Performer`."""
        return await self.performer(name, caller)(request)

    async def _perform(  # noqa: C901, PLR0912 - the list of the steps, each a line or two
        self, route: Route, request: object
    ) -> object:
        operation = route.operation
        try:
            checked = operation.check(request)
        except DynamoError as error:
            raise _refusal(operation, request, error) from None
        try:
            tables: Tables
            context, at_hand = route.context, route.at_hand
            if self._policy is not None:
                plan, tables, context = await self._allowed(self._policy, route, checked)
            else:
                if at_hand is None or None in (tables := [*map(at_hand, checked.table_names)]):
                    tables, context = await route.lookup.found(checked)
                plan = operation.fit(checked, *tables)
            for _ in _PLANS:
                if self._shows_plans:
                    context = self._show(route, checked, plan, context)
                    await _catch_up(self._store, operation, plan, tables)
                # Kept for the whole attempt: it may be replaced before the plan has run.
                admission, admitted = self._admission, None
                if admission is not None:
                    admitted = admission.admit(
                        operation, plan, tables
                    ) or await admission.admit_slowly(
                        operation, plan, checked.table_names if tables else (), tables
                    )
                    plan = admitted.plan
                try:
                    outcome = await operation.run(plan, context)
                except StaleFenceError:
                    _charge(admission, admitted, None)
                    plan, tables, context = await self._planned_again(route, checked)
                    continue
                except ChargedError as error:
                    _charge(admission, admitted, error)
                    _count(error, checked, context.units)
                    raise
                except BaseException:
                    _charge(admission, admitted, None)
                    raise
                if admission is not None and admitted is not None:
                    admission.charge(admitted, outcome)
                if outcome.read_units:
                    context.units[checked.table_names[0]].read_units += outcome.read_units
                elif outcome.write_units:
                    context.units[checked.table_names[0]].write_units += outcome.write_units
                elif outcome.charges:
                    _count(outcome, checked, context.units)
                if outcome.of_indexes:
                    _count_of_indexes(*outcome.of_indexes, context.units)
                return outcome.answer
        except StorageError as error:
            raise fault_of(error, operation) from error
        raise table_keeps_changing()

    async def _allowed(
        self, policy: Policy, route: Route, checked: Any, *, fresh: bool = False
    ) -> tuple[Any, Tables, CallerContext]:
        """The plan of a request that the policy allows, its tables, and the context to run it with.

        The policy is asked before the caller learns that a table does not exist. It does not deny
        by a cached table, since another process may have changed the table's policy.
        """
        lookup, at_hand, context = route.lookup, route.at_hand, route.context
        tables: Tables = (None,)
        if not (fresh or at_hand is None or route.operation.may_lack_tables):
            tables = list(map(at_hand, checked.table_names))
        if not (cached := None not in tables):
            tables, context = await lookup.sought(checked)
        governing: Governing
        if route.operation.tables is TableMode.NONE:
            governing = await lookup.governing(checked)
        else:
            governing = dict(zip(checked.table_names, tables, strict=True))
        try:
            fit = policy.allow(route.caller, route.operation, checked, governing)
            lookup.refuse_missing(checked, tables)
            return fit(checked, *tables), tables, context
        except DynamoError as error:
            if not (cached and error.fault is Fault.ACCESS_DENIED):
                raise
        return await self._allowed(policy, route, checked, fresh=True)

    async def _planned_again(self, route: Route, checked: Any) -> tuple[Any, Tables, CallerContext]:
        """The plan of a request whose tables have changed; the rest as of `_allowed`."""
        if self._policy is not None:
            return await self._allowed(self._policy, route, checked, fresh=True)
        tables, context = await route.lookup.found(checked)
        return route.operation.fit(checked, *tables), tables, context

    def _show(self, route: Route, checked: Any, plan: Any, context: CallerContext) -> CallerContext:
        """Pass a plan to the observer and to what disturbs; the context to run it with."""
        if self._observer is not None:
            self._observer.see(route.operation, plan, context.catalog.prefix)
        if route.strike is not None:
            route.strike(route.caller, getattr(checked, "table_names", ()))
        if self._lag is not None and route.operation.is_eventual(plan):
            return msgspec.structs.replace(context, store=self._lag.seen(context.store))
        return context


async def _catch_up(store: Store, operation: AnyOperation, plan: Any, tables: Tables) -> None:
    """Before a strong read, wait until this region shows what was written in others."""
    if operation.is_eventual is never or operation.is_eventual(plan):
        return
    for table in tables:
        if isinstance(table, OpenTable) and table.is_strong:
            await store.strong.read(table)


def _charge(admission: Admission | None, admitted: Admitted | None, cost: Cost | None) -> None:
    """Charge what a plan did cost; None if nothing happened."""
    if admission is not None and admitted is not None:
        admission.charge(admitted, cost)


def _count(cost: Cost, checked: Any, units: Mapping[str, UnitCounts]) -> None:
    """Count the units of a cost, which are of its charges, or of the one table of the request."""
    if cost.read_units or cost.write_units:
        counts = units[checked.table_names[0]]
        counts.read_units += cost.read_units
        counts.write_units += cost.write_units
        return
    for charge in cost.charges:
        counts = units[charge.table]
        counts.read_units += charge.read_units
        counts.write_units += charge.write_units


def _count_of_indexes(
    kind: Kind, costs: Mapping[str, Units], units: Mapping[str, UnitCounts]
) -> None:
    """Count units of global indexes, which count for tables too, and bytes of vector indexes."""
    for name, cost in costs.items():
        for index, each in cost.global_indexes.items():
            counts = units[name].indexes.get(index) or units[name].of_index(index)
            if kind == "read":
                counts.read_units += each
            else:
                counts.write_units += each
        if cost.vector_bytes:
            units[name].add_vectors(kind, cost.vector_bytes)


def _refusal(operation: AnyOperation, request: object, error: DynamoError) -> DynamoError:
    """The error of `check`, in its envelope.

    Raises SerializationException: malformed base64 in the request comes first.
    """
    if error.fault is Fault.VALIDATION:
        check_binaries(request)
        if operation.enveloped and not error.bare:
            return DynamoError(Fault.VALIDATION, enveloped(str(error.message)))
    return error
