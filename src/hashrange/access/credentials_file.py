"""Credentials in a file in the form of AWS's tools."""

import configparser
from pathlib import Path

import msgspec

from hashrange.access.signatures.signing import Credentials
from hashrange.limits.access import CREDENTIALS_FILE_BYTES_MAX


class CredentialsFileError(Exception):
    """The file has no credentials that can be used. The text names it and no secret."""


class CredentialsFile(msgspec.Struct, frozen=True):
    """A profile of a file in the form of AWS's tools."""

    path: Path
    profile: str

    def state(self) -> tuple[int, ...]:
        """Differs when the file was written or replaced. Raises CredentialsFileError."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise self._unusable(error.strerror or type(error).__name__) from error
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self, region: str, service: str = "dynamodb") -> Credentials:
        """The credentials, to sign for a region and service. Raises CredentialsFileError."""
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(self._text())
            section = parser[self.profile]
        except KeyError as error:
            raise self._unusable("it has no such profile") from error
        except configparser.Error as error:
            # The error's own text has lines of the file.
            raise self._unusable(f"it is damaged: {type(error).__name__}") from error
        keys = [section.get(f"aws_{each}", "") for each in ("access_key_id", "secret_access_key")]
        token = section.get("aws_session_token") or None
        if not all(keys):
            raise self._unusable("the profile has no keys")
        if not all(map(_is_plain, [*keys, token or "x"])):
            raise self._unusable("a key has characters that no key has")
        access_key, secret_key = keys
        return Credentials(
            access_key=access_key,
            secret_key=secret_key,
            session_token=token,
            region=region,
            service=service,
        )

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:
                content = file.read(CREDENTIALS_FILE_BYTES_MAX + 1)
            text = content.decode()
        except OSError as error:
            raise self._unusable(error.strerror or type(error).__name__) from error
        except UnicodeDecodeError as error:
            raise self._unusable("it is not UTF-8") from error
        if len(content) > CREDENTIALS_FILE_BYTES_MAX:
            raise self._unusable(f"it has more than {CREDENTIALS_FILE_BYTES_MAX} bytes")
        return text

    def _unusable(self, reason: str) -> CredentialsFileError:
        return CredentialsFileError(
            f"no credentials of the profile {self.profile} in {self.path}: {reason}"
        )


def _is_plain(text: str) -> bool:
    """Whether it can be sent in a header as it is."""
    return text.isascii() and text.isprintable() and " " not in text
