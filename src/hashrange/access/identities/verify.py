"""Checks the stored rows of identities; each finding is a sentence for the operator."""

from collections.abc import Iterator

import msgspec

from hashrange.access.identities.entities import Entity, ManagedPolicy, Role, User
from hashrange.access.identities.roster import decoded
from hashrange.access.policies.checks import MalformedPolicyError, PolicyUse
from hashrange.access.policies.documents import parse
from hashrange.storage.engine import Engine
from hashrange.tables.keys.identity_keys import CHANGES_KEY, REVISION_KEY, entities_range
from hashrange.tables.keys.key_ranges import pairs


async def identity_findings(engine: Engine) -> list[str]:
    """All inconsistencies of identities; empty if there are none."""
    found: list[str] = []
    entities: list[Entity] = []
    async for key, row in pairs(engine, entities_range()):
        try:
            entity = decoded(key, row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            found.append(f"identities: the row at {key.hex()} cannot be read: {error}")
            continue
        if entity.row_key != key:
            found.append(f"identities: {entity.arn} stands at {key.hex()}, which is another's key")
        entities.append(entity)
        found += [f"identities: {entity.arn}: {text}" for text in _of_entity(entity)]
    revision, changes = await engine.read([REVISION_KEY, CHANGES_KEY])
    if (entities or changes is not None) and revision is None:
        found.append("identities: there are some, but no revision")
    return found + list(_of_all(entities))


def _of_entity(entity: Entity) -> Iterator[str]:
    if isinstance(entity, ManagedPolicy):
        if entity.default not in {each.id for each in entity.versions}:
            yield f"its default version {entity.default} is not there"
        for each in entity.versions:
            yield from _of_policy(f"version {each.id}", each.text, PolicyUse.MANAGED)
        return
    if isinstance(entity, Role):
        yield from _of_policy("its trust policy", entity.trust, PolicyUse.TRUST)
    for name, text in entity.inline.items():
        yield from _of_policy(f"its policy {name}", text, PolicyUse.INLINE)


def _of_policy(name: str, text: str, use: PolicyUse) -> Iterator[str]:
    try:
        parse(text, use, is_stored=True)
    except MalformedPolicyError as error:
        yield f"{name} is none: {error}"


def _of_all(entities: list[Entity]) -> Iterator[str]:
    """Contradictions between entities."""
    owners: dict[str, str] = {}
    ids: dict[str, str] = {}
    for entity in entities:
        if entity.id in ids:
            yield f"identities: {entity.arn} and {ids[entity.id]} have the same id"
        ids[entity.id] = entity.arn
        for key in entity.keys if isinstance(entity, User) else ():
            if key.id in owners:
                yield f"identities: {entity.arn} and {owners[key.id]} have the access key {key.id}"
            owners[key.id] = entity.arn
    policies = {entity.arn for entity in entities if isinstance(entity, ManagedPolicy)}
    for entity in entities:
        if isinstance(entity, ManagedPolicy):
            continue
        own = (*entity.attached, *([] if entity.boundary is None else [entity.boundary]))
        for arn in own:
            if arn not in policies and not arn.startswith("arn:aws:iam::aws:"):
                yield f"identities: {entity.arn} has the policy {arn}, which is not there"
