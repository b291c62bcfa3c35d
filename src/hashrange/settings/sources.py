"""Reads the settings of a server: from options, `HASHRANGE_` variables and a file."""

import os
import re
from collections.abc import Mapping
from textwrap import wrap
from typing import Final

import msgspec

from hashrange.settings.conflicts import KEYS, conflict_of
from hashrange.settings.kinds import Namespaces, Row
from hashrange.settings.rows import ROWS, rows_by_subject
from hashrange.settings.settings import Settings
from hashrange.settings.texts import (
    CONFIG_VARIABLE,
    SettingError,
    of_file,
    parsed,
    refuse_unknown_variables,
)

_password: Final = re.compile(r"(://[^/@\s]*:)[^/@\s]*@").sub
"""In URLs of databases and buckets."""


class SettingView(msgspec.Struct, frozen=True):
    """A setting in force.

    Attributes:
        value: as an operator would write it, without secrets; empty if it is not set.
        origin: the option, variable or file that it came from; None for its default.
        sentence: what it is for.
    """

    name: str
    value: str
    default: str
    origin: str | None
    sentence: str


def load(
    flags: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
    *,
    config: str | None = None,
) -> Settings:
    """Settings from the command line, the environment and a file, in this order of precedence.

    Args:
        flags: texts from the command line, by the name of the setting.
        environment: the variables; those of the process if None.
        config: a TOML file; the file that `HASHRANGE_CONFIG` names if None.

    Raises:
        SettingError: an unknown variable with our prefix, an unknown name in the file, a file or a
            value that cannot be read, or settings that exclude each other.
    """
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    refuse_unknown_variables(environment, ROWS)
    config = environment.get(CONFIG_VARIABLE) if config is None else config
    values = {} if config is None else of_file(config, ROWS)
    origins = dict.fromkeys(values, f"--config {config}")
    for row in ROWS:
        if row.name in flags:
            values[row.name] = parsed(row, row.flag, flags[row.name])
            origins[row.name] = row.flag
        elif row.variable in environment:
            values[row.name] = parsed(row, row.variable, environment[row.variable])
            origins[row.name] = row.variable
    if values.get("regions") is not None and "namespaces" not in values:
        values["namespaces"], origins["namespaces"] = Namespaces.SEPARATE, "--regions"
    settings = Settings(**values, origins=origins)
    text = conflict_of(settings, names_data="data" in flags)
    if text is not None:
        raise SettingError(text)
    return settings


def load_key(flags: Mapping[str, str], environment: Mapping[str, str] | None = None) -> Settings:
    """As `load`, of the settings of the key alone; `encrypt` is true if there is a key."""
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    variables = {row.variable for row in ROWS if row.name in KEYS}
    found = {name: text for name, text in environment.items() if name in variables}
    encrypt = {"encrypt": "true"} if found or flags else {}
    return load({**flags, **encrypt}, found)


def texts_of(settings: Settings) -> dict[str, str]:
    """All settings as texts by name; `load` of them returns the same settings."""
    values = {row.name: getattr(settings, row.name) for row in ROWS}
    return {name: str(value) for name, value in values.items() if value is not None}


def shown_settings(settings: Settings) -> list[SettingView]:
    """All settings in force, without secrets."""
    found = []
    for row in ROWS:
        value = getattr(settings, row.name)
        text = _password(r"\1***@", _plain(row, value))
        if row.kind.secret and text:
            text = "***"
        origin = settings.origins.get(row.name)
        found.append(SettingView(row.name, text, row.default_text, origin, row.sentence))
    return found


def _plain(row: Row, value: object) -> str:
    text = "" if value is None else str(value)
    return text.lower() if row.kind.switch else text


def config_text(settings: Settings) -> str:
    """A file for --config with all settings: those that are set, and the others as comments.

    Secrets are comments too, without their values.
    """
    shown = {view.name: view for view in shown_settings(settings)}
    lines = ["# Settings of hashrange serve. An option or a variable wins over this file."]
    for subject, rows in rows_by_subject().items():
        lines += ["", f"# {subject}"]
        for row in rows:
            view, value = shown[row.name], getattr(settings, row.name)
            lines += [
                "",
                *wrap(row.sentence, width=98, initial_indent="# ", subsequent_indent="# "),
            ]
            if row.kind.secret or view.value != _plain(row, value):
                lines.append(f"# It holds a secret: set it as the variable {row.variable}.")
            elif value is None:
                lines.append(f"# {row.name} = {row.kind.form}")
            else:
                text = view.value
                is_bare = row.kind.switch or isinstance(value, int)
                set_to = f"{row.name} = {text if is_bare else msgspec.json.encode(text).decode()}"
                lines.append(f"# {set_to}" if view.origin is None else set_to)
    return "\n".join(lines)


def client_keys(environment: Mapping[str, str] | None = None) -> tuple[str, str, str | None, str]:
    """The access key, secret key, session token and region of clients, or those of a local server.

    SDKs read them too.
    """
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    return (
        environment.get("AWS_ACCESS_KEY_ID") or "local",
        environment.get("AWS_SECRET_ACCESS_KEY") or "local",
        environment.get("AWS_SESSION_TOKEN") or None,
        environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1",
    )


def metrics_token(environment: Mapping[str, str] | None = None) -> str | None:
    """The token with which commands read the figures of a server; None if it is not set."""
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    return environment.get("HASHRANGE_METRICS_TOKEN") or None


def client_endpoint(environment: Mapping[str, str] | None = None) -> str:
    """The endpoint of clients, or the default of a server here.

    SDKs read it too: AWS_ENDPOINT_URL_DYNAMODB, or else AWS_ENDPOINT_URL.
    """
    if environment is None:
        environment = os.environ  # noqa: TID251 - the one place that may
    configured = environment.get("AWS_ENDPOINT_URL_DYNAMODB")
    of_all = environment.get("AWS_ENDPOINT_URL")
    default = Settings()
    return configured or of_all or f"http://{default.host}:{default.port}"
