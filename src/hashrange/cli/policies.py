"""`hashrange policies lint|attach|detach|simulate`: IAM policies."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Final, TextIO

import click

from hashrange.cli.identity_target import IdentityTarget, policy_arn, with_target
from hashrange.cli.refusals import REFUSED, Misuse

if TYPE_CHECKING:
    from hashrange.access.policies.syntax import Document


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
    """Find statements that grant too much, or nothing.

    Those that LeadingKeys or Attributes do not confine, unknown actions and condition keys,
    resources of other services, and grants of everything.

    Each FILE is a policy document, of an identity or a resource; - is the standard input. Prints a
    line for each finding. The exit code is 0 for none, 1 for findings, 2 if a file is no policy.

    \b
    Example:
      hashrange policies lint reader.json
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.access.policies.lint import findings
    from hashrange.access.policies.lint_statements import ServerNames, statement_findings
    from hashrange.api.iam.known_actions import known_actions

    count, known = 0, ServerNames(known_actions())
    for file in files:
        document = _document(file)
        for finding in (*findings(document), *statement_findings(document, known)):
            count += 1
            name = f"statement {finding.place}" + (f" ({finding.sid})" if finding.sid else "")
            actions = f" ({', '.join(finding.actions)})" if finding.actions else ""
            click.echo(f"{file.name}: {name}: {finding.text}{actions}")
    if count:
        context.exit(REFUSED)


def _document(file: TextIO) -> "Document":
    """The policy in a file, of a resource if it names principals."""
    from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
    from hashrange.access.policies.documents import parse

    try:
        text = file.read()
        use = PolicyUse.RESOURCE if _NAMES_PRINCIPALS in text else PolicyUse.INLINE
        return parse(text, use)
    except (MalformedPolicyError, UnicodeDecodeError, OSError) as error:
        raise Misuse(f"{file.name}: {error}") from error


@policies.command()
@click.argument("holder", metavar="user/NAME|role/NAME")
@click.argument("policy", metavar="NAME|ARN")
@with_target
def attach(target: IdentityTarget, holder: str, policy: str) -> None:
    """Attach a managed policy to a user or role; a name alone is of a built-in policy.

    \b
    Example:
      hashrange policies attach user/app AmazonDynamoDBReadOnlyAccess
    """  # noqa: D301 - click reads \b as an escape
    kind, named = _holder(holder)
    target.perform(f"Attach{kind}Policy", **named, PolicyArn=policy_arn(policy))


@policies.command()
@click.argument("holder", metavar="user/NAME|role/NAME")
@click.argument("policy", metavar="NAME|ARN")
@with_target
def detach(target: IdentityTarget, holder: str, policy: str) -> None:
    """Detach a managed policy from a user or role."""
    kind, named = _holder(holder)
    target.perform(f"Detach{kind}Policy", **named, PolicyArn=policy_arn(policy))


@policies.command()
@click.argument("holder", metavar="user/NAME|role/NAME")
@click.argument("action")
@click.argument("resource", default="*")
@click.option("--context", "entries", multiple=True, metavar="KEY=VALUE", help="A condition key.")
@with_target
def simulate(
    target: IdentityTarget, holder: str, action: str, *, resource: str, entries: tuple[str, ...]
) -> None:
    """Print what the policies of a user or role decide; the exit code is 1 for a denial.

    \b
    Example:
      hashrange policies simulate user/app dynamodb:GetItem \\
        arn:aws:dynamodb:us-east-1:000000000000:table/orders --context dynamodb:LeadingKeys=a
    """  # noqa: D301 - click reads \b as an escape
    kind, named = _holder(holder)
    arn = target.perform(f"Get{kind}", **named)[kind]["Arn"]
    found = target.perform(
        "SimulatePrincipalPolicy",
        PolicySourceArn=arn,
        ActionNames=[action],
        ResourceArns=[resource],
        **({"ContextEntries": _context(entries)} if entries else {}),
    )
    (result,) = found["EvaluationResults"]
    missing = result["MissingContextValues"] or []
    lacks = f" (without values for {', '.join(missing)})" if missing else ""
    click.echo(f"{result['EvalDecision']}{lacks}")
    if result["EvalDecision"] != "allowed":
        click.get_current_context().exit(REFUSED)


def _context(entries: tuple[str, ...]) -> list[dict[str, object]]:
    """Condition keys with their values; a key that is given several times has several."""
    values: dict[str, list[str]] = {}
    for entry in entries:
        key, equal, value = entry.partition("=")
        if not equal:
            raise Misuse(f"--context {entry!r} is not KEY=VALUE")
        values.setdefault(key, []).append(value)
    return [
        {"ContextKeyName": key, "ContextKeyValues": given, "ContextKeyType": "stringList"}
        for key, given in values.items()
    ]


def _holder(text: str) -> tuple[str, dict[str, str]]:
    """`User` or `Role`, and the member of requests that names it."""
    kind, _, name = text.partition("/")
    if kind not in {"user", "role"} or not name:
        raise Misuse(f"{text!r} is neither user/NAME nor role/NAME")
    return kind.title(), {f"{kind.title()}Name": name}
