"""Entities as answers describe them. Pure."""

from collections.abc import Mapping
from typing import Any

from hashrange.iam.answers import date, encoded_policy
from hashrange.identities.entities import AccessKey, Holder, ManagedPolicy, Role, User
from hashrange.identities.roster import Roster


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


def role(entity: Role, *, whole: bool = True) -> dict[str, Any]:
    """A role; lists leave out tags and boundary."""
    return {
        "Path": entity.path,
        "RoleName": entity.name,
        "RoleId": entity.id,
        "Arn": entity.arn,
        "CreateDate": date(entity.created_ms),
        "AssumeRolePolicyDocument": encoded_policy(entity.trust),
        "Description": entity.description,
        "MaxSessionDuration": entity.session_seconds_max,
        **(_whole(entity) if whole else {}),
    }


def _whole(entity: Holder) -> dict[str, Any]:
    boundary = None
    if entity.boundary is not None:
        boundary = {
            "PermissionsBoundaryType": "Policy",
            "PermissionsBoundaryArn": entity.boundary,
        }
    return {"PermissionsBoundary": boundary, "Tags": tags(entity.tags) or None}


def policy(roster: Roster, entity: ManagedPolicy, *, whole: bool = True) -> dict[str, Any]:
    """A managed policy; lists leave out description and tags."""
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
        "Description": entity.description if whole else None,
        "CreateDate": date(entity.created_ms),
        "UpdateDate": date(entity.updated_ms),
        "Tags": tags(entity.tags) or None if whole else None,
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
