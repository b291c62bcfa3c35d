"""An API of S3 for tests: moto's server, in a process of its own."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import boto3

from tests.pace import seconds
from tests.ports import free_port

KEYS = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"}
"""Variables of the environment; moto takes any keys."""


@contextlib.contextmanager
def running() -> Iterator[str]:
    """The endpoint of a server, until the block ends."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "moto.server"]
    with subprocess.Popen(
        [*command, "-H", "127.0.0.1", "-p", str(port)],
        env=os.environ | KEYS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        # It logs each request, and waits once nobody has read the last 64 KB of them.
        reading = threading.Thread(target=process.stderr.read)
        try:
            # It says where it runs once it listens.
            for line in process.stderr:
                if f":{port}" in line:
                    break
            else:
                raise RuntimeError("moto's server has ended")
            reading.start()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=seconds(30))
            if reading.ident is not None:
                reading.join(timeout=seconds(30))


def client(endpoint: str):
    """boto3's client of S3."""
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )
