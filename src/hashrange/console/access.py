"""May a principal perform an action on a resource, and why; and what is wrong with a policy.

The statements are named by policy and number. Their text is read by IAM's operations, which ask for
permissions of their own.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from hashrange.access.identities.entities import Holder, User
from hashrange.access.identities.roster import Roster, holder_of
from hashrange.access.identities.subjects import Documents, of_role, of_user
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.decisions import GovernedResource
from hashrange.access.policies.documents import parse
from hashrange.access.policies.explaining import Concerning, explained
from hashrange.access.policies.lint import Finding, findings
from hashrange.access.policies.lint_statements import ServerNames, statement_findings
from hashrange.access.policies.resources import tag_keys
from hashrange.api.steps.accesses import ANY, Access, Resource
from hashrange.api.steps.governed import GovernedResources
from hashrange.api.steps.operation import Caller
from hashrange.api.steps.service_authorization import Authorizer, Requirement
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.messages import server as messages
from hashrange.storage.engine import Engine
from hashrange.tables.catalog.catalog import Catalog, pages_of_tables
from hashrange.wire.arns import parsed

_SIMULATE: Final = "iam:SimulatePrincipalPolicy"
_READ_POLICY: Final = "dynamodb:GetResourcePolicy"
_LIST: Final = "ListTables"
_IDENTITIES: Final = "arn:aws:iam::"


class AccessQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """May a user or role perform an action on a resource?

    Attributes:
        principal: the ARN of the user or role.
        action: with its service.
        resource: an ARN, or `*`.
        context: the values of condition keys of the request, by key.
    """

    principal: str
    action: str
    resource: str = "*"
    context: Mapping[str, tuple[str, ...]] = {}


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that concerns the request; `policy` is the name of an inline one, or an ARN."""

    policy: str
    statement: Concerning


class AccessDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision; `kind` is that of the policies that deny it, or of which none allows it."""

    allowed: bool
    explicit: bool
    kind: str | None
    reasons: Sequence[Reason]


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy document, and what it is for."""

    document: str
    use: PolicyUse = PolicyUse.INLINE


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The faults of a policy; `malformed` is why it would be refused."""

    malformed: str | None = None
    findings: Sequence[Finding] = ()


class Accounts(msgspec.Struct, frozen=True, kw_only=True):
    """Where users and tables are found.

    Attributes:
        roster: all identities; None if signatures are not verified.
        catalog: the whole catalog.
        engine: has the tables.
        separate: each account and region has tables of its own.
        actions: all actions of the server, with their services.
        authorizer: decides what a caller may ask.
    """

    authorizer: Authorizer
    roster: Roster | None
    catalog: Catalog
    engine: Engine
    separate: bool
    actions: AbstractSet[str]


async def answer(query: AccessQuery, accounts: Accounts, caller: Caller) -> AccessDecision:
    """The answer to a query of a caller that may simulate the policies of the principal.

    Raises:
        DynamoError: it may not, there are no users, no such principal, or no such action.
    """
    asked, roster = query.principal, accounts.roster
    if roster is None:
        raise invalid(messages.no_identities(), bare=True)
    holder = holder_of(roster, asked) if asked.startswith(_IDENTITIES) else None
    own = caller.account if holder is None else holder.account
    tags = {} if holder is None else holder.tags
    principal = GovernedResource(asked, own, keys=tag_keys(tags, "aws", "iam"))
    require(accounts.authorizer, _SIMULATE, principal, caller)
    if holder is None or holder.account != caller.account:
        raise invalid(messages.no_such_principal(asked), bare=True)
    actions = {each.lower(): each for each in accounts.actions}
    action = actions.get(query.action.lower())
    if action is None:
        raise invalid(messages.no_such_action(query.action), bare=True)
    resource = await _resource(query.resource, accounts, caller)
    if resource.policy is not None:
        require(accounts.authorizer, _READ_POLICY, resource, caller)
    documents = Documents()
    subject = (
        of_user(roster, documents, holder)
        if isinstance(holder, User)
        else of_role(roster, documents, holder)
    )
    context = {key.lower(): values for key, values in query.context.items() if values}
    found = explained(subject, action, resource, context)
    names = {
        "identity": _names(roster, holder),
        "boundary": [holder.boundary or ""],
        "resource": [resource.arn],
    }
    return AccessDecision(
        allowed=found.decision.allowed,
        explicit=found.decision.explicit,
        kind=found.decision.kind,
        reasons=[
            Reason(policy=names[each.kind][each.document], statement=each)
            for each in found.statements
        ],
    )


def require(
    authorizer: Authorizer, action: str, resource: GovernedResource, caller: Caller
) -> None:
    """Raise AccessDeniedException unless the policies of the caller allow an action."""
    text = authorizer.refusal(Requirement(action, resource), caller)
    if text is not None:
        raise DynamoError(Fault.ACCESS_DENIED, text)


def _names(roster: Roster, holder: Holder) -> list[str]:
    """The names of the identity policies, in the order of `Documents.identity`."""
    return [*holder.inline, *(arn for arn in holder.attached if roster.policy(arn) is not None)]


async def _resource(arn: str, accounts: Accounts, caller: Caller) -> GovernedResource:
    """The resource of an ARN, with its policy and tags if it is of a table."""
    found = parsed(arn)
    if found is None:
        return GovernedResource(arn, caller.account)
    catalog = accounts.catalog
    if accounts.separate:
        catalog = catalog.within(found.account, found.region)
    opened = await catalog.open(found.table)
    if opened is None:
        return GovernedResource(arn, found.account if accounts.separate else caller.account)
    resource = Resource("table" if found.index is None else "index", found.table, found.index)
    if found.label is not None:
        resource = Resource("stream", arn)
    resources = GovernedResources(separate=accounts.separate)
    return resources.of(Access("", resource), caller, opened.table)


async def report(draft: Draft, accounts: Accounts, caller: Caller) -> Report:
    """The faults of a policy; tables are known if the caller may list them."""
    try:
        document = parse(draft.document, draft.use)
    except MalformedPolicyError as error:
        return Report(malformed=str(error))
    arns = None
    listed = GovernedResources(separate=True).of(Access(_LIST, ANY), caller, None)
    requirement = Requirement(f"dynamodb:{_LIST}", listed)
    if accounts.authorizer.refusal(requirement, caller) is None:
        arns = [
            each.table.arn
            async for page in pages_of_tables(accounts.engine)
            for each in page.values()
            if caller.subject is None or each.table.account == caller.account
        ]
    known = ServerNames(accounts.actions, arns)
    found = [*findings(document), *statement_findings(document, known)]
    return Report(findings=sorted(found, key=lambda each: each.place))
