"""Log lines: their form, and what never stands in them."""

import io
import json
import logging
from pathlib import Path

import pytest

from hashrange.observe.logs import configure


@pytest.fixture
def logged():
    """Configures the log and gives what was written; restores the root logger."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    root.handlers = []
    stream = io.StringIO()

    def start(**options):
        configure(stream=stream, **options)
        return stream

    yield start
    root.handlers = before
    root.setLevel(level)


def test_json_lines(logged):
    stream = logged(level="info", as_json=True)
    log = logging.getLogger("hashrange.test")
    log.debug("not this")
    log.warning("two %s", "words", extra={"operation": "GetItem", "duration_ms": 1.5})
    line = json.loads(stream.getvalue())
    assert line.pop("ts").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "hashrange.test",
        "message": "two words",
        "operation": "GetItem",
        "duration_ms": 1.5,
    }


def test_text_lines(logged):
    stream = logged(level="DEBUG", as_json=False)
    logging.getLogger("hashrange.test").debug("message", extra={"status": 200})
    time, rest = stream.getvalue().split(" ", 1)
    assert len(time) == len("2026-11-21T10:00:00.000Z")
    assert rest == "DEBUG hashrange.test: message status=200\n"


def test_a_second_configuration_replaces_the_first(logged):
    logged(level="info", as_json=True)
    stream = logged(level="info", as_json=False)
    logging.getLogger().info("once")
    assert stream.getvalue().count("once") == 1


@pytest.mark.parametrize("as_json", [True, False])
def test_other_fields_are_left_out(logged, as_json):
    stream = logged(level="info", as_json=as_json)
    logging.getLogger().info("message", extra={"item": "secret", "authorization": "secret"})
    assert "secret" not in stream.getvalue()


# A KeyError quotes the key: an attribute's name or value, as often as not.
@pytest.mark.parametrize("as_json", [True, False])
def test_exceptions_are_logged_without_what_they_quote(logged, as_json):
    stream = logged(level="info", as_json=as_json)
    try:
        try:
            {}["secret"]
        except KeyError as error:
            raise ValueError("secret, too") from error
    except ValueError:
        logging.getLogger().exception("a request failed")
    text = stream.getvalue()
    assert "secret" not in text
    assert text.index("KeyError") < text.index("ValueError")
    assert "test_logs.py" in text
    assert "test_exceptions_are_logged_without_what_they_quote" in text


def test_exceptions_about_the_machine_say_what_is_wrong(logged):
    stream = logged(level="info", as_json=True)
    try:
        Path("no such file").read_bytes()
    except OSError:
        logging.getLogger().exception("a read failed")
    assert "No such file or directory: 'no such file'" in json.loads(stream.getvalue())["failure"]


def test_values_that_json_does_not_know_are_written_as_text(logged):
    stream = logged(level="info", as_json=True)
    logging.getLogger().info("message", extra={"fault": ValueError})
    assert json.loads(stream.getvalue())["fault"] == str(ValueError)
