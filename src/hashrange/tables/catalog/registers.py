"""Settings of a global table as registers: of each the last write wins, by itself. Pure.

Servers of several regions send each other their registers and keep the later ones, so the order and
the number of messages do not matter. A register is of all replicas, or after an `@` of one region:
an override, which holds until the register of all is written later.
"""

import zlib
from collections.abc import Iterator, Mapping
from typing import Final, cast

import msgspec

from hashrange.model.replication import (
    IndexOverrides,
    Overrides,
    Register,
    SettingValue,
    Version,
)
from hashrange.model.table import (
    BillingMode,
    Index,
    OnDemandLimits,
    Table,
    TableClass,
    Throughput,
    WarmUnits,
)

BILLING: Final = "billing"
CLASS: Final = "class"
READ: Final = "read"
WRITE: Final = "write"
MAX_READ: Final = "max_read"
MAX_WRITE: Final = "max_write"
WARM_READ: Final = "warm_read"
WARM_WRITE: Final = "warm_write"
ENCRYPTION: Final = "encryption"
"""Which kind of key all replicas have: `MANAGED`, `CUSTOMER`, or None for the service's own."""
MANAGED: Final = "managed"
CUSTOMER: Final = "customer"
KEY: Final = "key"
"""The key of a region, if it is a customer's."""
_OVERRIDABLE: Final = {READ, MAX_READ, CLASS}
_MODES: Final = {READ: "PROVISIONED", MAX_READ: "PAY_PER_REQUEST"}
"""Of tables for which the overrides have a meaning."""
_NO_MAXIMUM: Final = -1
_US: Final = 1000

_replace: Final = msgspec.structs.replace


def register_name(field: str, *, index: str | None = None, region: str | None = None) -> str:
    """The name of a register: of the table or a global index of it, of all regions or of one."""
    name = field if index is None else f"{field}/{index}"
    return name if region is None else f"{name}@{region}"


def parts_of(name: str) -> tuple[str, str | None, str | None]:
    """Field, index and region of a register."""
    resource, _, region = name.partition("@")
    field, _, index = resource.partition("/")
    return field, index or None, region or None


def next_version(table: Table, now_ms: int) -> Version:
    """The version of a change in the region of the table: later than all that are known."""
    replication = table.replication
    assert replication is not None, "a global table"
    latest = max(
        (each.version[0] for each in replication.registers.values()),
        default=replication.settings_version[0],
    )
    return max(now_ms * _US, latest + 1, replication.settings_version[0] + 1), table.region


def noted(before: Table, after: Table, version: Version) -> Table:
    """A replica with the registers of what a request has changed.

    Settings that have no register yet get one with what they are.

    Args:
        before: the replica before the request.
        after: the same after it; overrides are as requested.
        version: of the change.
    """
    replication = after.replication
    assert replication is not None, "a global table"
    registers = dict(replication.registers)
    mine = _overrides_of(after)[after.region]
    for name, value in _settings_of(after):
        known = registers.get(name)
        if name not in mine and (known is None or known.value != value):
            registers[name] = Register(value, version)
    for region, overrides in _overrides_of(after).items():
        was = _overrides_of(before).get(region, {})
        for name in was | overrides:
            value = overrides.get(name)
            if was.get(name) == value:
                continue
            base = registers.get(name)
            if parts_of(name)[0] == READ and base is not None and base.value == value:
                value = None  # the units of all: no override any more
            registers[f"{name}@{region}"] = Register(value, version)
    return with_registers(after, registers)


def noted_values(table: Table, values: Mapping[str, SettingValue], version: Version) -> Table:
    """A replica with registers of a version, but for those that have these values already."""
    assert table.replication is not None, "a global table"
    known = table.replication.registers
    new = {
        name: Register(value, version)
        for name, value in values.items()
        if (value is not None if name not in known else known[name].value != value)
    }
    return with_registers(table, {**known, **new}) if new else table


def without_overrides_of(table: Table, region: str, version: Version) -> Table:
    """A replica when another one is added in a region: an earlier one there has left no trace."""
    replication = table.replication
    assert replication is not None, "a global table"
    left = {
        name: Register(None, version)
        for name, each in replication.registers.items()
        if parts_of(name)[2] == region and each.value is not None and _is_setting(name)
    }
    return with_registers(table, {**replication.registers, **left})


def merged_registers(
    mine: Mapping[str, Register], received: Mapping[str, Register]
) -> dict[str, Register]:
    """The later ones of two."""
    found = dict(mine)
    for name, register in received.items():
        known = found.get(name)
        if known is None or _age(known) < _age(register):
            found[name] = register
    return found


def with_registers(table: Table, registers: Mapping[str, Register]) -> Table:
    """A replica with registers; those of indexes that it has not are left out.

    The overrides that are described follow from them; other settings do not change.
    """
    replication = table.replication
    assert replication is not None, "a global table"
    indexes = {each.name for each in _indexes_of(table)}
    kept = {
        name: each
        for name, each in registers.items()
        if (index := parts_of(name)[1]) is None or index in indexes
    }
    replication = _replace(replication, registers=kept, registers_sum=_sum(kept))
    return _replace(
        table,
        replication=_replace(
            replication,
            overrides=_described(kept, table.region, replication.overrides),
            replicas=tuple(
                _replace(each, overrides=_described(kept, each.region, each.overrides))
                for each in replication.replicas
            ),
        ),
    )


def applied(table: Table, now_ms: int) -> Table:
    """A replica whose settings are those of its registers; the same one if they are already."""
    replication = table.replication
    assert replication is not None, "a global table"
    values = _Values(replication.registers, table)
    mode = values.mode
    switched_ms = table.billing_switched_ms
    if mode == "PAY_PER_REQUEST" and table.billing_mode != mode:
        switched_ms = now_ms
    indexes = tuple(
        index if index.is_local or index.state == "DELETING" else _index(index, values, now_ms)
        for index in table.indexes
    )
    table_class = cast("TableClass | None", values.get(CLASS, table.table_class))
    class_ms = table.class_changed_ms if table_class == table.table_class else now_ms
    return _replace(
        table,
        billing_mode=mode,
        billing_switched_ms=switched_ms,
        throughput=_throughput(table.throughput, values, None, now_ms),
        on_demand=_limits(table.on_demand, values, None),
        warm=_warm(table.warm, values, None),
        table_class=table_class,
        class_changed_ms=class_ms,
        indexes=indexes,
    )


class _Values:
    """The values that are in effect in the region of a replica."""

    def __init__(self, registers: Mapping[str, Register], table: Table) -> None:
        self._registers = registers
        self._region = table.region
        self.mode = cast("BillingMode", self.get(BILLING, table.billing_mode))

    def get(self, name: str, default: SettingValue) -> SettingValue:
        base = self._registers.get(name)
        own = _override(self._registers, name, self._region)
        if own is not None:
            return None if own == _NO_MAXIMUM else own
        return default if base is None else base.value

    def units(self, field: str, index: str | None, default: int) -> int:
        """A number; `default` also if the register is damaged."""
        value = self.get(register_name(field, index=index), default)
        return value if isinstance(value, int) else default

    def maximum(self, field: str, index: str | None, default: int | None) -> int | None:
        value = self.get(register_name(field, index=index), default)
        return None if isinstance(value, str) else value


def _override(registers: Mapping[str, Register], name: str, region: str) -> SettingValue:
    """The override of a region that is in effect; None if there is none."""
    own, base = registers.get(f"{name}@{region}"), registers.get(name)
    if own is None or (base is not None and own.version < base.version):
        return None
    mode, needed = registers.get(BILLING), _MODES.get(parts_of(name)[0])
    is_other = mode is not None and needed is not None and mode.value != needed
    return None if is_other else own.value


def _index(index: Index, values: _Values, now_ms: int) -> Index:
    name = index.name
    return _replace(
        index,
        throughput=_throughput(index.throughput, values, name, now_ms),
        on_demand=_limits(index.on_demand, values, name),
        warm=_warm(index.warm, values, name),
    )


def _throughput(old: Throughput, values: _Values, index: str | None, now_ms: int) -> Throughput:
    """The units of a table or index; the service has at least one of each."""
    read = write = 0
    if values.mode == "PROVISIONED":
        read = max(values.units(READ, index, old.read_units), 1)
        write = max(values.units(WRITE, index, old.write_units), 1)
    changed = (read, write) != (old.read_units, old.write_units)
    more = read > old.read_units or write > old.write_units
    less = read < old.read_units or write < old.write_units
    if not changed:
        return old
    return _replace(
        old,
        read_units=read,
        write_units=write,
        increased_ms=now_ms if more else old.increased_ms,
        decreased_ms=now_ms if less else old.decreased_ms,
    )


def _limits(old: OnDemandLimits, values: _Values, index: str | None) -> OnDemandLimits:
    if values.mode == "PROVISIONED":
        return OnDemandLimits()
    return OnDemandLimits(
        max_read_units=values.maximum(MAX_READ, index, old.max_read_units),
        max_write_units=values.maximum(MAX_WRITE, index, old.max_write_units),
    )


def _warm(old: WarmUnits, values: _Values, index: str | None) -> WarmUnits:
    return WarmUnits(
        read_units=values.units(WARM_READ, index, old.read_units),
        write_units=values.units(WARM_WRITE, index, old.write_units),
    )


def _settings_of(table: Table) -> Iterator[tuple[str, SettingValue]]:
    """The settings of a replica by the names of their registers, as they are in effect there."""
    yield BILLING, table.billing_mode
    yield CLASS, table.table_class
    yield from _units_of(None, table)
    for index in _indexes_of(table):
        yield from _units_of(index.name, index)


def _units_of(name: str | None, of: Table | Index) -> Iterator[tuple[str, SettingValue]]:
    units: dict[str, SettingValue] = {
        READ: of.throughput.read_units,
        WRITE: of.throughput.write_units,
        MAX_READ: of.on_demand.max_read_units,
        MAX_WRITE: of.on_demand.max_write_units,
        WARM_READ: of.warm.read_units,
        WARM_WRITE: of.warm.write_units,
    }
    for field, value in units.items():
        yield register_name(field, index=name), value


def _indexes_of(table: Table) -> list[Index]:
    return [each for each in table.indexes if not each.is_local and each.state != "DELETING"]


def _overrides_of(table: Table) -> dict[str, dict[str, SettingValue]]:
    """The overrides of all replicas by region, and by the names of registers."""
    replication = table.replication
    if replication is None:
        return {table.region: {}}
    return {
        table.region: dict(_flat(replication.overrides)),
        **{each.region: dict(_flat(each.overrides)) for each in replication.replicas},
    }


def _flat(overrides: Overrides) -> Iterator[tuple[str, SettingValue]]:
    found: dict[str, SettingValue] = {
        READ: overrides.read_units,
        MAX_READ: overrides.max_read_units,
        CLASS: overrides.table_class,
    }
    for index in overrides.indexes:
        found[register_name(READ, index=index.name)] = index.read_units
        found[register_name(MAX_READ, index=index.name)] = index.max_read_units
    return ((name, value) for name, value in found.items() if value is not None)


def _described(registers: Mapping[str, Register], region: str, old: Overrides) -> Overrides:
    """The overrides of a region; of settings that have no register they stay as they are."""
    values = dict(_flat(old))
    indexes: dict[str, None] = {each.name: None for each in old.indexes}
    for name in registers:
        field, index, at = parts_of(name)
        if at != region or field not in _OVERRIDABLE:
            continue
        resource = register_name(field, index=index)
        values[resource] = _override(registers, resource, region)
        if index is not None:
            indexes[index] = None
    for name in [*values]:
        at_region = f"{name}@{region}"
        if name in registers and at_region not in registers:
            values[name] = None
    found = (
        IndexOverrides(
            name=index,
            read_units=cast("int | None", values.get(register_name(READ, index=index))),
            max_read_units=cast("int | None", values.get(register_name(MAX_READ, index=index))),
        )
        for index in indexes
    )
    key, kind = old.key, registers.get(ENCRYPTION)
    if kind is not None:
        own = registers.get(register_name(KEY, region=region))
        is_known = kind.value == CUSTOMER and own is not None and isinstance(own.value, str)
        key = cast("str", own.value) if is_known and own is not None else None
    return _replace(
        old,
        key=key,
        read_units=cast("int | None", values.get(READ)),
        max_read_units=cast("int | None", values.get(MAX_READ)),
        table_class=cast("str | None", values.get(CLASS)),
        indexes=tuple(each for each in found if each != IndexOverrides(name=each.name)),
    )


def _is_setting(name: str) -> bool:
    return parts_of(name)[0] in _OVERRIDABLE


def _age(register: Register) -> tuple[Version, str]:
    """Greater for what is later; two of one version are the same but for a damaged message."""
    return register.version, repr(register.value)


def _sum(registers: Mapping[str, Register]) -> int:
    """A number that differs, but for an accident, if registers do."""
    texts = (f"{name} {each.version[0]} {each.version[1]}" for name, each in registers.items())
    total = 0
    for text in texts:
        total ^= zlib.crc32(text.encode())
    return total
