"""The questions of `hashrange design`: each answer is checked at once, and asked for again.

Questions and reasons are printed on standard error, so that standard output has the design only.
"""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.design_options import CLASSES, MODES, VIEWS
from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.tools.design.choices import Choices

_NONE: Final = "none"
_PROVISIONED: Final = MODES[1]
_UNITS_DEFAULT: Final = "5"
_ENDED: Final = """\
standard input ended before the questions: answer them, or name the table with --table-name and \
--partition-key"""


def completed(choices: "Choices", entities: Sequence[str]) -> "tuple[Choices, tuple[str, ...]]":
    """The choices with answers for what no flag says, and the kinds of items. Raises Misuse."""
    try:
        return _Questions(choices).ask(tuple(entities))
    except click.Abort as error:
        click.echo(err=True)  # the question has no answer that would end its line
        raise Misuse(_ENDED) from error


class _Questions:
    """Asks for choices one after the other."""

    def __init__(self, choices: "Choices") -> None:
        self._choices = choices

    def ask(self, entities: tuple[str, ...]) -> "tuple[Choices, tuple[str, ...]]":
        click.echo("Enter accepts the default in brackets; Ctrl-C ends.", err=True)
        self._ask("table_name", "Table name", None)
        if not entities:
            text = "Kinds of items, with commas, such as User, Order"
            entities = _listed(_prompt(text, _NONE, str))
        if not self._choices.production:
            self._ask_keys(entities)
        self._ask("billing_mode", f"Billing mode ({', '.join(MODES)})", MODES[0])
        is_provisioned = self._choices.billing_mode == _PROVISIONED
        if is_provisioned and self._choices.auto_scaling is None:
            self._ask("auto_scaling", "Auto scaling MIN:MAX:TARGET, such as 5:500:70", _NONE)
        if is_provisioned and self._choices.auto_scaling is None:
            self._ask_units()
        if not self._choices.production:
            self._ask_indexes("gsi", "Global index")
            if self._choices.sort_key is not None:
                self._ask_indexes("lsi", "Local index")
            self._ask_settings()
        return self._choices, entities

    def _ask_keys(self, entities: tuple[str, ...]) -> None:
        is_shared = len(entities) > 1
        own = f"{entities[0][0].lower()}{entities[0][1:]}Id:S" if entities else "pk:S"
        # A flag with the partition key says that there is no sort key unless another flag does.
        has_keys = self._choices.partition_key is not None
        key = "PK:S" if is_shared else own.replace(" ", "")
        self._ask("partition_key", "Partition key, name and type S, N or B", key)
        if not has_keys:
            self._ask("sort_key", "Sort key, name and type", "SK:S" if is_shared else _NONE)

    def _ask_units(self) -> None:
        # Either is refused without the other, so both are there when one is checked.
        read, write = self._choices.read_units, self._choices.write_units
        least = int(_UNITS_DEFAULT)
        self._change(read_units=read or least, write_units=write or least)
        if read is None:
            self._ask("read_units", "Read units", _UNITS_DEFAULT, int, again=True)
        if write is None:
            self._ask("write_units", "Write units", _UNITS_DEFAULT, int, again=True)

    def _ask_indexes(self, field: str, title: str) -> None:
        """Indexes until there are no more; those of flags are kept."""
        if getattr(self._choices, field):
            return
        while True:
            name = _prompt(f"{title}, its name", _NONE, str)
            if name == _NONE:
                return
            try:
                self._ask_index(field, name)
            except click.UsageError as error:
                click.echo(f"Error: {error.format_message()}", err=True)

    def _ask_index(self, field: str, name: str) -> None:
        parts = [name]
        if field == "gsi":
            parts.append(_prompt("  Partition key, name and type", None, str))
        sort = _prompt("  Sort key, name and type", _NONE if field == "gsi" else None, str)
        parts += [] if sort == _NONE else [sort]
        forms = "ALL, KEYS_ONLY, or INCLUDE:a,b"
        parts.append(_prompt(f"  Projected attributes ({forms})", "ALL", str))
        self._accept(field, (*getattr(self._choices, field), ":".join(parts)))

    def _ask_settings(self) -> None:
        self._ask("ttl", "Attribute with the second of expiry", _NONE)
        self._ask("stream", f"Stream ({', '.join(VIEWS)})", _NONE)
        self._ask("pitr", "Days of point-in-time recovery, 1 to 35", _NONE, int)
        self._ask("table_class", f"Table class ({', '.join(CLASSES)})", CLASSES[0])
        self._ask("tags", "Tags KEY=VALUE, with commas", _NONE, _listed)
        self._confirm("deletion_protection", "Deletion protection")
        self._confirm("insights", "Contributor insights")
        self._confirm("alarms", "Alarms on throttling and system errors")

    def _ask(
        self,
        field: str,
        text: str,
        default: str | None,
        kind: Callable[[str], Any] = str,
        *,
        again: bool = False,
    ) -> None:
        """Ask for one choice, unless a flag has it."""
        if not again and getattr(self._choices, field) not in {None, ()}:
            return

        def accepted(answer: str) -> Any:
            if answer == _NONE and default == _NONE:
                return answer
            try:
                value = kind(answer)
            except ValueError as error:
                raise click.UsageError(f"{answer!r} is not a whole number") from error
            self._accept(field, value)
            return answer

        _prompt(text, default, accepted)

    def _confirm(self, field: str, text: str) -> None:
        if not getattr(self._choices, field):
            self._change(**{field: click.confirm(text, default=False, err=True)})

    def _change(self, **fields: Any) -> None:
        import msgspec

        self._choices = msgspec.structs.replace(self._choices, **fields)

    def _accept(self, field: str, value: Any) -> None:
        """Take a choice. Raises UsageError if the table with it would be refused."""
        import msgspec

        from hashrange.clock import SystemClock
        from hashrange.server.loop import run
        from hashrange.tools.design.choices import Choices, DesignError, definition_of
        from hashrange.tools.design.refusals import refuse

        changed: Choices = msgspec.structs.replace(self._choices, **{field: value})
        checked = changed
        if checked.partition_key is None and not checked.production:
            checked = msgspec.structs.replace(checked, partition_key="pk:S", sort_key=None)
        if checked.billing_mode == _PROVISIONED and checked.auto_scaling is None:
            units = {"read_units": checked.read_units or 1, "write_units": checked.write_units or 1}
            if field not in units:
                checked = msgspec.structs.replace(checked, **units)
        try:
            run(refuse(definition_of(checked), SystemClock()))
        except DesignError as error:
            raise click.UsageError(str(error)) from error
        self._choices = changed


def _prompt(text: str, default: str | None, accepted: Callable[[str], Any]) -> str:
    answer: str = click.prompt(text, default=default, value_proc=accepted, err=True)
    return answer


def _listed(text: str) -> tuple[str, ...]:
    """The parts of a text with commas; none for the answer that says so."""
    if text == _NONE:
        return ()
    return tuple(part.strip() for part in text.split(",") if part.strip())
