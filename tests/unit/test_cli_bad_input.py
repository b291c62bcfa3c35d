"""Bad input of the commands for designers ends with one line that says why, and no traceback."""

import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hashrange.cli.commands import commands, main

MODEL = """\
name = "Shop"
[[tables]]
name = "Shop"
partition_key = "pk:S"
"""
NOWHERE = "http://[::1"
FULL = Path("/dev/full")
UNWRITABLE = "/proc/unwritable"
SCAN = ("scan", "shop", "--output", "shop.json")
SINK = ("replicate-to", "files:lake", "--table", "shop")
BACKFILL = ("backfill", "shop", "--update", "REMOVE a")


@pytest.fixture
def run(capsys, tmp_path, in_tmp_path):
    """Runs the command line in a folder with a model; gives exit code and standard error."""
    (tmp_path / "shop.toml").write_text(MODEL)

    def running(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        return ended.value.code or 0, capsys.readouterr().err

    return running


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        # URLs that urlsplit refuses.
        ((*SCAN, "--endpoint", NOWHERE), "'http://[::1' is not a URL: Invalid IPv6 URL"),
        (("describe", "shop", "--endpoint", NOWHERE), "is not a URL: Invalid IPv6 URL"),
        (("doctor", "shop", "--endpoint", NOWHERE), "is not a URL: Invalid IPv6 URL"),
        (("diff", f"{NOWHERE}/shop", "shop"), "is not a URL: Invalid IPv6 URL"),
        # NaN compares with nothing, so a range accepts it.
        ((*SCAN, "--rate-limit", "NaN"), "'NaN' is not a number up to 1e+15"),
        ((*BACKFILL, "--rate-limit", "inf"), "'inf' is not a number up to 1e+15"),
        (("sample", "shop", "--rate-limit", "NaN"), "'NaN' is not a number up to 1e+15"),
        (("diff", "a", "b", "--rate-limit", "NaN"), "'NaN' is not a number up to 1e+15"),
        # Forms and files that cannot be written.
        (("model", "convert", "shop.toml", "--output", "shop.doc"), "its ending names no form"),
        (
            ("model", "convert", "shop.toml", "--output", f"{UNWRITABLE}.toml"),
            f"{UNWRITABLE}.toml: ",
        ),
        ((*SINK, "--publish", "1m"), "--publish cannot be combined with files:lake"),
        ((*SINK, "--header", "A: b"), "--header cannot be combined with files:lake"),
        (("sample", "shop", "--table", "shops"), "two tables: shop, and --table shops"),
        (("sample",), "the name of the table is missing"),
        (("doctor",), "the name of the table is missing"),
        (("model",), "name a command: convert, schema. See hashrange model --help"),
    ],
)
def test_arguments_that_cannot_be_used(run, arguments, text):
    code, errors = run(*arguments)
    assert text in errors
    assert (code, errors.count("\n")) == (2, 1)


def test_an_ending_or_to_names_the_form(run, tmp_path):
    for name, more, start in (
        ("a.json", (), "{"),
        ("a.yaml", ("--to", "cloudformation"), "AWSTemplateFormatVersion"),
        ("a.toml", (), "name ="),
    ):
        assert run("model", "convert", "shop.toml", "--output", name, *more) == (0, "")
        assert (tmp_path / name).read_text().startswith(start)


# A region without an endpoint names a server, as the documentation says; none listens there.
def test_check_with_a_region_needs_a_server(run, process_environment):
    process_environment(AWS_ENDPOINT_URL_DYNAMODB="http://127.0.0.1:1")
    code, errors = run("check", "shop.toml", "--region", "eu-west-1")
    assert (code, errors) == (
        1,
        "hashrange: http://127.0.0.1:1 does not answer: connection refused\n",
    )


def ended(arguments, **streams):
    command = [sys.executable, "-m", "hashrange", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)


def test_a_full_disk_is_one_line():
    if not stat.S_ISCHR(FULL.stat().st_mode):
        pytest.skip("no /dev/full")
    with FULL.open("w") as full:
        found = ended(("capacity", "--reads", "5"), stdout=full)
    assert (found.returncode, found.stderr) == (1, "hashrange: No space left on device\n")


def test_ctrl_c_at_any_time_is_one_line(run, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "invoke", interrupted)
    code, errors = run("capacity", "--reads", "5")
    assert (code, errors.strip()) == (2, "hashrange: stopped")


OF_THE_TRADE = (
    *("backfill", "capacity", "check", "count", "delete-where", "describe", "design", "diff"),
    *("doctor", "sample", "scan", "simulate", "sizes", "units"),
)


@pytest.mark.parametrize("name", OF_THE_TRADE)
def test_every_command_has_the_options_of_scripts(name):
    command = commands.get_command(click.Context(commands), name)
    flags = {flag for option in command.params for flag in option.opts}
    assert {"--json", "--non-interactive", "--endpoint", "--profile", "--region"} <= flags
