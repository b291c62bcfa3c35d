"""What docs/clients.md tells people to write: taken out of it, to be run."""

import re
from pathlib import Path

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clients.md").read_text("utf-8")
ENDPOINT = "http://127.0.0.1:8000"


def documented(heading: str, endpoint: str) -> str:
    """The program under a heading, with the endpoint of the server that is there."""
    program = re.search(rf"### {heading}\n.*?```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert program, "the heading is gone"
    assert ENDPOINT in program[1]
    return program[1].replace(ENDPOINT, endpoint)


def variables(endpoint: str) -> dict[str, str]:
    """What the page tells people to export."""
    exports = re.findall(r"^export (.+)$", PAGE, re.MULTILINE)
    named = dict(word.split("=", 1) for line in exports for word in line.split())
    for name in ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_DYNAMODB_STREAMS"):
        assert named[name] == ENDPOINT
        named[name] = endpoint
    return named
