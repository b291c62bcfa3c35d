"""A real server in a process of its own, to be killed."""

import http.client
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hashrange.assembly import verifying
from hashrange.storage.engine import StorageError, StorageOpenError
from hashrange.storage.sqlite.directory import held_to_read
from hashrange.wire.exchange import target_of
from tests.forks import process_of
from tests.pace import seconds, until

AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=00"
)


class Server:
    """`hashrange serve` on a directory or URL and a free port, ready once it is made."""

    module = "hashrange"
    """That Python runs."""
    environment: dict[str, str] | None = None
    """None for that of the tests."""

    def __init__(self, place: Path | str, *options: str) -> None:
        is_database = isinstance(place, str) and "://" in place
        self._directory = None if is_database else Path(place)
        option = "--engine" if is_database else "--data"
        command = ["serve", "--port", "0", option, str(place), *options]
        if self.module == "hashrange":
            self._process = process_of(command, environment=self.environment)
        else:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module, *command],
                stdout=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
        assert self._process.stdout is not None
        # bound: the process ends or says where it listens.
        for line in self._process.stdout:
            if found := re.search(r"listens on (http://\S+)", line):
                self.url = found[1]
                return
        raise AssertionError(f"the server did not start: exit code {self._end()}")

    def kill(self) -> None:
        """As the kernel does it when memory is short: without a word.

        Workers end by themselves a moment later; the directory is free afterwards.
        """
        self._process.kill()
        self._end()
        until(self._is_free)

    def terminate(self) -> int:
        """As an operator does it; the exit code."""
        self._process.terminate()
        return self._end()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def ended(self) -> int:
        """The exit code, once it has ended by itself."""
        return self._end()

    def readiness(self) -> tuple[int, str]:
        """Status and text of `/readyz`; 0 and the error if nobody answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=seconds(30)) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()
        except (ConnectionError, urllib.error.URLError) as error:  # of a process that was killed
            return 0, str(error)

    def pause(self) -> None:
        """As a machine does that is suspended: it answers nothing, and keeps its connections."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on as if no time had passed."""
        self._process.send_signal(signal.SIGCONT)

    def _is_free(self) -> bool:
        if self._directory is None:
            return True
        try:
            with held_to_read(self._directory):
                return True
        except StorageOpenError:
            return False

    def _end(self) -> int:
        """The exit code; one that does not end, as it is stopped or hangs, is killed, and raises.

        A pipe or a process that was left would fail a later test, which has nothing to do with it.
        """
        assert self._process.stdout is not None
        try:
            return self._process.wait(seconds(30))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._process.stdout.close()


class Client:
    """One connection, without an SDK: it must not retry, for a retry is a second write."""

    def __init__(self, url: str, region: str = "us-east-1") -> None:
        self._authorization = AUTHORIZATION.replace("us-east-1", region)
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=seconds(30))

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        """The answer. Raises OSError or HTTPException if none came, RuntimeError for an error."""
        self.send(operation, **request)
        return self.answer()

    def send(self, operation: str, **request: Any) -> None:
        """Give a request to the kernel, which the server may read much later."""
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": target_of(operation).decode(),
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": self._authorization,
        }
        self._connection.request("POST", "/", json.dumps(request), headers)

    def answer(self) -> dict[str, Any]:
        """That of the request sent before; raises as `call`."""
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(answer)
        return answer

    def describe_stream(self, **request: Any) -> dict[str, Any]:
        """As `call`, under the name that boto3 has for it; so are the next two."""
        return self.call("DescribeStream", **request)

    def get_shard_iterator(self, **request: Any) -> dict[str, Any]:
        return self.call("GetShardIterator", **request)

    def get_records(self, **request: Any) -> dict[str, Any]:
        return self.call("GetRecords", **request)

    def close(self) -> None:
        """Give the socket back."""
        self._connection.close()


def verify(place: Path | str) -> str:
    """What `hashrange verify` finds, in this process; empty if the data are sound."""
    try:
        return "\n".join(verifying.verify(place))
    except (StorageOpenError, StorageError, OSError) as error:
        return str(error)
