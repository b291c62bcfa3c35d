"""Entities as answers describe them. Pure."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hashrange.access.identities.entities import AccessKey, Holder, ManagedPolicy, Role, User
from hashrange.access.identities.roster import Roster, gone_since
from hashrange.access.policies.canonical import naming_gone
from hashrange.model.times import iso_time


def date(ms: int) -> str:
    """A time in ISO 8601."""
    return iso_time(ms)


def encoded_policy(text: str) -> str:
    """A policy document as IAM returns it: URL-encoded."""
    return quote(text, safe="")


def user(entity: User, *, whole: bool = True) -> dict[str, Any]:
    """A user; lists leave out tags and boundary."""
    return {
        "Path": entity.path,
        "UserName": entity.name,
        "UserId": entity.id,
        "Arn": entity.arn,
        "CreateDate": date(entity.created_ms),
        **(_whole(entity) if whole else {}),
    }


def role(roster: Roster, entity: Role) -> dict[str, Any]:
    """A role as GetRole describes it; tools expect RoleLastUsed, which nothing records here."""
    return {**listed_role(roster, entity), **_whole(entity), "RoleLastUsed": {}}


def listed_role(roster: Roster, entity: Role) -> dict[str, Any]:
    """A role in a list: without tags and boundary."""
    return {
        **_named_role(roster, entity),
        "Description": entity.description,
        "MaxSessionDuration": entity.session_seconds_max,
    }


def new_role(roster: Roster, entity: Role) -> dict[str, Any]:
    """A role as CreateRole describes it: without description and length of sessions."""
    return {**_named_role(roster, entity), **_whole(entity)}


def described_role(roster: Roster, entity: Role) -> dict[str, Any]:
    """A role as UpdateRoleDescription describes it."""
    return {**_named_role(roster, entity), "Description": entity.description}


def _named_role(roster: Roster, entity: Role) -> dict[str, Any]:
    gone = gone_since(roster, entity.trusted_ids)
    return {
        "Path": entity.path,
        "RoleName": entity.name,
        "RoleId": entity.id,
        "Arn": entity.arn,
        "CreateDate": date(entity.created_ms),
        "AssumeRolePolicyDocument": encoded_policy(naming_gone(entity.trust, gone)),
    }


def _whole(entity: Holder) -> dict[str, Any]:
    boundary = None
    if entity.boundary is not None:
        boundary = {
            "PermissionsBoundaryType": "Policy",
            "PermissionsBoundaryArn": entity.boundary,
        }
    return {"PermissionsBoundary": boundary, "Tags": tags(entity.tags) or None}


def policy(roster: Roster, entity: ManagedPolicy) -> dict[str, Any]:
    """A managed policy as GetPolicy describes it: with a list of tags even if it has none."""
    return {
        **listed_policy(roster, entity),
        "Description": entity.description,
        "Tags": sorted(tags(entity.tags), key=lambda each: tag_order(each["Key"])),
    }


def new_policy(roster: Roster, entity: ManagedPolicy) -> dict[str, Any]:
    """A managed policy as CreatePolicy describes it: without its description."""
    return {**listed_policy(roster, entity), "Tags": tags(entity.tags) or None}


def listed_policy(roster: Roster, entity: ManagedPolicy) -> dict[str, Any]:
    """A managed policy in a list: without description and tags."""
    holders = list(roster.holders())
    return {
        "PolicyName": entity.name,
        "PolicyId": entity.id,
        "Arn": entity.arn,
        "Path": entity.path,
        "DefaultVersionId": entity.default,
        "AttachmentCount": sum(entity.arn in each.attached for each in holders),
        "PermissionsBoundaryUsageCount": sum(each.boundary == entity.arn for each in holders),
        "IsAttachable": True,
        "CreateDate": date(entity.created_ms),
        "UpdateDate": date(entity.updated_ms),
    }


def access_key(owner: User, key: AccessKey) -> dict[str, Any]:
    """An access key, without its secret."""
    return {
        "UserName": owner.name,
        "AccessKeyId": key.id,
        "Status": key.status,
        "CreateDate": date(key.created_ms),
    }


def tags(own: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags, in the order in which they were set."""
    return [{"Key": key, "Value": value} for key, value in own.items()]


def tag_order(key: str) -> str:
    """Tags of policies are listed by the lengths of their keys, and then by their characters."""
    return f"{len(key):04} {key}"
