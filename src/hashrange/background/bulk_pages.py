"""Pages of a bulk operation: records become puts, which are written together with the progress."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final

import msgspec

from hashrange.api.dynamodb.items import put_item
from hashrange.api.dynamodb.items.put_item import PutItemPlan
from hashrange.backups.imports.item_formats import Line
from hashrange.backups.imports.lines import Refused
from hashrange.errors import DynamoError, Fault
from hashrange.limits.backups import REPORT_RECORDS_MAX
from hashrange.model.import_job import BulkJob, JobCounts
from hashrange.model.log import Actor
from hashrange.model.structures.dynamodb import PutItem
from hashrange.storage.engine import Changes
from hashrange.tables.items.images import Image, size_of
from hashrange.tables.jobs.descriptions import JobLostError
from hashrange.tables.jobs.transfers import BULK_JOBS
from hashrange.tables.keys.backup_keys import report_key
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_decisions import WriteBatch
from hashrange.tables.writing.write_plans import Decision, WriteResult

ERROR: Final = "ERROR"
CONDITION_CHECK_FAILURE: Final = "CONDITION_CHECK_FAILURE"
_ITEMS: Final = 1
_INDEX: Final = 2
_encode: Final = msgspec.json.Encoder().encode
_replace: Final = msgspec.structs.replace


class Pointer(msgspec.Struct, frozen=True):
    """The place of a record: the position of its object, its key, and the index in it."""

    position: int
    key: str
    index: int


class Unmet(msgspec.Struct, frozen=True):
    """The answer of a put whose condition did not hold, with the item that was there."""

    before: Image | None


class Put(msgspec.Struct, frozen=True):
    """The put of one record: a `WritePlan` whose decision refuses nothing."""

    replaces: ClassVar[bool] = False

    plan: PutItemPlan
    pointer: Pointer

    @property
    def table(self) -> OpenTable:
        """The table."""
        return self.plan.table

    @property
    def key(self) -> bytes:
        """The key of the item."""
        return self.plan.key

    @property
    def who(self) -> Actor:
        """A caller: streams show bulk puts as those of callers."""
        return Actor.CALLER

    @property
    def origin(self) -> None:
        """The change is one of this region."""

    def decide(self, before: Image | None) -> Decision[Unmet | None]:
        """Put the item if the condition holds. Pure."""
        try:
            return Decision(self.plan.decide(before).after, None, self.plan.item)
        except DynamoError as error:
            if error.fault is not Fault.CONDITION_FAILED:
                raise
            return Decision(before, Unmet(before))


def put_of(table: OpenTable, line: Line, pointer: Pointer) -> Put:
    """The put of a record. Raises Refused: it is no item of the table, or has a bad condition."""
    request = PutItem(
        table_name=table.table.name,
        item=line.item,
        condition_expression=line.condition_expression,
        expression_attribute_names=line.expression_attribute_names,
        expression_attribute_values=line.expression_attribute_values,
    )
    try:
        return Put(put_item.fit(put_item.check(request), table), pointer)
    except DynamoError as error:
        raise Refused(error.message or str(error)) from error


class Page(msgspec.Struct, frozen=True):
    """The changes of one write: puts of distinct items, refused records, and where it ends."""

    puts: Sequence[Put]
    refused: Sequence[tuple[Pointer, str]]
    objects: int
    """Of how many objects all records are done then."""
    records: int
    """How many records of the next one are done then."""
    size_bytes: int


def decided(
    job: BulkJob, page: Page, batch: WriteBatch[Unmet | None]
) -> Changes[tuple[BulkJob, list[WriteResult[Unmet | None]]]]:
    """The changes of a page, with the progress and what is reported. Pure.

    Raises JobLostError: the operation was cancelled, or another server does it.
    """
    (value,) = batch.more
    if value is None or BULK_JOBS.decode(value) != job:
        raise JobLostError
    results = batch.decide_all()
    after = _after(job, page, results, batch.changes.puts)
    rows = {**_lines(job, page, results), **BULK_JOBS.row(after)}
    return batch.changes.changes((after, results), rows)


def _after(
    job: BulkJob,
    page: Page,
    results: Sequence[WriteResult[Unmet | None]],
    puts: Mapping[bytes, bytes],
) -> BulkJob:
    """The operation after a page; `puts` are the rows of items and index entries."""
    counts = job.counts
    unmet = sum(result.answer is not None for result in results)
    names = (
        {index.number: index for index in page.puts[0].table.table.kept_indexes}
        if page.puts
        else {}
    )
    put_bytes, local, global_ = job.put_bytes, dict(job.local_bytes), dict(job.global_bytes)
    vectors = dict(job.vector_bytes)
    for key, value in puts.items():
        if key[4] == _ITEMS:
            put_bytes += size_of(value)
        elif key[4] == _INDEX:
            index = names.get(int.from_bytes(key[5:9]))
            if index is not None and not index.is_expiry:
                by_name = local if index.is_local else global_
                by_name = by_name if index.vector is None else vectors
                by_name[index.name] = by_name.get(index.name, 0) + size_of(value)
    return _replace(
        job,
        objects=page.objects,
        records=page.records,
        put_bytes=put_bytes,
        local_bytes=local,
        global_bytes=global_,
        vector_bytes=vectors,
        counts=JobCounts(
            objects_bytes=counts.objects_bytes,
            bytes=counts.bytes + page.size_bytes,
            records=counts.records + len(page.puts) + len(page.refused),
            items=counts.items + len(page.puts) - unmet,
            refused=counts.refused + len(page.refused),
            unmet=counts.unmet + unmet,
        ),
    )


def _lines(
    job: BulkJob, page: Page, results: Sequence[WriteResult[Unmet | None]]
) -> Mapping[bytes, bytes]:
    """The lines of the reports, as rows: each report is bounded."""
    rows: dict[bytes, bytes] = {}
    kinds = job.output.get("OutputType", ())
    if ERROR in kinds and page.refused and job.counts.refused < REPORT_RECORDS_MAX:
        rows[report_key(job.arn, ERROR, job.counts.refused)] = b"".join(
            _line(job, pointer, {"errorMessages": [text]}) for pointer, text in page.refused
        )
    unmet = [
        (put, result.answer)
        for put, result in zip(page.puts, results, strict=True)
        if result.answer is not None
    ]
    is_wanted = CONDITION_CHECK_FAILURE in kinds and job.counts.unmet < REPORT_RECORDS_MAX
    if unmet and is_wanted:
        rows[report_key(job.arn, CONDITION_CHECK_FAILURE, job.counts.unmet)] = b"".join(
            _line(job, put.pointer, _items(put, answer)) for put, answer in unmet
        )
    return rows


def _items(put: Put, unmet: Unmet) -> dict[str, object]:
    """The item that was to be put, and the one that was there."""
    found: dict[str, object] = {"attemptedItem": msgspec.Raw(put.plan.after.json)}
    if unmet.before is not None:
        found["existingItem"] = msgspec.Raw(unmet.before.json)
    return found


def _line(job: BulkJob, pointer: Pointer, more: Mapping[str, object]) -> bytes:
    place = {"bucket": job.source.bucket, "key": pointer.key, "itemIndex": pointer.index}
    return _encode({"itemS3Pointer": place, "bulkOperationArn": job.arn, **more}) + b"\n"


def deciding(
    job: BulkJob, page: Page
) -> Callable[[WriteBatch[Unmet | None]], Changes[tuple[BulkJob, list[WriteResult[Unmet | None]]]]]:
    """`decided` for one page."""
    return partial(decided, job, page)
