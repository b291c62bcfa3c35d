"""Settings as options of a command."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import click

from hashrange.settings.kinds import Row
from hashrange.settings.rows import ROWS, rows_by_subject

Flags: TypeAlias = str | bool | tuple[str, ...] | None
"""The value of an option."""

_FIRST: Final = ("config", "port", "data", "memory", "auth", "throttle")
"""The options that most users need: they stand before the others in --help."""


class SettingsCommand(click.Command):
    """A command whose help lists the options of settings by subject."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: the first and those of no setting, then those of each subject."""
        options = self.get_params(ctx)
        records = {each.name: found for each in options if (found := each.get_help_record(ctx))}
        settings = {row.name for row in ROWS}
        groups = {"Options": [*_FIRST, *(n for n in records if n not in {*settings, *_FIRST})]}
        for subject, rows in rows_by_subject().items():
            groups[subject] = [row.name for row in rows if row.name not in _FIRST]
        for title, names in groups.items():
            shown = [records[name] for name in names if name in records]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)


def options_of(rows: Sequence[Row]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that adds an option for each row, named as the row."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        # In reverse, since the last decorator is the first option in --help.
        for row in reversed(rows):
            if row.kind.secret:
                continue
            flag = row.flag
            metavar = None if row.kind.switch else row.kind.form.replace(" ", "")
            if row.kind.switch:
                flag = f"{flag}/--no-{flag[2:]}"
            bare: dict[str, Any] = {}
            if row.kind.bare:
                bare = {"is_flag": False, "flag_value": row.kind.bare}
            described = f"{row.sentence} [{row.variable}; {row.default_text}]"
            option = click.option(
                flag,
                row.name,
                default=None,
                metavar=metavar,
                **bare,
                help=described,
                multiple=bool(row.kind.separator),
            )
            command = option(command)
        return command

    return add


def texts_of(flags: Mapping[str, Flags]) -> dict[str, str]:
    """The options that were given, as texts by the names of their rows."""
    separators = {row.name: row.kind.separator for row in ROWS}
    texts: dict[str, str] = {}
    for name, value in flags.items():
        if isinstance(value, bool):
            texts[name] = str(value).lower()
        elif isinstance(value, str):
            texts[name] = value
        elif value:
            texts[name] = separators[name].join(value)
    return texts
