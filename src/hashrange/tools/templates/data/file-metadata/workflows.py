"""Workflows of more than one plain request: paths, uploads, versions and moves."""

from typing import Any

from dynamo import Item, show, transact
from patterns import (
    TABLE,
    entry_by_name,
    entry_item,
    file_item,
    file_with_versions_and_shares,
    list_a_folder,
    used_space,
    version_item,
)

NEW = "attribute_not_exists(pk)"


def resolve(db: Any, root_id: str, path: str) -> Item | None:
    """The entry of a path such as `trips/map.png`; None if a step is missing."""
    entry: Item | None = None
    parent = root_id
    for name in path.split("/"):
        entry = entry_by_name(db, parent, name)
        if entry is None:
            return None
        parent = entry["childId"]
    return entry


def add_a_file(db: Any, owner: str, entry: Item, content: Item) -> str:
    """Add a file with its first version.

    Args:
        db: the client.
        owner: who pays with her quota.
        entry: `parentId`, `name` and `childId`, the id of the new file.
        content: `sha256`, `bytes`, `object` and `written`.

    Returns:
        `added`, `exists` if the folder has the name, or `full`.
    """
    file_id = entry["childId"]
    items = [
        entry_item({**entry, "isFolder": False}),
        file_item({"fileId": file_id, "owner": owner, "version": 1}),
        version_item({"fileId": file_id, "version": 1, **content}),
    ]
    puts = [
        {"Put": {"TableName": TABLE, "Item": item, "ConditionExpression": NEW}} for item in items
    ]
    codes = transact(db, [*puts, _charge(db, owner, content["bytes"])])
    return _outcome(codes, "added", "exists")


def add_a_version(db: Any, file: Item, content: Item) -> str:
    """Add a version after the one that was read: `added`, `conflict`, or `full`."""
    seen = int(file["version"])
    update = {
        "TableName": TABLE,
        "Key": {"pk": f"FILE#{file['fileId']}", "sk": "FILE"},
        "UpdateExpression": "SET version = :next",
        "ConditionExpression": "version = :seen",
        "ExpressionAttributeValues": {":seen": seen, ":next": seen + 1},
    }
    version = version_item({"fileId": file["fileId"], "version": seen + 1, **content})
    put = {"TableName": TABLE, "Item": version, "ConditionExpression": NEW}
    charge = _charge(db, file["owner"], content["bytes"])
    return _outcome(transact(db, [{"Update": update}, {"Put": put}, charge]), "added", "conflict")


def _charge(db: Any, owner: str, size: int) -> Item:
    """The update of a quota. What is allowed changes rarely, what is used is compared."""
    quota = used_space(db, owner) or {"allowed": 0}
    return {
        "Update": {
            "TableName": TABLE,
            "Key": {"pk": f"USER#{owner}", "sk": "QUOTA"},
            "UpdateExpression": "ADD used :bytes",
            "ConditionExpression": "used <= :room",
            "ExpressionAttributeValues": {":bytes": size, ":room": quota["allowed"] - size},
        }
    }


def _outcome(codes: list[str], done: str, refused: str) -> str:
    if not codes:
        return done
    return refused if "ConditionalCheckFailed" in codes[:-1] else "full"


def move_an_entry(db: Any, entry: Item, parent_id: str, name: str) -> bool:
    """Move and rename an entry; False if it is gone, or the folder has the name.

    A folder must not be moved below itself: compare the steps of the target's path before.
    """
    plain = {name: entry[name] for name in ("parentId", "name", "childId", "isFolder")}
    old, new = entry_item(plain), entry_item({**plain, "parentId": parent_id, "name": name})
    delete = {
        "TableName": TABLE,
        "Key": {key: old[key] for key in ("pk", "sk")},
        "ConditionExpression": "childId = :child",
        "ExpressionAttributeValues": {":child": entry["childId"]},
    }
    put = {"TableName": TABLE, "Item": new, "ConditionExpression": NEW}
    return not transact(db, [{"Delete": delete}, {"Put": put}])


def demo(db: Any) -> None:
    """Run each workflow once."""
    show("Resolve", resolve(db, "root-ada", "trips/map.png"))
    content = {"sha256": "ff", "bytes": 500, "object": "ff/ff", "written": "2026-11-21T10:00:00Z"}
    entry = {"parentId": "f-trips", "name": "plan.txt", "childId": "x-plan"}
    show("Add a file", add_a_file(db, "ada", entry, content))
    show("Add it again", add_a_file(db, "ada", {**entry, "childId": "x-other"}, content))
    file = file_with_versions_and_shares(db, "x-plan")[0]
    show("Add a version", add_a_version(db, file, content))
    show("Add a version to what was read before", add_a_version(db, file, content))
    large = {**content, "bytes": 10**9}
    show("Add what has no room", add_a_version(db, {**file, "version": 2}, large))
    folder = {"parentId": "root-ada", "name": "trips", "childId": "f-trips", "isFolder": True}
    show("Move a folder", move_an_entry(db, folder, "root-ada", "travel"))
    show("Resolve below it", resolve(db, "root-ada", "travel/plan.txt"))
    show("Root", list_a_folder(db, "root-ada"))
