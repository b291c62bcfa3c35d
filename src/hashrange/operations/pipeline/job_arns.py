"""ARNs of backups, exports, imports and bulk operations: the members that name one of them.

Their form is checked without the caller; what else can be wrong is told of those that are not
there. With shared namespaces that is all that is looked at: a job is found by its own ARN, whoever
asks. Source: measured by users, October 2026.
"""

import re
from collections.abc import Callable
from typing import Final

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages.tables.jobs import foreign_job as foreign_text
from hashrange.messages.tables.jobs import invalid_job_arn
from hashrange.operations.pipeline.operation import Caller

_FIELDS: Final = 6
_OURS: Final = ("aws", "dynamodb")


def check_job_arn(arn: str, kind: str, title: str) -> None:
    """Refuse a text without the form of the ARN of a job of a table.

    Args:
        arn: as sent.
        kind: the word in the ARN, as `backup`.
        title: the word in the text of the refusal.
    """
    fields = arn.split(":", _FIELDS - 1)
    form = rf"table/[a-zA-Z0-9_.-]{{3,255}}/{kind}/[0-9A-Za-z-]{{1,64}}"
    if len(fields) < _FIELDS or fields[0] != "arn" or re.fullmatch(form, fields[-1]) is None:
        raise invalid(invalid_job_arn(title))


def foreign_job() -> DynamoError:
    """The error for the ARN of another account's job, which need not exist."""
    return DynamoError(Fault.ACCESS_DENIED, foreign_text())


def missing_job(
    arn: str,
    caller: Caller,
    *,
    absent: Callable[[str], DynamoError],
    elsewhere: Callable[[str], DynamoError],
    wrong: Callable[[], DynamoError] = foreign_job,
) -> DynamoError:
    """The error for the ARN of a job that is not there, whose form was checked.

    Args:
        arn: as sent.
        caller: who asks.
        absent: makes the error for one that might be there.
        elsewhere: makes that for one of another region.
        wrong: makes that for another partition or service.
    """
    _, partition, service, region, account, _ = arn.split(":", _FIELDS - 1)
    if account != caller.account or not region:
        return foreign_job()
    if (partition, service) != _OURS:
        return wrong()
    return absent(arn) if region == caller.region else elsewhere(arn)
