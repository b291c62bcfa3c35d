"""What people see of a copy, and as whom it asks; copies themselves are tested in tests/copying."""

import io

import pytest
from rich.console import Console

from hashrange.cli.copy_view import LINE_SECONDS, Bar, Lines
from hashrange.cli.credentials import credentials
from tests.unit.clocks import Clock
from tests.unit.processes import run


def test_lines_come_now_and_then(capsys):
    clock = Clock()
    lines = Lines(clock)
    lines.note("something to know")
    lines.begins("Orders", items_about=5000, items_before=1000)
    for seconds in (1, LINE_SECONDS, 1, LINE_SECONDS - 1):
        clock.later(seconds)
        lines.moved(500)
    lines.compares("Orders")
    clock.later(LINE_SECONDS)
    lines.moved(700)
    lines.ends("Orders", 3000)
    assert capsys.readouterr().out.splitlines() == [
        "something to know",
        "Orders: about 5,000 items, 1,000 of them copied before",
        "Orders: copied 2,000 items",
        "Orders: copied 3,000 items",
        "Orders: compared 700 items",
        "Orders: 3,000 items copied and compared",
    ]


# More items than the place told: the bar must not pass its end. Names are no markup.
def test_bar_leaves_a_line_for_each_table():
    shown = io.StringIO()
    with Bar(Console(file=shown, force_terminal=True, width=100)) as bar:
        bar.note("[bold]something to know[/bold]")
        for label in ("Orders", "more"):
            bar.begins(label, items_about=3, items_before=0)
            bar.moved(5)
            assert [(task.completed, task.total) for task in bar.tasks] == [(5, 5)]
            bar.compares(label)
            assert [(task.completed, task.total) for task in bar.tasks] == [(0, 5)]
            bar.moved(5)
            bar.ends(label, 5)
            assert list(bar.tasks) == []
    text = shown.getvalue()
    assert "[bold]something to know[/bold]" in text
    assert "Orders: 5 items copied and compared" in text
    assert "more: 5 items copied and compared" in text


@pytest.mark.parametrize(
    ("environment", "region", "expected"),
    [
        ({}, None, ("local", "local", None, "us-east-1")),
        ({"AWS_REGION": "", "AWS_SESSION_TOKEN": ""}, None, ("local", "local", None, "us-east-1")),
        ({"AWS_DEFAULT_REGION": "a"}, None, ("local", "local", None, "a")),
        ({"AWS_DEFAULT_REGION": "a", "AWS_REGION": "b"}, None, ("local", "local", None, "b")),
        # The name of an endpoint of AWS says where it is; another region would be refused.
        ({"AWS_REGION": "b"}, "c", ("local", "local", None, "c")),
        (
            {
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_SESSION_TOKEN": "token",
            },
            None,
            ("key", "secret", "token", "us-east-1"),
        ),
    ],
)
def test_credentials_are_those_of_the_variables_of_sdks(environment, region, expected):
    found = credentials(region, environment)
    shown = (found.access_key, found.secret_key, found.session_token, found.region)
    assert shown == expected


def test_options_are_completed():
    asked = {"_HASHRANGE_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    assert run(COMP_WORDS="hashrange copy --over", **asked).stdout == "plain,--overwrite\n"


def test_help_has_examples():
    told = run("copy", "--help").stdout
    assert "hashrange copy hashrange-data postgresql://" in told
    assert "AWS_ACCESS_KEY_ID" in told
