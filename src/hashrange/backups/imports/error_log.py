"""The log of refused records, with lines as the service writes them to CloudWatch.

The service has the group `/aws-dynamodb/imports` and a stream `IMPORT/error` for each import. Here
the stream is the file IMPORT/error in the directory of the setting `--import-log`; without it the
first lines go to the log of the server.
"""

import logging
from pathlib import Path
from typing import IO, Final

import msgspec

from hashrange.limits.backups import IMPORT_ERRORS_LOGGED_MAX

SERVER_LINES_MAX: Final = 20
"""Lines of one job in the log of the server."""

_log: Final = logging.getLogger(__name__)
_encode: Final = msgspec.json.Encoder().encode


def line_of(arn: str, pointer: tuple[str, str, int], text: str) -> bytes:
    """The line for a refused record; `pointer` is its bucket, its object and its place there.

    Source: Developer Guide, "Validation errors".
    """
    bucket, key, index = pointer
    return _encode(
        {
            "itemS3Pointer": {"bucket": bucket, "key": key, "itemIndex": index},
            "importArn": arn,
            "errorMessages": [text],
        }
    )


class ErrorLog:
    """The log of one import.

    Args:
        directory: of the logs of all imports; None for the log of the server.
        arn: of the import.
        bucket: of the import.
    """

    def __init__(self, directory: Path | None, arn: str, bucket: str) -> None:
        self._arn = arn
        self._bucket = bucket
        self._lines = 0
        self._file: IO[bytes] | None = None
        self._most = SERVER_LINES_MAX
        if directory is not None:
            place = directory / arn.rpartition("/")[2]
            try:
                place.mkdir(parents=True, exist_ok=True)
                self._file = (place / "error").open("wb")
                self._most = IMPORT_ERRORS_LOGGED_MAX
            except OSError as error:
                _log.error("the log of errors %s cannot be written: %s", place, error)

    def refused(self, key: str, index: int, text: str) -> None:
        """Note a refused record."""
        self._lines += 1
        if self._lines > self._most:
            if self._lines == self._most + 1:
                _log.warning("%s: further refused records are not logged", self._arn)
            return
        line = line_of(self._arn, (self._bucket, key, index), text)
        if self._file is None:
            _log.warning("a record is refused: %s", line.decode())
            return
        try:
            self._file.write(line + b"\n")
        except OSError as error:
            _log.error("the log of errors of %s cannot be written: %s", self._arn, error)
            self._most = 0

    def close(self) -> None:
        """Write what is left, and close the file."""
        if self._file is not None:
            try:
                self._file.close()
            except OSError as error:
                _log.error("the log of errors of %s cannot be written: %s", self._arn, error)
