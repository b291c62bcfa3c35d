"""The times of an export: what a request says, and whether the history of the table has them.

Source: measured by users, October 2026, also the order of the checks.
"""

from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.continuous_backups import Window
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.backups import EXPORT_WINDOW_MS_MAX, EXPORT_WINDOW_MS_MIN
from hashrange.messages.tables import backups as messages
from hashrange.model import backup
from hashrange.model.backup import INCREMENTAL, NEW_AND_OLD_IMAGES
from hashrange.model.structures.dynamodb import IncrementalExportSpecification
from hashrange.model.table import Table
from hashrange.model.times import iso_time

_MS: Final = 1000
_FAR_MS: Final = 1e15
"""Beyond all times that a text can name."""


class ExportTimes(msgspec.Struct, frozen=True):
    """The members of a request that say what is exported."""

    export_type: str | None
    export_time: float | None
    specification: IncrementalExportSpecification | None


class TimesOfExport(msgspec.Struct, frozen=True):
    """A moment, or a window; neither for the moment at which the export is begun."""

    time_ms: int | None = None
    window: backup.Window | None = None


class CheckedTimes(msgspec.Struct, frozen=True):
    """Times that fit each other."""

    time_ms: int | None = None
    from_ms: int | None = None
    to_ms: int | None = None
    view_type: str = NEW_AND_OLD_IMAGES

    def within(self, table: Table, found: Window | None) -> TimesOfExport | None:
        """The times, if they are within the history of the table; None if it has no history.

        Raises InvalidExportTimeException; ValidationException: a window has a moment, too, which
        the service looks at after the window.
        """
        if self.from_ms is None:
            return self._moment(found)
        if self.from_ms < table.created_ms // _MS * _MS:
            raise _refusal(messages.window_before_table(iso_time(self.from_ms)))
        if found is None:
            return None
        to_ms = found.until_ms if self.to_ms is None else self.to_ms
        if to_ms > found.until_ms:
            raise _refusal(messages.window_in_future(iso_time(to_ms)))
        if to_ms - self.from_ms < EXPORT_WINDOW_MS_MIN:
            raise _refusal(messages.window_short())
        if to_ms - self.from_ms > EXPORT_WINDOW_MS_MAX:
            raise _refusal(messages.window_long())
        # The history begins with recovery; its first second may have begun before.
        if self.from_ms < found.earliest_ms // _MS * _MS:
            raise _refusal(messages.time_unavailable())
        if self.time_ms is not None:
            raise invalid(messages.time_of_incremental())
        window = backup.Window(from_ms=self.from_ms, to_ms=to_ms, view_type=self.view_type)
        return TimesOfExport(window=window)

    def _moment(self, found: Window | None) -> TimesOfExport | None:
        if found is None:
            return None
        if self.time_ms is not None:
            if not found.earliest_ms <= self.time_ms <= found.until_ms:
                raise _refusal(messages.time_invalid())
            if self.time_ms > found.latest_ms:
                raise _refusal(messages.time_unavailable())
        return TimesOfExport(time_ms=self.time_ms)


def checked_times(sent: ExportTimes) -> CheckedTimes:
    """Refuse members that do not fit each other. Raises ValidationException."""
    specification = sent.specification
    if sent.export_type != INCREMENTAL:
        if specification is not None:
            text = messages.window_without_type
            raise invalid((text if sent.export_type is None else messages.window_of_full)())
        return CheckedTimes(time_ms=_ms(sent.export_time))
    if specification is None:
        raise invalid(messages.window_missing())
    if specification.export_from_time is None:
        raise invalid(messages.window_start_missing())
    return CheckedTimes(
        time_ms=_ms(sent.export_time),
        from_ms=_ms(specification.export_from_time),
        to_ms=_ms(specification.export_to_time),
        view_type=specification.export_view_type or NEW_AND_OLD_IMAGES,
    )


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(min(max(seconds * _MS, -_FAR_MS), _FAR_MS))


def _refusal(text: str) -> DynamoError:
    return DynamoError(Fault.INVALID_EXPORT_TIME, text)
