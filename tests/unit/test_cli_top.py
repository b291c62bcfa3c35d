"""`hashrange top`: what it shows, and of a server under load."""

import contextlib
import http.client
import io
import json
import re
import socket
import threading
from urllib.parse import urlsplit

import msgspec
import pytest
from rich.console import Console

from hashrange.cli.top_view import view
from hashrange.observe.partition_rates import PartitionRate
from hashrange.observe.rates import rates
from hashrange.observe.snapshot import Contributor, Contributors, JobState, KeyCount, KeyCounts
from tests.api.tables import keyed
from tests.crash.server import Client
from tests.pace import seconds, until
from tests.unit.observe.test_rates import AFTER, BEFORE
from tests.unit.processes import run, serving

TABLE = {"TableName": "Orders", **keyed(p="S")}


def shown(found):
    stream = io.StringIO()
    Console(file=stream, width=100).print(view("http://here", found))
    return stream.getvalue()


def test_a_frame_of_a_server_with_peers():
    figures = {
        **AFTER.figures,
        "peer_changes_total@eu-west-1": 20.0,
        "peer_changes_total@us-west-2": 0.0,
        "peer_sent_bytes_total": 4096.0,
        "peer_call_failures_total": 1.0,
        "peer_lag_seconds@eu-west-1": 0.025,
        "peer_lag_seconds@us-west-2": 61.5,
    }
    text = shown(rates(BEFORE, msgspec.structs.replace(AFTER, figures=figures)))
    assert "to eu-west-1: 10 changes/s, lag 25.00 ms" in text
    assert "to us-west-2: 0 changes/s, lag 61500.00 ms" in text
    assert "to all regions: 2.0 KiB/s, 0.5 failed calls/s" in text
    assert "to all regions" not in shown(rates(BEFORE, AFTER))


def test_a_frame():
    text = shown(rates(BEFORE, AFTER))
    assert "hashrange 1 http://here" in text
    assert "7 requests/s, 1 errors/s, 3 connections" in text
    assert "5 writes/s, 1 commits/s, 6 queued" in text
    assert "commit: p50 3.75 ms, p99 4.98 ms; log write and sync: none" in text
    assert "50 % of a processor, 4.0 KiB of memory" in text
    assert "OVERLOAD: 2 writes/s refused" in text
    assert "DOWN" in text
    assert "DISK FULL" not in text
    assert re.search(r"PutItem +5\.0 +0\.0 +0\.03 ms +0\.05 ms", text)
    assert re.search(r"GetItem +2\.0 +1\.0 +1\.75 ms", text)
    assert re.search(r"Orders +0\.5 +10\.0 +11 +1\.1 KiB", text)
    assert re.search(r"Orders +66\.7 % +o#1", text)


def test_partitions_and_contributors():
    partition = PartitionRate(
        place="Orders/by-state",
        number=3,
        start="4ec0d1f9f739aa",
        item_bytes=2048.0,
        read_units=1.0,
        write_units=990.0,
        throttled=12.0,
        read_left=3000.0,
        write_left=-7.0,
        hot_key="OPEN\x1b",
        hot_share=0.93,
    )
    counted = Contributors(
        table="Orders",
        index="",
        rule="PKT",
        minutes=1,
        total=9.0,
        error=0.0,
        keys=[Contributor('["star"]', 9.0, 9.0)],
    )
    found = msgspec.structs.replace(
        rates(BEFORE, AFTER), partitions=[partition], contributors=[counted]
    )
    stream = io.StringIO()
    Console(file=stream, width=140).print(view("http://here", found))
    text = stream.getvalue()
    assert re.search(
        r"Orders/by-state #3 4ec0d1f9… +1\.0 +990\.0 +12\.0 +3,000 +-7 +2\.0 KiB", text
    )
    assert "OPEN\ufffd 93 %" in text
    assert re.search(r'Orders +PKT +9\.0 +\["star"\]', text)
    # The usual width of a terminal: the name of a partition takes more lines, and is not cut.
    stream = io.StringIO()
    Console(file=stream, width=80).print(view("http://here", found))
    assert re.search(
        r"Orders/by-sta +1\.0 +990\.0 +12\.0 +3,000 +-7 +2\.0 KiB +OPEN.*\nte #3 *\n4ec0d1f9…",
        stream.getvalue(),
    )


# 0.00 ms would say that it was fast.
def test_jobs():
    jobs = [
        JobState("export", "Orders", "0179\x1b", 0.4217, 130.0),
        JobState("backup", "Carts", "night", None, None),
        JobState("index", "Users", "", 0.5, None),
    ]
    text = shown(rates(BEFORE, msgspec.structs.replace(AFTER, jobs=jobs)))
    assert re.search(r"Job +done +left", text)
    assert re.search(r"export Orders 0179\N{REPLACEMENT CHARACTER} +42\.2 % +2 min", text)
    assert re.search(r"backup Carts night +- +-", text)
    assert re.search(r"index Users +50\.0 % +-", text)
    assert "Job" not in shown(rates(BEFORE, AFTER))


def test_what_did_not_run_has_no_latency():
    text = shown(rates(AFTER, msgspec.structs.replace(AFTER, at_ns=AFTER.at_ns + 10**9)))
    assert "commit: none; log write and sync: none" in text
    assert re.search(r"PutItem +0\.0 +0\.0 +- +-", text)
    assert "0.00 ms" not in text


def test_keys_seen_once_are_not_hot():
    keys = KeyCounts(3, [KeyCount("T", "twice", 2), KeyCount("T", "once", 1)])
    text = shown(rates(BEFORE, msgspec.structs.replace(AFTER, hot_keys=keys)))
    assert "twice" in text
    assert "once" not in text
    none = KeyCounts(1, [KeyCount("T", "once", 1)])
    text = shown(rates(BEFORE, msgspec.structs.replace(AFTER, hot_keys=none)))
    assert "No partition key was seen more than once in the sample." in text


def test_keys_that_are_not_shown_are_said_to_be():
    assert "--hot-keys on" in shown(rates(BEFORE, msgspec.structs.replace(AFTER, hot_keys=None)))


# Whoever writes an item must not write to the operator's terminal.
def test_keys_do_not_move_the_cursor():
    keys = KeyCounts(2, [KeyCount("T", "\x1b[2Jred[bold]\n\x07", 2)])
    text = shown(rates(BEFORE, msgspec.structs.replace(AFTER, hot_keys=keys)))
    assert "\ufffd[2Jred[bold]\ufffd\ufffd" in text


@contextlib.contextmanager
def under_load(url):
    """Puts and gets, most of them of one key, as fast as they are answered."""
    ended = threading.Event()

    def load():
        client = Client(url)
        number = 0
        while not ended.is_set():
            number += 1
            key = {"S": "hot"} if number % 4 else {"S": f"cold{number}"}
            client.call("PutItem", TableName="Orders", Item={"p": key})
            client.call("GetItem", TableName="Orders", Key={"p": key})
        client.close()

    thread = threading.Thread(target=load)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def has_hot_key(url):
    """Whether a key was sampled more than once."""
    return any(each["count"] > 1 for each in json.loads(_get(url, "/top.json"))["hot_keys"]["keys"])


def test_one_frame_of_a_server_under_load(tmp_path):
    with serving("--data", str(tmp_path / "data")) as (_, printed):
        url = re.search(r"listens on (http://\S+)", printed)[1]
        client = Client(url)
        client.call("CreateTable", **TABLE)
        with under_load(url):
            # One request of 32 is sampled, and only for ten seconds after somebody has asked.
            until(lambda: has_hot_key(url))
            interval = str(min(5.0, seconds(1)))
            answer = run("top", "--endpoint", url, "--once", "--interval", interval, COLUMNS="120")
        scraped = _get(url, "/metrics")
        client.close()
    assert (answer.returncode, answer.stderr) == (0, "")
    text = answer.stdout
    assert re.search(r"PutItem +[1-9][\d,.]* +0\.0 +\d+\.\d\d ms", text)
    assert re.search(r"GetItem +[1-9][\d,.]* +0\.0 +\d+\.\d\d ms", text)
    assert re.search(r"Orders +[1-9][\d,.]* +[1-9][\d,.]* +[1-9]", text)
    assert re.search(r"Orders +\d+\.\d % +hot", text)
    assert re.search(r"[1-9][\d,]* writes/s, [1-9][\d,]* commits/s", text)
    assert 'hashrange_requests_total{code="OK",operation="PutItem"}' in scraped


# After each page it waits for a second, twenty times. Of workers, the writer does it.
@pytest.mark.parametrize(
    "more",
    [
        pytest.param((), id="one process"),
        pytest.param(("--workers", "2"), id="workers", marks=pytest.mark.long),
    ],
)
def test_jobs_and_how_far_they_are(more, tmp_path):
    value = {"S": "v" * 100_000}
    records = [{"Item": {"p": {"S": f"p{number}"}, "v": value}} for number in range(200)]
    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / "in.json").write_text("\n".join(map(json.dumps, records)))
    places = ("--data", str(tmp_path / "data"), "--s3", f"bucket={tmp_path / 'bucket'}")
    with serving(*places, *more) as (_, printed):
        url = re.search(r"listens on (http://\S+)", printed)[1]
        client = Client(url)
        client.call("CreateTable", **TABLE)
        client.call(
            "StartBulkPutItems",
            TableName="Orders",
            InputS3Configuration={
                "S3Bucket": "bucket",
                "S3KeyPrefix": "in",
                "InputFormat": "DYNAMODB_JSON",
            },
            OutputS3Configuration={"S3Bucket": "bucket", "OutputType": ["ERROR"]},
            MaxWriteRequestUnits=1024,
        )
        client.close()
        until(lambda: any(each["share"] for each in json.loads(_get(url, "/top.json"))["jobs"]))
        text = run("top", "--endpoint", url, "--once", "--interval", "0.1", COLUMNS="120").stdout
    assert re.search(r"bulk Orders \S+ +\d+\.\d % +(-|\d+ \w+)", text)


def _get(url, path):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=seconds(30))
    connection.request("GET", path)
    with contextlib.closing(connection):
        return connection.getresponse().read().decode()


def test_top_says_what_a_server_is_not_there_in_one_line():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        answer = run("top", "--endpoint", url, "--once")
    assert answer.returncode == 1
    assert answer.stderr == f"hashrange: {url} does not answer: Connection refused\n"


# Where others may reach it, who may see rates need not see keys.
def test_a_server_that_others_reach_shows_no_keys():
    with serving("--memory", "--host", "0.0.0.0") as (_, printed):
        port = re.search(r"listens on \S+:(\d+)", printed)[1]
        assert json.loads(_get(f"http://127.0.0.1:{port}", "/top.json"))["hot_keys"] is None
