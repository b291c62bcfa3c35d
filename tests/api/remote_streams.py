"""A server of Kinesis streams that answers as a test wants, and keeps the records that it took."""

import json
import threading
from base64 import b64decode
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

THROTTLED = "ProvisionedThroughputExceededException"


class RemoteServer:
    """A server.

    Attributes:
        url: of it.
        taken: the changes that it took, in their order.
        sent: how often each was sent, by its id.
        refuse: gets the position of a record among all that were sent; a code refuses it.
        fault: the status and the body of the answer to each request; None to answer them.
    """

    def __init__(self):
        self.url = ""
        self.taken = []
        self.sent = Counter()
        self.refuse = lambda _at: None
        self.fault = None
        self._at = 0
        self._lock = threading.Lock()

    def answer(self, operation, request):
        if self.fault is not None:
            return self.fault
        if operation != "PutRecords":
            return 200, {}
        with self._lock:
            entries = [self._entry(each) for each in request["Records"]]
        failed = sum("ErrorCode" in each for each in entries)
        return 200, {"FailedRecordCount": failed, "Records": entries}

    def _entry(self, record):
        change = json.loads(b64decode(record["Data"]))
        self.sent[change["eventID"]] += 1
        self._at += 1
        code = self.refuse(self._at)
        if code is not None:
            return {"ErrorCode": code, "ErrorMessage": "not now"}
        self.taken.append(change)
        return {"SequenceNumber": str(self._at), "ShardId": "shardId-000000000000"}

    def numbers(self):
        """The values of `n` in the changes that it took, by the keys of their items."""
        found = {}
        for each in self.taken:
            image = each["dynamodb"]["NewImage"]
            found.setdefault(image["pk"]["S"], []).append(int(image["n"]["N"]))
        return found


@contextmanager
def remote_server():
    """Runs a server within it."""
    server = RemoteServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            operation = self.headers["X-Amz-Target"].rpartition(".")[2]
            status, answer = server.answer(operation, json.loads(body))
            text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        server.url = f"http://127.0.0.1:{listener.server_port}"
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()
