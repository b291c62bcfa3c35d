"""`hashrange policies lint FILE…`: statements that confine less than they seem to."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Final, TextIO

import click

from hashrange.cli.refusals import REFUSED, Misuse

if TYPE_CHECKING:
    from hashrange.policies.syntax import Document


_NAMES_PRINCIPALS: Final = 'Principal"'
"""Stands in policies of resources: the element Principal or NotPrincipal."""


@click.group()
def policies() -> None:
    """Work with IAM policies for DynamoDB."""


@policies.command()
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.File(encoding="utf-8")
)
@click.pass_context
def lint(context: click.Context, files: tuple[TextIO, ...]) -> None:
    """Find statements that LeadingKeys or Attributes do not confine.

    Each FILE is a policy document, of an identity or a resource; - is the standard input. Prints a
    line for each finding. The exit code is 0 for none, 1 for findings, 2 if a file is no policy.

    \b
    Example:
      hashrange policies lint reader.json
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.policies.lint import findings

    count = 0
    for file in files:
        for finding in findings(_document(file)):
            count += 1
            name = f"statement {finding.place}" + (f" ({finding.sid})" if finding.sid else "")
            actions = f" ({', '.join(finding.actions)})" if finding.actions else ""
            click.echo(f"{file.name}: {name}: {finding.text}{actions}")
    if count:
        context.exit(REFUSED)


def _document(file: TextIO) -> "Document":
    """The policy in a file, of a resource if it names principals."""
    from hashrange.policies.checks import MalformedPolicyError, PolicyUse
    from hashrange.policies.documents import parse

    try:
        text = file.read()
        use = PolicyUse.RESOURCE if _NAMES_PRINCIPALS in text else PolicyUse.INLINE
        return parse(text, use)
    except (MalformedPolicyError, UnicodeDecodeError, OSError) as error:
        raise Misuse(f"{file.name}: {error}") from error
