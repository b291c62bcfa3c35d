"""ImportTable: a table of the objects in a bucket, and what becomes of records that are no items.

Source of codes and texts, where no other is given: measurements of the service by users, October
2026.
"""

import gzip
import json
import uuid

import pytest

from hashrange.backups.imports.compression import zstd
from tests.api.conftest import client_of
from tests.api.exports import exported, recoverable
from tests.api.imports import begun, creation, ended, imported, items_of, lines, numbered, put
from tests.api.indexes import attributes, index_of, schema
from tests.api.refusals import refusal

REFUSED = (
    "Some of the items failed validation checks and were not imported. Please check CloudWatch "
    "error logs for more details."
)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("log")


@pytest.fixture(scope="module")
def client(start_server, bucket, log):
    return client_of(start_server(s3=f"bucket={bucket}", import_log=log))


@pytest.fixture
def name():
    return f"t-{uuid.uuid4()}"


def counts(job):
    names = ("ImportStatus", "ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    return tuple(job[each] for each in names)


def test_a_table_with_an_index_is_imported(client, bucket, name):
    items = numbered(700, g={"S": "g"})
    put(bucket, f"{name}/one.json", lines(*items[:300]))
    put(bucket, f"{name}/two.json", lines(*items[300:]))
    parameters = creation(
        name,
        AttributeDefinitions=attributes(pk="S", g="S", n="N"),
        GlobalSecondaryIndexes=[
            index_of("all", "g", sort=("n",)),
            {**index_of("keys", "n"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ],
    )
    job = imported(client, name, f"{name}/", TableCreationParameters=parameters)
    assert counts(job) == ("COMPLETED", 700, 700, 0)
    assert job["TableCreationParameters"] == parameters
    expected = sorted(items, key=lambda item: item["pk"]["S"])
    assert items_of(client, name) == expected
    assert items_of(client, name, IndexName="all") == expected
    keys = [{"pk": item["pk"], "n": item["n"]} for item in expected]
    assert items_of(client, name, IndexName="keys") == keys
    table = client.describe_table(TableName=name)["Table"]
    assert (table["TableStatus"], table["ItemCount"]) == ("ACTIVE", 700)
    assert [index["ItemCount"] for index in table["GlobalSecondaryIndexes"]] == [700, 700]


# The table is there at once, and nobody reads or writes it before it is whole.
def test_the_description_of_a_new_import(client, bucket, name):
    put(bucket, f"{name}.json", lines(*numbered(3)))
    job = begun(client, name, f"{name}.json", ClientToken=name)
    assert job["ImportStatus"] == "IN_PROGRESS"
    assert job["S3BucketSource"] == {
        "S3Bucket": "bucket",
        "S3KeyPrefix": f"{name}.json",
        "S3BucketOwner": "000000000000",
    }
    assert (job["InputCompressionType"], job["ClientToken"]) == ("NONE", name)
    assert job["ImportArn"].startswith(job["TableArn"] + "/import/")
    table = ended(client, job["ImportArn"])
    assert client.describe_table(TableName=name)["Table"]["TableId"] == table["TableId"]


# Measured: valid rows are written, and the table stays.
def test_bad_records_are_counted_and_logged(client, bucket, log, name):
    good = numbered(4)
    data = lines(good[0], {"n": {"N": "1"}}, good[1], {"pk": {"N": "1"}}, good[2])
    put(bucket, f"{name}/a", data + b'{"Item":{"pk":{"S":"k9"},"v":{"N":"x"}}}\n\n' + b"{}\n")
    put(bucket, f"{name}/b", lines(good[3]) + b"no json\n" + lines(*numbered(9)))
    job = imported(client, name, f"{name}/")
    assert counts(job) == ("FAILED", 9, 4, 5)
    assert (job["FailureCode"], job["FailureMessage"]) == ("ItemValidationError", REFUSED)
    assert items_of(client, name) == good
    found = [
        json.loads(line)
        for line in (log / job["ImportArn"].rpartition("/")[2] / "error").read_bytes().splitlines()
    ]
    assert [
        (each["itemS3Pointer"]["key"], each["itemS3Pointer"]["itemIndex"]) for each in found
    ] == [(f"{name}/a", 1), (f"{name}/a", 3), (f"{name}/a", 5), (f"{name}/a", 6), (f"{name}/b", 1)]
    assert found[0] == {
        "itemS3Pointer": {"bucket": "bucket", "key": f"{name}/a", "itemIndex": 1},
        "importArn": job["ImportArn"],
        "errorMessages": [
            "One or more parameter values were invalid: Missing the key pk in the item"
        ],
    }


# Source: moto's tests, of which this one runs on AWS.
def test_objects_without_newlines_between_them(client, bucket, name):
    items = numbered(600)
    joined = lines(*items[5:300]).replace(b"\n", b""), lines(*items[300:]).replace(b"\n", b" \t")
    put(bucket, f"{name}/a", lines(*items[:5]) + b"\n".join(joined))
    put(bucket, f"{name}/b", lines(*numbered(2)).replace(b"\n", b"") + b"no json\n")
    job = imported(client, name, f"{name}/")
    assert counts(job) == ("FAILED", 603, 602, 1)
    assert items_of(client, name) == sorted(items, key=lambda item: item["pk"]["S"])


# What is no item ends its object, though it is JSON; what is no item of this table does not.
# Source: ScyllaDB's tests, which run on AWS.
def test_a_record_without_an_item_ends_its_object(client, bucket, name):
    good = numbered(6)
    put(bucket, f"{name}/a", lines(good[0], {"n": {"N": "1"}}, good[1]) + b'{"Other": {}}\n{}\n')
    put(bucket, f"{name}/b", lines(good[2]) + b'{"item": {"pk": {"S": "x"}}}\n' + lines(good[3]))
    put(bucket, f"{name}/c", lines(good[4], {"pk": {"S": ""}}, {"pk": {"S": "y"}, "": {"S": ""}}))
    job = imported(client, name, f"{name}/")
    assert counts(job) == ("FAILED", 9, 4, 5)
    assert items_of(client, name) == [good[0], good[1], good[2], good[4]]


def test_of_records_with_one_key_the_last_one_stays(client, bucket, name):
    index = [{**index_of("all", "g")}]
    data = [{"pk": {"S": f"k{n % 7}"}, "g": {"S": str(n)}} for n in range(100)]
    put(bucket, name, lines(*data))
    parameters = creation(
        name, AttributeDefinitions=attributes(pk="S", g="S"), GlobalSecondaryIndexes=index
    )
    job = imported(client, name, name, TableCreationParameters=parameters)
    assert counts(job) == ("COMPLETED", 100, 100, 0)
    expected = sorted(data[-7:], key=lambda item: item["pk"]["S"])
    assert items_of(client, name) == expected
    assert items_of(client, name, IndexName="all") == expected


@pytest.mark.parametrize("compression", ["GZIP", "ZSTD"])
def test_compressed_objects(client, bucket, name, compression):
    compress = gzip.compress if compression == "GZIP" else zstd().compress
    put(bucket, f"{name}/a", compress(lines(*numbered(3))))
    put(bucket, f"{name}/b", b"")
    job = imported(client, name, f"{name}/", InputCompressionType=compression)
    assert counts(job) == ("COMPLETED", 3, 3, 0)
    plain = f"{name}-plain"
    put(bucket, f"{plain}/a", lines(*numbered(3)))
    job = imported(client, plain, f"{plain}/", InputCompressionType=compression)
    assert (counts(job), job["FailureCode"]) == (("FAILED", 1, 0, 1), "ItemValidationError")


def test_csv(client, bucket, name):
    put(bucket, name, b'pk,n,"a,b",e\r\nk1,1,"x ""y""\nz",\r\nk2,2,p,q\r\n')
    parameters = creation(
        name, AttributeDefinitions=attributes(pk="S", n="N"), KeySchema=schema("pk", sort=("n",))
    )
    job = imported(client, name, name, InputFormat="CSV", TableCreationParameters=parameters)
    assert (counts(job), "InputFormatOptions" in job) == (("COMPLETED", 2, 2, 0), False)
    assert items_of(client, name) == [
        {"pk": {"S": "k1"}, "n": {"N": "1"}, "a,b": {"S": 'x "y"\nz'}},
        {"pk": {"S": "k2"}, "n": {"N": "2"}, "a,b": {"S": "p"}, "e": {"S": "q"}},
    ]


def test_csv_with_options(client, bucket, name):
    put(bucket, name, b"k1;v1\nk2;v2\nk3\n")
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "val"]}}
    job = imported(client, name, name, InputFormat="CSV", InputFormatOptions=options)
    assert (counts(job), job["InputFormatOptions"]) == (("FAILED", 3, 2, 1), options)
    assert [item["val"]["S"] for item in items_of(client, name)] == ["v1", "v2"]


def test_ion(client, bucket, name):
    data = (
        b'$ion_1_0 {Item:{pk:"k1",n:1.50,b:{{AAE=}},l:[1.,"x"],m:{a:null,t:true},'
        b'ss:$dynamodb_SS::["a","b"],ns:$dynamodb_NS::[1.,6d2],bs:$dynamodb_BS::[{{AA==}}]}}\n'
    )
    put(bucket, name, data + b"$ion_1_0 {Item:{n:1.}}\n$ion_1_0 {{\n")
    job = imported(client, name, name, InputFormat="ION")
    assert counts(job) == ("FAILED", 3, 1, 2)
    assert items_of(client, name) == [
        {
            "pk": {"S": "k1"},
            "n": {"N": "1.5"},
            "b": {"B": b"\0\1"},
            "l": {"L": [{"N": "1"}, {"S": "x"}]},
            "m": {"M": {"a": {"NULL": True}, "t": {"BOOL": True}}},
            "ss": {"SS": ["a", "b"]},
            "ns": {"NS": ["1", "600"]},
            "bs": {"BS": [b"\0"]},
        }
    ]


def test_a_bucket_that_does_not_exist(client, name):
    job = imported(client, name, S3BucketSource={"S3Bucket": "nowhere"})
    assert (counts(job), job["FailureCode"]) == (("FAILED", 0, 0, 0), "S3NoSuchBucket")
    assert "--s3 nowhere=" in job["FailureMessage"]
    # Measured: so it begins, and there are no bytes that were read.
    assert job["FailureMessage"].startswith("The specified bucket does not exist (Service: Amazon")
    assert "ProcessedSizeBytes" not in job
    assert job["TableArn"].endswith(name)
    code, _ = refusal(client.describe_table, TableName=name)
    assert code == "ResourceNotFoundException"


# Measured: it is a prefix of the text, without a slash at its end.
def test_the_prefix_is_one_of_texts(client, bucket, name):
    put(bucket, f"{name}/1", lines(numbered(1)[0]))
    put(bucket, f"{name}2/x", b"garbage")
    put(bucket, f"{name}.bak", b"garbage")
    assert counts(imported(client, name, name)) == ("FAILED", 3, 1, 2)
    one = f"{name}-one"
    assert counts(imported(client, one, f"{name}/1")) == ("COMPLETED", 1, 1, 0)
    none = f"{name}-none"
    nothing = imported(client, none, f"{name}/nothing")
    assert (counts(nothing), nothing["ProcessedSizeBytes"]) == (("COMPLETED", 0, 0, 0), 0)
    assert items_of(client, none) == []


def test_lists_of_imports(client, bucket, name):
    arns = []
    for number in range(3):
        put(bucket, f"{name}{number}", lines(*numbered(1)))
        arns.append(begun(client, f"{name}{number}", f"{name}{number}")["ImportArn"])
    for arn in arns:
        ended(client, arn)
    found, token = [], {}
    while token is not None:
        page = client.list_imports(PageSize=1, **token)
        found += [each["ImportArn"] for each in page["ImportSummaryList"]]
        token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
    assert [arn for arn in found if arn in arns] == arns[::-1]
    assert len(set(found)) == len(found)
    client.delete_table(TableName=f"{name}0")
    (one,) = client.list_imports(TableArn=arns[0].partition("/import/")[0])["ImportSummaryList"]
    assert (one["ImportArn"], one["ImportStatus"]) == (arns[0], "COMPLETED")


EVERYTHING = {
    "pk": {"S": 'k \u2028\n"\\ \u00e9'},
    "n": {"N": "-1.5"},
    "large": {"N": "9" * 38 + "0" * 80},
    "small": {"N": "0." + "0" * 100 + "1"},
    "b": {"B": b"\0\xff"},
    "t": {"BOOL": True},
    "null": {"NULL": True},
    "empty": {"S": ""},
    "l": {"L": [{"N": "1"}, {"S": "x"}, {"L": []}, {"M": {}}]},
    "m": {"M": {"a.b": {"M": {"c": {"B": b"x"}}}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "600"]},
    "bs": {"BS": [b"a", b"bc"]},
}


@pytest.mark.parametrize("kind", ["DYNAMODB_JSON", "ION"])
def test_an_export_is_imported(client, bucket, name, kind):
    client.create_table(**creation(name))
    for item in [EVERYTHING, *numbered(60)]:
        client.put_item(TableName=name, Item=item)
    made = exported(client, recoverable(client, name), bucket="bucket", ExportFormat=kind)
    folder = made["ExportManifest"].rpartition("/")[0]
    more = {"InputFormat": kind, "InputCompressionType": "GZIP"}
    job = imported(client, f"{name}-2", f"{folder}/data/", **more)
    assert counts(job) == ("COMPLETED", 61, 61, 0)
    assert items_of(client, f"{name}-2") == items_of(client, name)
