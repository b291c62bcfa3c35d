"""Texts of settings: those of a file and of variables, and the errors about them."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hashrange.settings.kinds import VARIABLE_PREFIX, Row

CONFIG_VARIABLE: Final = "HASHRANGE_CONFIG"
MASK_KEY_VARIABLE: Final = "HASHRANGE_MASK_KEY"
"""Of commands that mask items, and not of servers."""


class SettingError(ValueError):
    """A setting that is unknown or cannot be read. The text is one line, for people."""


def refuse_unknown_variables(environment: Mapping[str, str], rows: Sequence[Row]) -> None:
    """Raise SettingError if a variable with our prefix is not that of a setting."""
    variables = [CONFIG_VARIABLE, MASK_KEY_VARIABLE, *(row.variable for row in rows)]
    for variable in sorted(environment):
        if variable.startswith(VARIABLE_PREFIX) and variable not in variables:
            raise _unknown(variable, variable, variables, _service_link(variable))


def _unknown(origin: str, name: str, names: list[str], hint: str = "") -> SettingError:
    from difflib import get_close_matches  # noqa: PLC0415 - few starts need it

    near = get_close_matches(name, names, n=1, cutoff=0.0)[0]
    return SettingError(f"{origin} is not a setting; the nearest is {near}{hint}")


def of_file(path: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The values in a TOML file, by the names of the settings."""
    import tomllib  # noqa: PLC0415 - few starts need it

    try:
        # Editors on Windows write a byte order mark, which TOML does not allow.
        texts = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingError(f"--config {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingError(f"--config {path}: it is not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise SettingError(f"--config {path}: it is nested too deep") from error
    except ValueError as error:
        raise SettingError(f"--config {path}: {error}") from error
    named = {row.name: row for row in rows}
    values: dict[str, Any] = {}
    for name, value in texts.items():
        origin = f"--config {path}: {name}"
        if name not in named:
            raise _unknown(origin, name, list(named))
        row = named[name]
        if row.kind.separator and isinstance(value, dict):
            value = [f"{key}={text}" for key, text in value.items()]  # noqa: PLW2901 - as a list
        if row.kind.separator and isinstance(value, list):
            value = row.kind.separator.join(map(str, value))  # noqa: PLW2901 - as an option
        if not row.kind.takes(value):
            shown = "the value" if row.kind.secret else repr(value)
            raise SettingError(f"{origin}: {shown} is not {row.kind.form}")
        values[name] = parsed(row, origin, str(value))
    return values


def parsed(row: Row, origin: str, text: str) -> object:
    """The value of a text. Raises SettingError, which names the origin of the text."""
    try:
        return row.kind.parse(text)
    except ValueError as error:
        if row.kind.secret:
            raise SettingError(f"{origin} is not {error}") from error
        hint = _service_link(text)
        raise SettingError(f"{origin}: {text!r} is not {error}{hint}") from error


def _service_link(text: str) -> str:
    # Kubernetes sets HASHRANGE_PORT=tcp://… and HASHRANGE_SERVICE_HOST in every pod of a namespace
    # with a Service named hashrange.
    if text.startswith(("tcp://", "HASHRANGE_SERVICE_", "HASHRANGE_PORT_")):
        return " (set by Kubernetes for a Service of this name? enableServiceLinks: false stops it)"
    return ""


def mask_key(environment: Mapping[str, str] | None = None) -> str | None:
    """The key of masks in `MASK_KEY_VARIABLE`; None if it is not set."""
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    return environment.get(MASK_KEY_VARIABLE) or None


def ca_bundle(environment: Mapping[str, str] | None = None) -> str | None:
    """The file of certificates that AWS's clients trust: AWS_CA_BUNDLE; None if it is not set."""
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    return environment.get("AWS_CA_BUNDLE") or None
