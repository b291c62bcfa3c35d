"""Translates the command line of DynamoDB Local, so that scripts and compose files need no change.

`java -Djava.library.path=… -jar DynamoDBLocal.jar -port 8000 -inMemory`, the same without the
arguments of java, and its options after `serve`, mixed with those of hashrange. The rows below also
make docs/settings.md.

Source: Developer Guide, "DynamoDB local usage notes", command line options.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hashrange.cli.refusals import Misuse

_SERVE: Final = "serve"
_JAR: Final = "-jar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An option of DynamoDB Local.

    Attributes:
        name: without its dash.
        value: describes its value in the reference; None if it has none.
        option: the equivalent option of hashrange, with `{}` for the value; None if it has no
            effect.
        sentence: its text in the reference.
    """

    name: str
    value: str | None = None
    option: str | None = None
    sentence: str


FLAGS: Final = (
    Flag(name="port", value="PORT", option="--port={}", sentence="The same as `--port`."),
    Flag(
        name="inMemory",
        option="--memory",
        sentence="The same as `--memory`; with or without `-sharedDb`.",
    ),
    Flag(
        name="dbPath",
        value="DIRECTORY",
        option="--data={}",
        sentence="The same as `--data`. Files of DynamoDB Local in the directory are not read.",
    ),
    Flag(
        name="sharedDb",
        option="--namespaces=shared",
        sentence="The same as `--namespaces shared`, which is the default here. Without it, "
        "DynamoDB Local keeps tables apart by access key and region; `--namespaces separate` "
        "keeps them apart by account and region.",
    ),
    Flag(
        name="delayTransientStatuses",
        option="--delay-transient-statuses",
        sentence="The same as `--delay-transient-statuses`.",
    ),
    Flag(
        name="cors",
        value="ORIGINS",
        option="--cors={}",
        sentence="The same as `--cors`. Without it, DynamoDB Local allows all origins; here those "
        "of this machine are allowed.",
    ),
    Flag(
        name="optimizeDbBeforeStartup",
        sentence="No effect: the data file is maintained while the server runs.",
    ),
    Flag(name="disableTelemetry", sentence="No effect: there is no telemetry."),
    Flag(name="version", option="--version", sentence="The version of hashrange."),
    Flag(name="help", option="--help", sentence="The options of `hashrange serve`."),
)
_BY_NAME: Final = {flag.name: flag for flag in FLAGS}
# Options of hashrange have two dashes, or one dash and a single letter.
_is_flag: Final = re.compile(r"-[A-Za-z]{2,}(=.*)?", re.DOTALL).fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A command line of hashrange; whether it had options of DynamoDB Local."""

    arguments: Sequence[str]
    is_dynamodb_local: bool = False


def translated(arguments: Sequence[str]) -> Line:
    """Translate a command line; it stays as it is if it has no options of DynamoDB Local.

    Raises:
        Misuse: DynamoDB Local does not have the option, its value is missing, or it is not
            supported.
    """
    rest = _without_java(arguments)
    is_java = len(rest) < len(arguments)
    if rest and rest[0] == _SERVE:
        rest = rest[1:]
    elif not is_java and not (rest and _is_flag(rest[0])):
        return Line(arguments=arguments)
    found = list(_options(rest))
    if "--version" in found:
        return Line(arguments=["--version"])
    is_local = is_java or any(_is_flag(text) for text in rest)
    return Line(arguments=[_SERVE, *found], is_dynamodb_local=is_local)


def _without_java(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments after `java … -jar FILE`; `java` and its options may be missing."""
    if _JAR not in arguments:
        return arguments
    at = arguments.index(_JAR)
    before = arguments[1:at] if arguments[0] == "java" else arguments[:at]
    if not all(text.startswith(("-D", "-X")) for text in before):
        return arguments
    return arguments[at + 2 :]


def _options(arguments: Sequence[str]) -> Iterator[str]:
    texts = iter(arguments)
    for text in texts:
        if not _is_flag(text):
            yield text
            continue
        name, has_value, value = text[1:].partition("=")
        flag = _BY_NAME.get(name)
        if flag is None:
            from difflib import get_close_matches  # noqa: PLC0415 - few starts need it

            near = get_close_matches(name, _BY_NAME, n=1, cutoff=0.0)[0]
            raise Misuse(f"-{name} is not an option of DynamoDB Local; the nearest is -{near}")
        if flag.value is not None and not has_value:
            value = next(texts, "")
        if flag.value is not None and not value:
            raise Misuse(f"-{name} needs a value: -{name} {flag.value}")
        if flag.option is not None:
            yield flag.option.format(value)
