import sys
from pathlib import Path

import msgspec
import pytest

from hashrange.settings.kinds import Durability, LogLevel
from hashrange.settings.rows import ROWS
from hashrange.settings.settings import Settings
from hashrange.settings.sources import client_endpoint, load, shown_settings, texts_of
from hashrange.settings.texts import SettingError
from tests.rows import rows


def test_defaults_bind_to_loopback_and_are_durable():
    settings = load({}, {})
    assert settings == Settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.durability is Durability.FULL
    assert not settings.memory


def test_flag_wins_over_variable_and_variable_over_default():
    environment = {"HASHRANGE_PORT": "9001", "HASHRANGE_LOG_LEVEL": "error"}
    settings = load({"port": "9002"}, environment)
    assert (settings.port, settings.log_level) == (9002, LogLevel.ERROR)


NEEDED = {
    "requests_per_second_max": {"auth": "required"},
    "audit_data_events": {"audit": "audit-log"},
    "tls_cert": {"tls_key": "key.pem"},
    "tls_key": {"tls_cert": "cert.pem"},
    "tls_client_ca": {"tls": "self-signed"},
    "encrypt": {"encryption_key_file": "key"},
    "encryption_key_file": {"encrypt": "true"},
    "encryption_key_command": {"encrypt": "true"},
    "encryption_key": {"encrypt": "true"},
    "backup_to": {"backup_every": "6h"},
    "backup_every": {"backup_to": "backups"},
    "peer": {"regions": "us-east-1"},
    "peer_key_file": {"regions": "us-east-1", "peer": "eu-west-1=http://127.0.0.1:8001"},
    "peer_ca": {"regions": "us-east-1", "peer": "eu-west-1=http://127.0.0.1:8001"},
}
"""Settings that others need."""
SAMPLES = {
    "host": "localhost",
    "account": "123456789012",
    "data": "elsewhere",
    "fault": "PutItem:orders:0.01:ThrottlingException",
    "latency": "GetItem:p50=5ms,p99=40ms",
    "replication_cut": "us-east-1:*:10s-60s",
    "replica_lag": "200ms",
    "realism_seed": "7",
    "s3": "exports=/srv/exports",
    "archive": "orders=off",
    "alarm_webhook": "arn:aws:sns:us-east-1:123456789012:page=http://127.0.0.1:9000/hook",
    "kinesis_endpoint": "arn:aws:kinesis:eu-west-1:*:stream/*=http://127.0.0.1:8001",
    "regions": "us-east-1,eu-west-1",
    "console_endpoint": "other=http://127.0.0.1:8001;aws=https://dynamodb.eu-west-1.amazonaws.com",
    "peer": "ap-south-1=http://127.0.0.1:8001",
    "backup_to": "s3://backups",
    "backup_every": "6h",
    "backup_keep": "last=7,daily=14",
    "metrics_token": "the-token-of-the-operator",
    "traces_to": "http://127.0.0.1:4318",
}


def plain(settings):
    """Without where each setting comes from."""
    return msgspec.structs.replace(settings, origins={})


# The table is only complete if each row can be set both ways.
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_setting_is_read_from_flag_and_variable(row):
    text = SAMPLES.get(row.name, "7")
    if "|" in row.kind.form and row.name not in SAMPLES:
        text = next(each for each in row.kind.form.split(" | ") if each != str(row.default).lower())
    others = NEEDED.get(row.name, {})
    by_flag = load({row.name: text, **others}, {})
    assert plain(by_flag) == plain(load(others, {row.variable: text}))
    assert getattr(by_flag, row.name) != row.default
    assert type(getattr(by_flag, row.name)) in {type(row.default), type(Path()), int, str}


@rows(
    ("name", "text", "expected"),
    [
        ("port", "eight", "--port: 'eight' is not a whole number from 0 to 65535"),
        ("port", "65536", "--port: '65536' is not a whole number from 0 to 65535"),
        ("port", "-1", "--port: '-1' is not a whole number from 0 to 65535"),
        ("port", "8_000", "--port: '8_000' is not a whole number from 0 to 65535"),
        ("port", "٨", "--port: '٨' is not a whole number from 0 to 65535"),
        ("port", "", "--port: '' is not a whole number from 0 to 65535"),
        ("port", "9" * 5000, "is not a whole number from 0 to 65535"),
        ("host", " ", "--host: ' ' is not a text that is not blank"),
        ("data", "a\0b", r"--data: 'a\x00b' is not a text without NUL"),
        ("data", "~nobody-here/x", "--data: '~nobody-here/x' is not in the home of a user"),
        ("console_endpoint", "x=ftp://h", "is not NAME=URL, where URL is such as http://127"),
        ("console_endpoint", "x=http://a:b@h/", "is not NAME=URL, where URL is such as http://127"),
        ("console_endpoint", "x=http://h/path", "is not NAME=URL, where URL is such as http://127"),
        ("console_endpoint", "x=http://h;x=http://i", "is not NAME=URL, each name once"),
        ("console_endpoint", "=http://h", "is not NAME=URL, each name once"),
        ("console_endpoint", ";", "is not one to 20 endpoints"),
        ("durability", "some", "--durability: 'some' is not full or relaxed"),
        ("verify_reads", "some", "--verify-reads: 'some' is not off or first or always"),
        ("memory", "maybe", "--memory: 'maybe' is not true or false"),
        ("cors", "a.example", "--cors: 'a.example' is not local, * or a list of origins as https"),
        ("cors", "https://a.example/x", "--cors: 'https://a.example/x' is not local, * or a"),
        ("cors", "null", "--cors: 'null' is not local, * or a list of origins"),
        ("cors", "local,", "--cors: 'local,' is not local, * or a list of origins"),
        ("hosts", "a.example:80", "--hosts: 'a.example:80' is not * or a list of host names"),
        ("hosts", "a b", "--hosts: 'a b' is not * or a list of host names"),
        ("hosts", "a*.example", "--hosts: 'a*.example' is not * or a list of host names"),
        ("hosts", "", "--hosts: '' is not * or a list of host names"),
        ("log_level", "a\nb", r"--log-level: 'a\nb' is not debug or info or warning or error"),
    ],
)
def test_bad_value_is_refused_in_one_line(name, text, expected):
    with pytest.raises(SettingError) as refused:
        load({name: text}, {})
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["true", "TRUE", "1", "yes", "on"])
def test_switch_reads_the_usual_words(text):
    assert load({}, {"HASHRANGE_MEMORY": text}).memory
    assert not load({}, {"HASHRANGE_MEMORY": "off"}).memory


# A misspelt variable that is ignored is a setting that silently does not hold.
def test_unknown_variable_is_refused_and_the_nearest_named():
    with pytest.raises(
        SettingError, match=r"HASHRANGE_PRT is not a setting; the nearest is HASHRANGE_PORT$"
    ):
        load({}, {"HASHRANGE_PRT": "1", "PATH": "/bin"})


# A Service of this name makes Kubernetes set these in every pod beside it.
@pytest.mark.parametrize(
    "environment",
    [
        {"HASHRANGE_PORT": "tcp://10.0.0.1:8000"},
        {"HASHRANGE_SERVICE_HOST": "10.0.0.1"},
        {"HASHRANGE_PORT_8000_TCP_PROTO": "tcp"},
    ],
)
def test_variables_of_a_kubernetes_service_are_explained(environment):
    with pytest.raises(SettingError, match="enableServiceLinks"):
        load({}, environment)


def test_memory_refuses_a_directory_on_the_same_command_line():
    with pytest.raises(SettingError, match="--data"):
        load({"memory": "true", "data": "d"}, {})
    # An image may set the variable for all; the option then decides for one run.
    assert load({"memory": "true"}, {"HASHRANGE_DATA": "/data"}).memory


def test_home_is_expanded_in_directories():
    assert load({}, {"HASHRANGE_DATA": "~/tables"}).data == Path.home() / "tables"


def test_without_an_environment_that_of_the_process_is_read(process_environment):
    process_environment(HASHRANGE_PORT="9003")
    assert load({}).port == 9003


def file(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_lists_are_read_in_one_form():
    settings = load({"cors": "https://A.example/, local", "hosts": "DB.example., *.internal"}, {})
    assert settings.cors == "https://a.example,local"
    assert settings.hosts == "db.example,*.internal"


# The table is only complete if each row can be set in a file too.
def test_each_setting_is_read_from_a_file(tmp_path):
    values = {}
    for row in ROWS:
        match row.default:
            case None if row.name in {"workers", "backup_to", "backup_every"}:
                continue  # do not go with --memory
            case _ if "encrypt" in row.name and row.name != "accept_encryption_requests":
                continue  # nor does this
            case _ if row.name in SAMPLES and row.name != "data":
                values[row.name] = repr(SAMPLES[row.name])
            case None if row.kind.form[:1].isdigit():
                values[row.name] = "7"
            case bool():
                values[row.name] = str(not row.default).lower()
            case int():
                values[row.name] = "7"
            case _ if row.name == "account":
                values[row.name] = "'123456789012'"
            case _ if "|" in row.kind.form:
                values[row.name] = repr(row.kind.form.split(" | ")[-1])
            case _:
                values[row.name] = "'elsewhere'"
    text = "".join(f"{name} = {value}\n" for name, value in values.items())
    config = file(tmp_path, text)
    flags = {name: value.strip("'") for name, value in values.items() if name != "data"}
    expected = load(flags, {"HASHRANGE_DATA": "elsewhere"})
    assert plain(load({}, {}, config=config)) == plain(expected)
    assert plain(load({}, {"HASHRANGE_CONFIG": config})) == plain(expected)


@pytest.mark.parametrize(
    ("more", "refusal"),
    [
        ({"workers": "0"}, "--workers: '0' is not a whole number from 1 to 64"),
        ({"memory": "true"}, "--workers cannot be combined with --memory"),
        ({"engine": "postgresql://db/app"}, "--workers works with SQLite only"),
    ],
)
def test_workers_are_refused_where_they_share_nothing(more, refusal):
    with pytest.raises(SettingError, match=refusal):
        load({"workers": "2", **more}, {})


# One server would delete what for the others has not expired.
def test_testing_is_refused_where_other_servers_may_be():
    assert load({"testing": "true", "workers": "2"}, {}).testing
    with pytest.raises(SettingError, match="--testing is for SQLite"):
        load({"testing": "true", "engine": "postgresql://db/app"}, {})


def test_clients_go_where_sdks_go():
    assert client_endpoint({}) == "http://127.0.0.1:8000"
    assert client_endpoint({"AWS_ENDPOINT_URL_DYNAMODB": ""}) == "http://127.0.0.1:8000"
    assert client_endpoint({"AWS_ENDPOINT_URL_DYNAMODB": "http://h:1"}) == "http://h:1"
    assert client_endpoint({"AWS_ENDPOINT_URL": "http://h:2"}) == "http://h:2"
    both = {"AWS_ENDPOINT_URL": "http://h:2", "AWS_ENDPOINT_URL_DYNAMODB": "http://h:1"}
    assert client_endpoint(both) == "http://h:1"


def test_workers_are_refused_on_windows(monkeypatch):
    assert load({"workers": "2"}, {}).workers == 2
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SettingError, match="Windows"):
        load({"workers": "2"}, {})


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        ({"encrypt": "true"}, "--encrypt needs a key: --encryption-key-file, --encryption-key-c"),
        ({"encryption_key": "k"}, "HASHRANGE_ENCRYPTION_KEY needs --encrypt"),
        ({"encrypt": "true", "encryption_key": "k", "encryption_key_file": "k"}, "exclude each"),
        ({"encrypt": "true", "encryption_key": "k", "memory": "true"}, "--memory, which keeps"),
        ({"encrypt": "true", "encryption_key": "k", "engine": "postgresql://x"}, "on PostgreSQL"),
    ],
)
def test_encryption_needs_one_key_and_a_directory(texts, text):
    with pytest.raises(SettingError, match=text):
        load(texts, {})


def test_a_secret_is_not_shown():
    settings = load({"encrypt": "true"}, {"HASHRANGE_ENCRYPTION_KEY": "the-secret"})
    assert settings.encryption_key == "the-secret"
    assert "the-secret" not in repr(settings)
    with pytest.raises(SettingError, match="HASHRANGE_ENCRYPTION_KEY is not a text") as caught:
        load({}, {"HASHRANGE_ENCRYPTION_KEY": "the-secret\0"})
    assert "the-secret" not in str(caught.value)


# What a supervisor hands to its workers.
def test_settings_come_back_from_their_texts():
    chosen = {"port": "9000", "triggers": "t.toml", "workers": "3", "stop_with_input": "true"}
    for settings in (Settings(), load(chosen, {})):
        assert plain(load(texts_of(settings), {})) == plain(settings)


def test_flag_and_variable_win_over_the_file(tmp_path):
    config = file(tmp_path, "port = 9001\nlog_level = 'error'\ndrain_seconds = 1\n")
    environment = {"HASHRANGE_PORT": "9002", "HASHRANGE_LOG_LEVEL": "debug"}
    settings = load({"port": "9003"}, environment, config=config)
    assert (settings.port, settings.log_level, settings.drain_seconds) == (9003, LogLevel.DEBUG, 1)


# Two files: the one on the command line is meant.
def test_file_of_the_flag_wins_over_that_of_the_variable(tmp_path):
    config = file(tmp_path, "port = 9001")
    assert load({}, {"HASHRANGE_CONFIG": "none.toml"}, config=config).port == 9001


# A file that lies about must not decide how a server runs.
@pytest.mark.usefixtures("in_tmp_path")
def test_no_file_is_read_that_was_not_named(tmp_path):
    (tmp_path / "hashrange.toml").write_text("port = 9001")
    assert load({}, {}) == Settings()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prot = 1", "prot is not a setting; the nearest is port"),
        ("[server]\nport = 1", "server is not a setting; the nearest is "),
        ("log-level = 'info'", "log-level is not a setting; the nearest is log_level"),
        ("port = 70000", "port: '70000' is not a whole number from 0 to 65535"),
        ("port = true", "port: True is not 0..65535"),
        ("port = 8000.5", "port: 8000.5 is not 0..65535"),
        ("memory = 1", "memory: 1 is not true | false"),
        ("memory = 'true'", "memory: 'true' is not true | false"),
        ("host = ['a']", "host: ['a'] is not TEXT"),
        ("durability = 'some'", "durability: 'some' is not full or relaxed"),
        ("port 8000", "Expected '=' after a key"),
        ("port = 1\nport = 2", "Cannot overwrite a value"),
        ("data = " + "[" * 5000, "it is nested too deep"),
    ],
)
def test_bad_file_is_refused_in_one_line(tmp_path, text, expected):
    config = file(tmp_path, text)
    with pytest.raises(SettingError) as refused:
        load({}, {}, config=config)
    assert str(refused.value).startswith(f"--config {config}: {expected}")
    assert "\n" not in str(refused.value)


# Editors on Windows write it without being asked.
def test_byte_order_mark_before_a_file_is_no_fault(tmp_path):
    assert load({}, {}, config=file(tmp_path, "\ufeffport = 9001")).port == 9001


def test_file_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    for name in ("none.toml", ".", "bytes.toml"):
        with pytest.raises(SettingError, match="--config"):
            load({}, {}, config=str(tmp_path / name))


# Signatures protect what the defaults protect without them; a choice of the operator stays.
def test_verified_signatures_change_the_defaults_of_what_they_protect():
    settings = load({}, {})
    assert (settings.allowed_origins, settings.allowed_hosts) == ("local", None)
    assert (settings.address_connections_max, settings.shows_hot_keys) == (None, True)
    settings = load({"auth": "required", "connections_max": "5"}, {})
    assert (settings.allowed_origins, settings.allowed_hosts) == ("*", "*")
    assert (settings.address_connections_max, settings.shows_hot_keys) == (3, False)
    chosen = {
        "auth": "required",
        "cors": "local",
        "hosts": "db.example",
        "connections_per_address_max": "1000",
        "hot_keys": "on",
    }
    settings = load(chosen, {})
    assert (settings.allowed_origins, settings.allowed_hosts) == ("local", "db.example")
    assert (settings.address_connections_max, settings.shows_hot_keys) == (1000, True)


def test_requests_of_users_are_limited_only_if_there_are_users():
    with pytest.raises(SettingError, match="--requests-per-second-max needs --auth required"):
        load({"requests_per_second_max": "7"}, {})


# So a process of a server gets the settings of its supervisor.
def test_texts_of_the_defaults_can_be_read():
    assert plain(load(texts_of(Settings()), {})) == Settings()


def test_each_setting_says_where_it_comes_from(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('port = 9000\nlog_level = "error"\nregions = "us-east-1,eu-west-1"\n')
    environment = {"HASHRANGE_LOG_LEVEL": "debug", "HASHRANGE_CONFIG": str(file)}
    shown = {each.name: each for each in shown_settings(load({"memory": "true"}, environment))}
    assert {name: each.origin for name, each in shown.items() if each.origin is not None} == {
        "port": f"--config {file}",
        "log_level": "HASHRANGE_LOG_LEVEL",
        "regions": f"--config {file}",
        "memory": "--memory",
        "namespaces": "--regions",
    }
    assert (shown["memory"].value, shown["memory"].default) == ("true", "false")
    assert shown["host"].value == "127.0.0.1"


def test_secrets_are_not_shown():
    url = "postgresql://app:s3cret%40@db.example/app"
    shown = {each.name: each.value for each in shown_settings(load({"engine": url}, {}))}
    assert shown["engine"] == "postgresql://app:***@db.example/app"
    secret = [row for row in ROWS if row.kind.secret]
    assert secret
    settings = msgspec.structs.replace(Settings(), **{row.name: "s3cret" for row in secret})
    assert [each for each in shown_settings(settings) if "s3cret" in each.value] == []
