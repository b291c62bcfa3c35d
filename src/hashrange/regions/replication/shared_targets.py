"""Scalable targets of global tables, as registers of their settings.

Those of write units are the same in all regions, those of read units are of one. Servers of other
regions learn the registers, and make rows of them, which they evaluate.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hashrange.model.replication import SettingValue, Version
from hashrange.model.table import Table
from hashrange.regions.replication.groups import account_in, change_group, names_of, replicas_of
from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.catalog.dropped_tables import ExtraRows
from hashrange.tables.catalog.registers import next_version, noted_values, parts_of, register_name
from hashrange.tables.jobs.scaling_rows import (
    INDEX_READ,
    INDEX_WRITE,
    TABLE_READ,
    TABLE_WRITE,
    StoredTarget,
    TargetAddress,
    copied,
)
from hashrange.tables.jobs.scaling_rows import (
    names_of as names_of_resource,
)
from hashrange.tables.jobs.scaling_store import Change
from hashrange.tables.keys.scaling_keys import target_key

_WRITES: Final = "write_target"
_READS: Final = "read_target"
_DIMENSIONS: Final = {
    (_WRITES, False): TABLE_WRITE,
    (_WRITES, True): INDEX_WRITE,
    (_READS, False): TABLE_READ,
    (_READS, True): INDEX_READ,
}
_ATTEMPTS: Final = 20
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(StoredTarget).decode


class _ChangedError(Exception):
    """A row has changed since it was read."""


def address_in(table: Table, region: str, resource: str, dimension: str) -> TargetAddress:
    """The address of a target of a table in a region."""
    return TargetAddress(f"{account_in(table, region)}:{region}", region, resource, dimension)


def is_of_writes(dimension: str) -> bool:
    """Whether all regions have the target in common."""
    return dimension in {TABLE_WRITE, INDEX_WRITE}


def local_regions(table: Table) -> list[str]:
    """The regions of the replicas that this server has."""
    others = [each.region for each in replicas_of(table) if not each.is_remote]
    return [table.region, *others]


def target_in(table: Table, address: TargetAddress) -> StoredTarget | None:
    """The target at an address of another server, as far as this one knows it."""
    assert table.replication is not None, "a global table"
    name = register_of(address.resource, address.dimension, address.region)
    register = table.replication.registers.get(name)
    return None if register is None else _target_of(register.value)


async def change_shared(
    catalog: Catalog,
    engine: Engine,
    table: Table,
    address: TargetAddress,
    *,
    change: Change,
    now_ms: int,
) -> StoredTarget | None:
    """Change a target of a global table wherever it is, and send it to other servers.

    `change` may run again, and raise. Raises ResourceNotFoundException: the table is gone.
    """
    local = local_regions(table)
    regions = local if is_of_writes(address.dimension) else [address.region]
    regions = [each for each in regions if each in local]
    addresses = [address_in(table, each, address.resource, address.dimension) for each in regions]
    keys = [target_key(each.text) for each in addresses]
    name = register_of(address.resource, address.dimension, address.region)
    for _ in range(_ATTEMPTS):
        rows = await engine.read(keys)
        if rows:
            before = None if rows[0] is None else _decode(rows[0])
        else:
            before = target_in(table, address)
        after = change(before)
        noting = _Noting({name: register_value(after)}, table.region, now_ms)
        extra = ExtraRows(keys, _replacing(rows, addresses, after, noting))
        try:
            await change_group(catalog, names_of(catalog, table), noting, extra)
        except _ChangedError:
            continue
        return after if after is None or not addresses else copied(after, addresses[0], before)
    raise StorageError("the target changes too often")


class _Noting:
    """Adds registers to the entries of a group; the first is that of the request.

    Attributes:
        version: of the last entry that was changed.
    """

    def __init__(self, values: Mapping[str, SettingValue], region: str, now_ms: int) -> None:
        self._values = values
        self._region = region
        self._now_ms = now_ms
        self.version: Version = (0, "")

    def __call__(self, entry: Table) -> Table:
        """The entry with the registers."""
        if entry.replication is None:
            return entry
        self.version = (next_version(entry, self._now_ms)[0], self._region)
        return noted_values(entry, self._values, self.version)


def _replacing(
    rows: Sequence[bytes | None],
    addresses: Sequence[TargetAddress],
    target: StoredTarget | None,
    by: _Noting,
) -> Callable[[Sequence[bytes | None], Table], Mapping[bytes, bytes | None]]:
    def puts(values: Sequence[bytes | None], _table: Table) -> Mapping[bytes, bytes | None]:
        if [*values] != [*rows]:
            raise _ChangedError
        found: dict[bytes, bytes | None] = {}
        for address, row in zip(addresses, rows, strict=True):
            old = None if row is None else _decode(row)
            after = None
            if target is not None:
                after = msgspec.structs.replace(copied(target, address, old), version=by.version)
            found[target_key(address.text)] = None if after is None else _encode(after)
        return found

    return puts


async def targets_of(engine: Engine, table: Table) -> tuple[dict[str, SettingValue], ExtraRows]:
    """The registers of all targets of a table on this server.

    Returns them by name, with what is to be written extra: it raises `TargetsChangedError` if they
    are not the same any more.
    """
    resources = [(f"table/{table.name}", TABLE_READ, TABLE_WRITE)]
    resources += [
        (f"table/{table.name}/index/{each.name}", INDEX_READ, INDEX_WRITE)
        for each in table.indexes
        if not each.is_local and each.state != "DELETING"
    ]
    addresses = [
        address_in(table, region, resource, dimension)
        for resource, reads, writes in resources
        for dimension, regions in ((writes, [table.region]), (reads, local_regions(table)))
        for region in regions
    ]
    keys = [target_key(each.text) for each in addresses]
    rows = await engine.read(keys)

    def puts(values: Sequence[bytes | None], _table: Table) -> Mapping[bytes, bytes | None]:
        if [*values] != [*rows]:
            raise TargetsChangedError
        return {}

    found: dict[str, SettingValue] = {
        register_of(address.resource, address.dimension, address.region): None
        if row is None
        else register_value(_decode(row))
        for address, row in zip(addresses, rows, strict=True)
    }
    return found, ExtraRows(keys, puts)


class TargetsChangedError(Exception):
    """Targets have changed since they were read."""


def received_targets(table: Table, names: Iterable[str], regions: Sequence[str]) -> ExtraRows:
    """The rows of targets that another server has sent, in regions of this one.

    Args:
        table: a replica; its entry is written at once.
        names: of registers.
        regions: of its replicas on this server.
    """
    addresses: list[tuple[str, TargetAddress]] = []
    for name in sorted(names):
        field, index, at = parts_of(name)
        dimension = _DIMENSIONS.get((field, index is not None))
        if dimension is None:
            continue
        resource = f"table/{table.name}" + ("" if index is None else f"/index/{index}")
        addresses += [
            (name, address_in(table, region, resource, dimension))
            for region in regions
            if at in {None, region}
        ]
    keys = [target_key(address.text) for _, address in addresses]

    def puts(values: Sequence[bytes | None], entry: Table) -> Mapping[bytes, bytes | None]:
        assert entry.replication is not None, "a global table"
        found: dict[bytes, bytes | None] = {}
        for (name, address), key, row in zip(addresses, keys, values, strict=True):
            register = entry.replication.registers.get(name)
            old = None if row is None else _decode(row)
            if register is None or (old is not None and old.version >= register.version):
                continue
            target = _target_of(register.value)
            if target is not None:
                new = msgspec.structs.replace(
                    copied(target, address, old), version=register.version
                )
                found[key] = _encode(new)
            elif old is not None:
                found[key] = None
        return found

    return ExtraRows(keys, puts)


def register_of(resource: str, dimension: str, region: str) -> str:
    """The name of the register of a target."""
    names = names_of_resource(resource)
    index = names[1] if len(names) > 1 else None
    if is_of_writes(dimension):
        return register_name(_WRITES, index=index)
    return register_name(_READS, index=index, region=region)


def register_value(target: StoredTarget | None) -> str | None:
    """The value of its register: without its address, and without what was evaluated."""
    if target is None:
        return None
    nowhere = TargetAddress("", "", target.resource, target.dimension)
    return _encode(msgspec.structs.replace(copied(target, nowhere, None), version=(0, ""))).decode()


def _target_of(value: SettingValue) -> StoredTarget | None:
    """The target of a register; None also if it is damaged."""
    if not isinstance(value, str):
        return None
    try:
        return _decode(value.encode())
    except msgspec.DecodeError:
        return None
