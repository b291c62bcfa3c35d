"""Many sets of tables behind one address: python router.py ROUTES.JSON [PORT].

ROUTES.JSON is read again when it changes; see docs/many-databases.md:
{"default": "http://127.0.0.1:8001", "tables": {"Orders": "http://127.0.0.1:8002", "Users": null}}
Requests about tables that are null get 503, which SDKs send again: they wait for a switch.
"""

import http.client
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

UNAVAILABLE = b'{"__type": "ServiceUnavailable", "message": "The table moves; try again"}'
APART = b'{"__type": "ValidationException", "message": "These tables are not in one database"}'
NAMING = ("TableName", "ResourceArn", "StreamArn", "TableArn", "SourceTableArn")
ENDS = {"connection", "transfer-encoding", "content-length"}


def tables_in(request):
    """The names of all tables of a request, which may name them by ARNs."""
    names = [request[each] for each in NAMING if each in request] + [
        *request.get("RequestItems", ())
    ]
    names += [
        each["TableName"] for one in request.get("TransactItems", ()) for each in one.values()
    ]
    return {name.partition(":table/")[2].partition("/")[0] or name for name in names}


class Router(BaseHTTPRequestHandler):
    """Sends each request on, unchanged, to the servers of its table."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Requests with a signature pass as they are: the header Host is the client's."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        routes = json.loads(self.server.routes.read_text("utf-8"))
        names = tables_in(json.loads(body or b"{}"))
        found = {routes["tables"].get(name, routes["default"]) for name in names}
        target, *more = found or {routes["default"]}
        if None in found or more:
            return self.answer(*((503, UNAVAILABLE) if None in found else (400, APART)))
        connection = http.client.HTTPConnection(urlsplit(target).netloc, timeout=60)
        connection.request("POST", self.path, body, dict(self.headers))
        answer = connection.getresponse()
        return self.answer(answer.status, answer.read(), answer.getheaders())

    def answer(self, status, body, headers=(("Content-Type", "application/x-amz-json-1.0"),)):
        """Answer the client."""
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ENDS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    port = int(sys.argv[2]) if sys.argv[2:] else 8000
    server = ThreadingHTTPServer(("127.0.0.1", port), Router)
    server.routes = Path(sys.argv[1])
    print(f"listens on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
