"""A definition as programs that send its requests: for AWS's command line, and for boto3. Pure."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

from hashrange.tools.definition import TableDefinition
from hashrange.tools.design.steps import Step, steps_of

_RECOVERY: Final = "UpdateContinuousBackups"
_humps: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])").sub
_VARIABLES: Final = {
    "dynamodb": "dynamodb",
    "application-autoscaling": "scaling",
    "cloudwatch": "cloudwatch",
}
_RETRY: Final = """\
# Backups of a new table are enabled some seconds after it is active.
retry() {
  for pause in 0 5 10 20 30; do
    sleep "$pause"
    "$@" && return
  done
  return 1
}
"""
_LOOP: Final = """\
for pause in (5, 10, 20, 30, 0):
    try:
{request}
        break
    except dynamodb.exceptions.ContinuousBackupsUnavailableException:
        # Backups of a new table are enabled some seconds after it is active.
        if not pause:
            raise
        time.sleep(pause)
"""


def shell_script_of(definition: TableDefinition) -> str:
    """A script for `sh` and the AWS CLI."""
    parts = ["#!/bin/sh", f"# Makes the table {definition.name}.", "set -eu", ""]
    steps = steps_of(definition)
    if any(step.operation == _RECOVERY for step in steps):
        parts += [_RETRY]
    for step in steps:
        body = json.dumps(step.request, indent=2, ensure_ascii=False)
        operation = _humps("-", step.operation).lower()
        prefix = "retry " if step.operation == _RECOVERY else ""
        command = f"{prefix}aws {step.service} {operation}"
        # Answers would only repeat what was asked for.
        parts.append(f"{command} --cli-input-json {shlex.quote(body)} >/dev/null")
        if step.operation == "CreateTable":
            name = shlex.quote(definition.name)
            parts.append(f"aws dynamodb wait table-exists --table-name={name}")
        parts.append("")
    return "\n".join(parts)


def boto3_program_of(definition: TableDefinition) -> str:
    """A Python program for boto3."""
    steps = steps_of(definition)
    has_recovery = any(step.operation == _RECOVERY for step in steps)
    parts = [f'"""Makes the table {definition.name}."""', ""]
    parts += ["import time", ""] if has_recovery else []
    parts += ["import boto3", ""]
    services = dict.fromkeys(step.service for step in steps)
    parts += [f'{_VARIABLES[service]} = boto3.client("{service}")' for service in services]
    parts.append("")
    for step in steps:
        call = _call(step)
        if step.operation == _RECOVERY:
            indented = "\n".join(f"        {line}" for line in call.split("\n"))
            call = _LOOP.format(request=indented).removesuffix("\n")
        parts.append(call)
        if step.operation == "CreateTable":
            name = json.dumps(definition.name)
            parts.append(f'dynamodb.get_waiter("table_exists").wait(TableName={name})')
    return "\n".join([*parts, ""])


def _call(step: Step) -> str:
    arguments = "".join(
        f"    {name}={_python(value, '    ')},\n" for name, value in step.request.items()
    )
    operation = _humps("_", step.operation).lower()
    return f"{_VARIABLES[step.service]}.{operation}(\n{arguments})"


def _python(value: Any, indent: str) -> str:
    """A literal, on several lines if one would be long."""
    short = _short(value)
    if len(short) + len(indent) <= 80 or not isinstance(value, dict | list):  # noqa: PLR2004
        return short
    inner = "".join(f"{indent}    {line},\n" for line in _members(value, f"{indent}    "))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}{indent}{closing}"


def _members(value: dict[str, Any] | list[Any], indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield f"{_short(name)}: {_python(member, indent)}"
    else:
        for member in value:
            yield _python(member, indent)


def _short(value: Any) -> str:
    """A literal on one line, with double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return f"{{{', '.join(f'{_short(k)}: {_short(v)}' for k, v in value.items())}}}"
        case list():
            return f"[{', '.join(_short(each) for each in value)}]"
        case _:
            return repr(value)
