"""The base of the structures of requests and answers, and the types of their members."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec

INTEGER_MAX: Final = 2**31 - 1
LONG_MAX: Final = 2**63 - 1

JAVA: Final = "java"
"""Names the type in Java, which stands in error texts, in the metadata of a type."""

Integer: TypeAlias = Annotated[
    int, msgspec.Meta(ge=-INTEGER_MAX - 1, le=INTEGER_MAX, extra={JAVA: "Integer"})
]
"""An integer of 32 bits, for example `Limit`."""
Long: TypeAlias = Annotated[int, msgspec.Meta(ge=-LONG_MAX - 1, le=LONG_MAX, extra={JAVA: "Long"})]
"""An integer of 64 bits, for example capacity units; a plain `int` is one too."""
Timestamp: TypeAlias = Annotated[float, msgspec.Meta(extra={JAVA: "Date"})]
"""Seconds since the epoch, with a fraction."""


StreamName: TypeAlias = tuple[str, str]
"""The ARN of a table, and the label of its stream."""
Tables: TypeAlias = str | frozenset[str] | StreamName | None
"""The table of a request as it names it, all of them if it may have several, or its stream."""
_NOTED: Final = "tables"


def unread(name: str) -> msgspec.Meta:
    """Annotates a dict that is a structure of the API whose members are not read."""
    return msgspec.Meta(extra={JAVA: name})


class Structure(msgspec.Struct, frozen=True, omit_defaults=True, rename="pascal"):
    """A structure of a request or an answer, with the names of the API in JSON."""

    @property
    def table_name(self) -> Tables:
        """None for requests on no table: those on one have this member."""
        return None


def _tables_of_batch(request: Any) -> frozenset[str]:
    return frozenset(request.request_items or ())


def _tables_of_reads(request: Any) -> frozenset[str]:
    return frozenset(each.get.table_name for each in request.transact_items or () if each.get)


def _tables_of_writes(request: Any) -> frozenset[str]:
    found = set()
    # For few entries a loop takes a third of the time of chained iterators.
    for each in request.transact_items or ():
        action = each.put or each.update or each.delete or each.condition_check
        if action is not None:
            found.add(action.table_name)
    return frozenset(found)


class Batch(Structure, frozen=True):
    """A batch, whose items may be of several tables."""

    table_name = property(_tables_of_batch)


class TransactionOfReads(Structure, frozen=True):
    """TransactGetItems."""

    table_name = property(_tables_of_reads)


class TransactionOfWrites(Structure, frozen=True):
    """TransactWriteItems."""

    table_name = property(_tables_of_writes)


class Noting(Structure, frozen=True, dict=True):
    """Requests whose members have to be parsed to know their tables: the check notes these."""

    @property
    def table_name(self) -> Tables:
        """The tables that were noted; None before the request is checked, or if it is refused."""
        found: Tables = self.__dict__.get(_NOTED)
        return found

    def note(self, tables: Tables) -> None:
        """Keep the tables of the request, for metrics."""
        self.__dict__[_NOTED] = tables
