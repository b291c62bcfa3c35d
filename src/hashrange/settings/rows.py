"""The settings as rows of a table, from which options, variables and documentation are made."""

from collections.abc import Iterator, Mapping
from typing import Final, get_type_hints

from hashrange.settings.kinds import Row
from hashrange.settings.settings import Settings

_SUBJECTS: Final = {
    "Address": "host",
    "Storage": "data",
    "Access": "auth",
    "HTTPS": "tls",
    "Encryption": "encrypt",
    "Limits": "connections_max",
    "Logs": "log_level",
    "Monitoring": "access_log",
    "Audit log": "audit",
    "Backups": "backup_to",
    "Buckets, and bounds of tables": "s3",
    "Namespaces and capacity": "namespaces",
    "Streams and triggers": "stream_shards",
    "Regions": "regions",
    "Alarms": "alarm_webhook",
    "Kinesis": "kinesis_endpoint",
    "DAX": "dax_port",
    "Console": "console",
    "Delays and errors on request": "delay_transient_statuses",
    "Tests, and the end of the process": "testing",
}
"""The first setting of each subject, in the order of the documentation; the others follow it."""


def _rows() -> Iterator[Row]:
    hints = get_type_hints(Settings, include_extras=True)
    for name, default in zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True):
        if name == "origins":
            continue
        kind, sentence = hints[name].__metadata__
        yield Row(name=name, default=default, kind=kind, sentence=sentence)


ROWS: Final = tuple(_rows())


def rows_by_subject() -> Mapping[str, list[Row]]:
    """All settings by subject."""
    subjects = {first: subject for subject, first in _SUBJECTS.items()}
    found: dict[str, list[Row]] = {subject: [] for subject in _SUBJECTS}
    subject = ""
    for row in ROWS:
        subject = subjects.get(row.name, subject)
        found[subject].append(row)
    return found
