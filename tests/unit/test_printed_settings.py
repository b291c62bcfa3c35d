"""Settings as `hashrange serve --help` and `--print-config` print them."""

import re
import tomllib

from hashrange.settings.rows import ROWS
from hashrange.settings.sources import config_text, load, texts_of
from tests.unit.processes import run


def test_help_of_serve_has_its_options_by_subject():
    sections = re.findall(
        r"^(\w[^\n]*):\n((?:  .*\n)+)", run("serve", "--help").stdout, re.MULTILINE
    )
    names = {
        title: re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.MULTILINE)
        for title, text in sections
    }
    first = ["config", "port", "data", "memory", "auth", "throttle", "print-config", "help"]
    assert names["Options"] == first
    assert names["Address"] == ["host"]
    listed = [name for each in names.values() for name in each]
    settings = {row.flag[2:] for row in ROWS if not row.kind.secret}
    assert sorted(listed) == sorted({*settings, "config", "print-config", "help"})


def test_settings_are_printed_as_a_file():
    answer = run("serve", "--port", "9000", "--print-config")
    assert answer.returncode == 0
    assert tomllib.loads(answer.stdout) == {"port": 9000}


def test_reads_are_compared_always_by_an_option_without_a_value():
    answer = run("serve", "--verify-reads", "--port", "9000", "--print-config")
    assert tomllib.loads(answer.stdout) == {"port": 9000, "verify_reads": "always"}
    answer = run("serve", "--verify-reads", "off", "--print-config")
    assert tomllib.loads(answer.stdout) == {"verify_reads": "off"}


def test_the_switch_of_earlier_versions_still_chooses_what_reads_compare(tmp_path):
    texts = {"first": "first", "Always": "always", "true": "always", "off": "off", "false": "off"}
    for text, expected in texts.items():
        assert load({"verify_reads": text}, {}).verify_reads == expected
        assert load({}, {"HASHRANGE_VERIFY_READS": text}).verify_reads == expected
    config = tmp_path / "settings.toml"
    config.write_text("verify_reads = true")
    assert load({}, {}, config=str(config)).verify_reads == "always"


def test_settings_as_a_file_are_the_same_settings(tmp_path):
    flags = {
        "port": "9000",
        "throttle": "on",
        "encrypt": "false",
        "peer": "eu-west-1=http://127.0.0.1:9001;eu-west-2=http://127.0.0.1:9002",
        "regions": "us-east-1",
        "data": 'a "quoted" \\ name',
    }
    settings = load(flags, {})
    file = tmp_path / "hashrange.toml"
    file.write_text(config_text(settings), encoding="utf-8")
    again = load({}, {}, config=str(file))
    assert texts_of(again) == texts_of(settings)
    every = {line.removeprefix("# ").partition(" = ")[0] for line in file.read_text().splitlines()}
    assert {row.name for row in ROWS if not row.kind.secret} <= every


def test_the_file_of_settings_has_no_secrets():
    variables = {
        "HASHRANGE_ENGINE": "postgresql://app:pass@db/app",
        "HASHRANGE_ENCRYPTION_KEY": "ab" * 32,
        "HASHRANGE_ENCRYPT": "true",
    }
    for variable in ("HASHRANGE_ENGINE", "HASHRANGE_ENCRYPTION_KEY"):
        others = {"HASHRANGE_ENCRYPT"} if variable == "HASHRANGE_ENCRYPTION_KEY" else set()
        text = config_text(load({}, {name: variables[name] for name in {variable, *others}}))
        assert f"It holds a secret: set it as the variable {variable}." in text
        assert "pass@" not in text
        assert "abab" not in text
