"""Requests of `hashrange verify` to the server that has the data directory."""

from typing import Final

import msgspec

from hashrange.storage.request_files import RequestFiles

_BYTES_MAX: Final = 16 * 1024 * 1024
"""Room for all findings that there may be."""


class VerifyRequest(msgspec.Struct, frozen=True):
    """A request; it ends early when its file is removed."""

    id: str


class VerifyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: once it has ended the findings, or why the data could not be verified."""

    id: str
    has_ended: bool = False
    failure: str | None = None
    findings: list[str] = []


VERIFY_FILES: Final = RequestFiles(
    "hashrange.verify", (VerifyRequest, VerifyAnswer), bytes_max=_BYTES_MAX
)
