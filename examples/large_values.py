"""Large values by reference: over 100 KB in a bucket, with a checksum and a pointer in the item.

An item has at most 400 KB, and each read of it pays for all of it. So a large value is compressed,
and if it is still large, it becomes an object in a bucket; the item keeps a pointer. The two stores
share no transaction. A marker item for each object that no item points to makes them agree:

    item     pk         sk          attributes
    ------   --------   ---------   ------------------------------------------------------------
    value    any        any         form, bytes, sha256, and content or object; others as you like
    marker   UNUSED     OBJECT#…    since, state: OPEN, then DELETING

    step                 request
    ------------------   -----------------------------------------------------------------------
    announce an object   PutItem the marker, OPEN; only then the object is stored
    write a value        TransactWriteItems: Put the item if it is as it was read, Delete the
                         marker of the new object if it is OPEN, Put one for the object before
    delete a value       TransactWriteItems: Delete the item, Put the marker of its object
    read a value         GetItem, the object, the checksum; if the object is gone, once more
    collect              Query the markers that are old; UpdateItem to DELETING, delete the object,
                         DeleteItem the marker

A program that is killed between two steps leaves a marker: `collect` removes its object. A slow one
finds its marker DELETING, and its write is refused. So no item ever points to an object that is
gone, and no object stays that no item points to. `collect` needs no list of the bucket.

An object is never overwritten: a reader that has an old pointer reads the old value, or reads the
item again. With many writers, spread the markers: UNUSED#0 to UNUSED#9.
"""

import hashlib
import time
import uuid
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

from botocore.exceptions import ClientError

from playground import temporary_table, transact

KEY = ("pk", "sk")
INLINE_BYTES_MAX = 100 * 1024
READS_MAX = 10
OPEN, DELETING = "OPEN", "DELETING"


class ChangedError(Exception):
    """Another program has changed the item, or has collected the object; nothing was written."""


class DamagedError(Exception):
    """The value is not the one that was written."""


class Folder:
    """A bucket in a directory. One of S3 has the same three methods: see `S3`."""

    def __init__(self, path):
        self.path = Path(path)

    def put(self, name, content):
        """Store an object."""
        (self.path / name).write_bytes(content)

    def get(self, name):
        """The content of an object; None if there is none."""
        path = self.path / name
        return path.read_bytes() if path.exists() else None

    def delete(self, name):
        """Remove an object; nothing happens if there is none."""
        (self.path / name).unlink(missing_ok=True)


class S3:
    """A bucket of S3, by a client of boto3."""

    def __init__(self, client, bucket):
        self.client, self.bucket = client, bucket

    def put(self, name, content):
        """Store an object."""
        self.client.put_object(Bucket=self.bucket, Key=name, Body=content)

    def get(self, name):
        """The content of an object; None if there is none."""
        try:
            return self.client.get_object(Bucket=self.bucket, Key=name)["Body"].read()
        except self.client.exceptions.NoSuchKey:
            return None

    def delete(self, name):
        """Remove an object; nothing happens if there is none."""
        self.client.delete_object(Bucket=self.bucket, Key=name)


def write(table, bucket, key, value, *, now=None, **attributes):
    """Write a value of any size; raises ChangedError if another program did at the same time."""
    before = table.get_item(Key=key, ConsistentRead=True).get("Item")
    packed = zlib.compress(value)
    form, content = ("zlib", packed) if len(packed) < len(value) else ("plain", value)
    item = {**key, **attributes, "form": form, "bytes": len(value), "version": uuid.uuid4().hex}
    item["sha256"] = hashlib.sha256(value).hexdigest()
    actions = []
    if len(content) <= INLINE_BYTES_MAX:
        item["content"] = content
    else:
        item["object"] = name = uuid.uuid4().hex
        table.put_item(Item=_marker(name, now))
        bucket.put(name, content)
        actions.append({"Delete": {"Key": _marker_key(name), **_if_state(OPEN)}})
    actions.append({"Put": {"Item": item, **_if_same(before)}})
    _commit(table, [*actions, *_replaced(before, now)])


def delete(table, key, now=None):
    """Delete a value; its object goes with the next `collect`."""
    before = table.get_item(Key=key, ConsistentRead=True).get("Item")
    if before is not None:
        _commit(table, [{"Delete": {"Key": key, **_if_same(before)}}, *_replaced(before, now)])


def read(table, bucket, key):
    """The value of an item, or None; raises DamagedError."""
    for _ in range(READS_MAX):
        item = table.get_item(Key=key, ConsistentRead=True).get("Item")
        if item is None:
            return None
        content = bucket.get(item["object"]) if "object" in item else bytes(item["content"])
        if content is not None:
            return _checked(item, content)
        # It was replaced and collected since the item was read: the item says by which object.
    raise DamagedError(f"{key}: its object is gone")


def collect(table, bucket, older_than, now=None):
    """Remove objects without an item that are older than so many seconds; how many.

    Choose more than a write takes. A write that takes longer is refused, and loses nothing.
    """
    limit = _seconds(now) - older_than
    removed = 0
    for marker in _markers(table):
        if marker["since"] > limit:
            continue
        key = _marker_key(marker["object"])
        try:
            table.update_item(
                Key=key,
                UpdateExpression="SET #state = :deleting",
                ConditionExpression="attribute_exists(pk)",
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues={":deleting": DELETING},
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
            continue  # its item was written meanwhile
        bucket.delete(marker["object"])
        table.delete_item(Key=key)
        removed += 1
    return removed


def _checked(item, content):
    try:
        value = zlib.decompress(content) if item["form"] == "zlib" else content
    except zlib.error as error:
        raise DamagedError(f"{item['pk']} {item['sk']} is damaged") from error
    if hashlib.sha256(value).hexdigest() != item["sha256"]:
        raise DamagedError(f"{item['pk']} {item['sk']} is damaged: another checksum")
    return value


def _seconds(now):
    return int(time.time() if now is None else now)


def _marker_key(name):
    return {"pk": "UNUSED", "sk": f"OBJECT#{name}"}


def _marker(name, now):
    return {**_marker_key(name), "object": name, "since": _seconds(now), "state": OPEN}


def _markers(table):
    request = {
        "KeyConditionExpression": "pk = :unused",
        "ExpressionAttributeValues": {":unused": "UNUSED"},
        "ConsistentRead": True,
    }
    while True:
        page = table.query(**request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _if_state(state):
    return {
        "ConditionExpression": "#state = :state",
        "ExpressionAttributeNames": {"#state": "state"},
        "ExpressionAttributeValues": {":state": state},
    }


def _if_same(before):
    if before is None:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "version = :version",
        "ExpressionAttributeValues": {":version": before["version"]},
    }


def _replaced(before, now):
    if before is None or "object" not in before:
        return []
    return [{"Put": {"Item": _marker(before["object"], now)}}]


def _commit(table, actions):
    if reasons := transact(table, *actions):
        raise ChangedError(f"nothing was written: {', '.join(reasons)}")


def main(table, bucket):
    """A small value, a large one, a program that is killed, and the collection of its object."""
    key = {"pk": "REPORT#1", "sk": "BODY"}
    text = b"All work and no play makes a dull report. " * 5000
    write(table, bucket, key, text, title="A report")
    item = table.get_item(Key=key)["Item"]
    print(f"{len(text):,} bytes of text are {len(bytes(item['content'])):,} in the item")

    picture = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(8000))
    write(table, bucket, key, picture, title="A picture")
    item = table.get_item(Key=key)["Item"]
    print(f"{item['bytes']:,} bytes are in an object, and {len(item)} attributes in the item")
    assert read(table, bucket, key) == picture

    lost = uuid.uuid4().hex
    table.put_item(Item=_marker(lost, None))
    bucket.put(lost, picture)
    print("A program is killed here, and leaves an object")
    write(table, bucket, key, b"short")
    print("Collected after an hour:", collect(table, bucket, 3600, time.time() + 4000))
    print("The value is", read(table, bucket, key))


if __name__ == "__main__":
    with temporary_table("large", KEY) as values, TemporaryDirectory() as folder:
        main(values, Folder(folder))
