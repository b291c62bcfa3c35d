"""What Celery stores in the server whose URL is the argument: a JSON object, step by step.

Its workers are threads of this process, and its broker is a queue in memory.
"""

import json
import sys
from urllib.parse import urlsplit

import boto3
from celery import Celery, chord, group
from celery.contrib.testing.worker import start_worker

# It asks every half a second by itself.
PATIENCE = {"timeout": 60, "interval": 0.02}
TABLE = "celery-results"


def backend(options):
    place = urlsplit(sys.argv[1])
    return f"dynamodb://local:local@{place.hostname}:{place.port}/{TABLE}?{options}"


app = Celery("tasks", broker="memory://", backend=backend("read=5&write=6&ttl_seconds=3600"))
app.conf.broker_transport_options = {"polling_interval": 0.01}
client = boto3.client("dynamodb", endpoint_url=sys.argv[1])


@app.task
def add(one, other):
    return one + other


@app.task
def total(numbers):
    return sum(numbers)


@app.task(throws=(KeyError,))
def fail():
    raise KeyError("nothing")


def results():
    sent = [add.delay(number, number) for number in range(30)]
    return [result.get(**PATIENCE) for result in sent] == list(range(0, 60, 2))


def failure():
    result = fail.delay()
    try:
        result.get(**PATIENCE)
    except KeyError as error:
        return [repr(error), result.state]


def groups():
    return group(add.s(number, 1) for number in range(5))().get(**PATIENCE)


# The task behind a chord runs when an atomic counter has counted the ten before it.
def chords():
    return chord([add.s(number, 1) for number in range(10)])(total.s()).get(**PATIENCE)


def forgotten():
    result = add.delay(1, 1)
    result.get(**PATIENCE)
    result.forget()
    return app.AsyncResult(result.id).state


def table():
    described = client.describe_table(TableName=TABLE)["Table"]
    units = described["ProvisionedThroughput"]
    expiry = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    return [units["ReadCapacityUnits"], units["WriteCapacityUnits"], expiry["AttributeName"]]


# Another process finds the table and its time to live as they are.
def second_start():
    second = Celery("second", broker="memory://", backend=backend("ttl_seconds=60"))
    second.backend.set("key", "value")
    return second.backend.get("key").decode()


def main():
    steps = (results, failure, groups, chords, forgotten, table, second_start)
    with start_worker(app, perform_ping_check=False, concurrency=4, pool="threads"):
        seen = {step.__name__: step() for step in steps}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
