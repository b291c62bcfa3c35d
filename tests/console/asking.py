"""Requests to the routes of the console, without a browser."""

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

from tests.pace import seconds

TARGET = {"X-Amz-Target": "DynamoDB_20120810.ListTables"}
JSON = {"Content-Type": "application/x-amz-json-1.0"}


def ask(endpoint, method, path, headers=(), body=None):
    """Status, headers and body of one request."""
    connection = HTTPConnection(urlsplit(endpoint).netloc, timeout=seconds(20))
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    found = answer.status, dict(answer.headers), answer.read()
    connection.close()
    return found


def session_of(answer):
    """The headers of a session, of the answer to its sign-in."""
    status, headers, body = answer
    assert status == 200
    cookie = headers["Set-Cookie"].partition(";")[0]
    return {"Cookie": cookie, "X-Console-Proof": json.loads(body)["proof"]}


def post(endpoint, route, body=b"{}", **headers):
    """A request as a page of the console sends it."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Origin": endpoint, **JSON, **named}
    return ask(endpoint, "POST", f"/_console/api/{route}", sent, data)


def call(endpoint, operation, request=None, **headers):
    """An operation by way of the console: the status, and the answer."""
    target = f"DynamoDB_20120810.{operation}"
    status, _, body = post(endpoint, "aws", request or {}, X_Amz_Target=target, **headers)
    return status, json.loads(body)
