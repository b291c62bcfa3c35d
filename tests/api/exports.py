"""Exports, as tests ask for them, and their objects read as others read them."""

import base64
import contextlib
import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

ON = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}


@contextlib.contextmanager
def refused(code: str, text: str) -> Iterator[None]:
    """Whatever is asked for is refused, with a text that has `text` in it."""
    with pytest.raises(ClientError) as found:
        yield
    error = found.value.response["Error"]
    assert error["Code"] == code, error
    assert text in error["Message"]


def recoverable(client: BaseClient, table: str) -> str:
    """The ARN of a table, with point-in-time recovery from now on."""
    client.update_continuous_backups(TableName=table, **ON)
    return str(client.describe_table(TableName=table)["Table"]["TableArn"])


def begun(client: BaseClient, arn: str, bucket: str = "exports", **more: Any) -> dict[str, Any]:
    """The description of a new export."""
    told = client.export_table_to_point_in_time(TableArn=arn, S3Bucket=bucket, **more)
    return dict(told["ExportDescription"])


def ended(client: BaseClient, export: str) -> dict[str, Any]:
    """The description of an export, once it has ended."""
    while True:
        found = client.describe_export(ExportArn=export)["ExportDescription"]
        if found["ExportStatus"] != "IN_PROGRESS":
            return dict(found)


def exported(client: BaseClient, arn: str, **more: Any) -> dict[str, Any]:
    """The description of an export that was completed."""
    found = ended(client, begun(client, arn, **more)["ExportArn"])
    assert found["ExportStatus"] == "COMPLETED", found
    return found


def in_directory(root: Path) -> dict[str, bytes]:
    """The objects in a directory."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def in_s3(client: BaseClient, bucket: str) -> dict[str, bytes]:
    """The objects in a bucket of S3."""
    found = client.list_objects_v2(Bucket=bucket).get("Contents", [])
    keys = [each["Key"] for each in found]
    return {key: client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


def data_of(objects: dict[str, bytes], description: dict[str, Any]) -> bytes:
    """All lines of an export, after every object of it was checked against the manifests."""
    summary_key = description["ExportManifest"]
    folder = summary_key.rpartition("/")[0]
    for name in ("manifest-summary", "manifest-files"):
        digest = hashlib.md5(objects[f"{folder}/{name}.json"]).digest()
        assert objects[f"{folder}/{name}.md5"] == base64.b64encode(digest)
    summary = json.loads(objects[summary_key])
    assert summary["exportArn"] == description["ExportArn"]
    assert summary["itemCount"] == description["ItemCount"]
    files = [json.loads(line) for line in objects[summary["manifestFilesS3Key"]].splitlines()]
    lines = []
    for file in files:
        content = objects[file["dataFileS3Key"]]
        assert file["md5Checksum"] == base64.b64encode(hashlib.md5(content).digest()).decode()
        lines.append(gzip.decompress(content))
        assert lines[-1].count(b"\n") == file["itemCount"]
    assert sum(file["itemCount"] for file in files) == summary["itemCount"]
    return b"".join(lines)


def items_of(objects: dict[str, bytes], description: dict[str, Any]) -> list[Any]:
    """The items of an export in DYNAMODB_JSON, in the order of their first key."""
    found = [json.loads(line)["Item"] for line in data_of(objects, description).splitlines()]
    return sorted(found, key=lambda item: item["pk"]["S"])
