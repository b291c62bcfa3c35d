"""The file of triggers: what is read, and in which line what cannot be is refused."""

import uuid

import pytest

from hashrange.background.triggers.batches import ENDLESS
from hashrange.background.triggers.definitions import triggers_from
from hashrange.background.triggers.destinations import HttpEndpoint
from hashrange.background.triggers.errors import TriggerError

LEAST = """\
[[trigger]]
name = "mail"
table = "Orders"
destination = "http://127.0.0.1:9000/mail"
starting_position = "LATEST"
"""


@pytest.fixture
def read(tmp_path):
    def read(text, *, separate=False):
        path = tmp_path / "triggers.toml"
        path.write_text(text, encoding="utf-8")
        return triggers_from(path, retention_ms=1000, separate=separate)

    return read


def test_defaults_are_those_of_lambda(read):
    (trigger,) = read(LEAST)
    assert (trigger.name, trigger.table) == ("mail", "Orders")
    assert trigger.destination == HttpEndpoint("http://127.0.0.1:9000/mail")
    assert (trigger.batch_size, trigger.batch_window_ms) == (100, 0)
    assert (trigger.rules.retries, trigger.rules.age_ms_max) == (ENDLESS, ENDLESS)
    assert (trigger.rules.bisect, trigger.rules.partial) == (False, False)
    assert (trigger.filters, trigger.on_failure) == ((), None)


def test_all_keys_are_read(read, tmp_path):
    name = f"module_{uuid.uuid4().hex}"
    (tmp_path / f"{name}.py").write_text("def handle(event, context):\n    return event\n")
    (trigger,) = read(f"""\
[[trigger]]
name = "mail"
table = "Orders"
destination = "{name}:handle"
starting_position = "TRIM_HORIZON"
batch_size = 10000
batch_window_seconds = 300
filters = ['{{"eventName": ["INSERT"]}}']
retries = 0
maximum_age_seconds = 60
bisect_on_error = true
partial_batch_responses = true
on_failure = "failed.jsonl"
timeout_seconds = 900
""")
    assert trigger.destination.call(7, None) == 7
    assert trigger.starting_position == "TRIM_HORIZON"
    assert (trigger.batch_size, trigger.batch_window_ms) == (10_000, 300_000)
    assert len(trigger.filters) == 1
    assert (trigger.rules.retries, trigger.rules.age_ms_max) == (0, 60_000)
    assert (trigger.rules.bisect, trigger.rules.partial) == (True, True)
    assert trigger.on_failure == tmp_path / "failed.jsonl"
    assert trigger.timeout_seconds == 900


def test_no_trigger_is_none(read):
    assert read("") == []


# One line that names file, trigger and key: whoever starts the server reads nothing else.
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("batch_size = 0", "batch_size: 0 is not a whole number from 1 to 10000"),
        ("batch_size = true", "batch_size: True is not a whole number"),
        ("batch_size = 1.5", "batch_size: 1.5 is not"),
        ("batch_window_seconds = 301", "batch_window_seconds: 301 is not"),
        ("retries = -2", "retries: -2 is not -1, or a whole number from 0 to 10000"),
        ("maximum_age_seconds = 59", "maximum_age_seconds: 59 is not -1, or"),
        ("bisect_on_error = 1", "bisect_on_error: 1 is neither true nor false"),
        ("filters = '{}'", "filters: '{}' is not a list"),
        ("filters = [1]", "filters: pattern 1 is not a string"),
        ("filters = ['{\"a\": [1]}', '{']", "filters: pattern 2: it is not JSON"),
        ("timeout_seconds = 0", "timeout_seconds: 0 is not"),
        ("on_failure = ''", "on_failure: '' is not the name of a file"),
        ("on_failure = 'no/such/folder'", "no/such/folder: No such file or directory"),
        ("batch_sise = 1", "batch_sise is not a key; the nearest is batch_size"),
        ("parallelization_factor = 2", "parallelization_factor: hashrange does not support it"),
        ("tumbling_window_seconds = 2", "tumbling_window_seconds: hashrange does not support it"),
    ],
)
def test_key_that_cannot_be_is_refused(read, line, told):
    with pytest.raises(TriggerError) as refused:
        read(LEAST + line + "\n")
    text = str(refused.value)
    assert told in text
    assert "triggers.toml: trigger mail: " in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[", "triggers.toml: "),
        ("[[triggers]]\nname = 'a'", "triggers: a file of triggers has [[trigger]] tables only"),
        ("trigger = 1", "trigger: a file of triggers"),
        (LEAST.replace('"LATEST"', '"AT_TIMESTAMP"'), "neither LATEST nor TRIM_HORIZON"),
        (LEAST.replace('starting_position = "LATEST"', ""), "starting_position is missing"),
        (LEAST.replace('name = "mail"', ""), "trigger 1: name is missing"),
        (LEAST.replace('"mail"', '"a:b"'), "name: 'a:b' is not 1 to 100 letters"),
        (LEAST.replace('"Orders"', '"a b"'), "table: 'a b' is not the name of a table"),
        (LEAST.replace('"Orders"', '"000000000000:eu-west-1:Orders"'), "is not a name"),
        (LEAST + LEAST, "trigger mail: name: another trigger has it"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "ftp://a"), "neither http://… nor"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "http://"), "is not a URL"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "http://a:99999/"), "out of range"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "http://u:p@a/"), "is not a URL"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "no_such_module:f"), "ModuleNotFoundError"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "json:no_such"), "AttributeError"),
        (LEAST.replace("http://127.0.0.1:9000/mail", "json:__doc__"), "is not a plain"),
        # A coroutine that nobody awaits would be a success that did nothing.
        (LEAST.replace("http://127.0.0.1:9000/mail", "asyncio:sleep"), "is not a plain function"),
    ],
)
def test_file_that_cannot_be_is_refused(read, text, told):
    with pytest.raises(TriggerError) as refused:
        read(text)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TriggerError, match="No such file"):
        triggers_from(tmp_path / "none.toml", retention_ms=1, separate=False)


# With shared tables a namespace would wait for ever for a table that cannot come.
def test_tables_have_namespaces_where_callers_do(read):
    assert read(LEAST, separate=True)[0].table == "Orders"
    named = LEAST.replace('"Orders"', '"123456789012:eu-west-1:Orders"')
    assert read(named, separate=True)[0].table == "123456789012:eu-west-1:Orders"
