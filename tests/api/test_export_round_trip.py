"""What an export writes, an import reads."""

import uuid

import pytest

from tests.api.backups import fill
from tests.api.conftest import client_of
from tests.api.exports import exported, recoverable
from tests.api.tables import keyed
from tests.api.test_exports import ITEM

TABLE = {**keyed(pk="S")}


# What an export writes is what an import reads, in both formats.
@pytest.mark.parametrize("export_format", ["DYNAMODB_JSON", "ION"])
def test_an_export_is_imported(start_server, tmp_path, export_format):
    client = client_of(start_server(s3=f"exports={tmp_path}"))
    table = f"e-{uuid.uuid4()}"
    client.create_table(TableName=table, **TABLE)
    arn = recoverable(client, table)
    fill(client, table, range(40), 5)
    client.put_item(TableName=table, Item=ITEM)
    found = exported(client, arn, ExportFormat=export_format)
    folder = found["ExportManifest"].rpartition("/")[0]
    target = f"i-{uuid.uuid4()}"
    told = client.import_table(
        S3BucketSource={"S3Bucket": "exports", "S3KeyPrefix": f"{folder}/data/"},
        InputFormat=export_format,
        InputCompressionType="GZIP",
        TableCreationParameters={"TableName": target, **TABLE},
    )
    imported = told["ImportTableDescription"]["ImportArn"]
    while (done := client.describe_import(ImportArn=imported)["ImportTableDescription"])[
        "ImportStatus"
    ] == "IN_PROGRESS":
        pass
    assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", 41), done
    both = [client.scan(TableName=name)["Items"] for name in (table, target)]
    assert both[0] == both[1]
