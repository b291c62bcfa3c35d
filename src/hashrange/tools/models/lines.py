"""The lines of a model's text that errors and findings speak of. Pure."""

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from hashrange.optional_packages import MissingPackageError, imported
from hashrange.tools.models.files import YAML

Path: TypeAlias = tuple[str | int, ...]
_LINE_AND_COLUMN: Final = re.compile(r"line (\d+),? column")
_AT_END: Final = "at end of document"
_PATH: Final = re.compile(r"at `(?:key in )?\$(.*)`$", re.DOTALL)
_NAMED_PART: Final = re.compile(r"Resources\.(\w+)|table ([\w.-]+):")
_STEP: Final = re.compile(r"\[(\d+)\]|\.([^.\[\]]+)")
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_HEADER: Final = re.compile(r"\s*(\[\[?)([^\[\]]+)\]")
_KEY: Final = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""")
_TEXT: Final = (
    r"""(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',{}\[\]][^",{}\[\]\n]*?)\s*(?=[,}\n]|$))"""
)
_NAMED: Final = re.compile(rf"""[Nn]ame["']?\s*[:=]\s*{_TEXT}""")
_SECTIONS: Final = {
    "table": "tables",
    "index": "indexes",
    "entity": "entities",
    "pattern": "patterns",
}
_OTHER: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|^\s*(?:-\s+)?([\w.-]+)\s*:', re.MULTILINE)


class Lines:
    """The lines of a text, by the names that stand in it.

    Args:
        text: the text of a model.
    """

    def __init__(self, text: str) -> None:
        self._starts = [match.end() for match in re.finditer("\n", text)]
        self._names: dict[str, list[int]] = {}
        self._sections = {
            kind: found.start() if (found := re.search(rf"\b{section}\b", text)) else 0
            for kind, section in _SECTIONS.items()
        }
        # The value of a member such as `name` or `TableName` is a name before any other text is.
        for pattern in (_NAMED, _OTHER):
            for match in pattern.finditer(text):
                name = next((each for each in match.groups() if each is not None), "")
                self._names.setdefault(name, []).append(match.start(match.lastindex or 0))

    def of_name(self, name: str, kind: str = "") -> int | None:
        """The first line with this name; None if there is none.

        Args:
            name: the name.
            kind: what has it: table, index, entity or pattern. Its list begins before the line, if
                the text has such a list.
        """
        offsets = self._names.get(name)
        if offsets is None:
            return None
        first = self._sections.get(kind, 0)
        return self.at(next((each for each in offsets if each >= first), offsets[0]))

    def of_place(self, place: str) -> int | None:
        """The line of a finding's place, such as `pattern Open orders`."""
        kind, _, rest = place.partition(" ")
        if kind == "index":
            rest = rest.partition(" of table ")[0]
        if kind == "entity":
            rest = re.sub(r", sample \d+$", "", rest)
        return self.of_name(rest, kind)

    def at(self, offset: int) -> int:
        """The number of the line at an offset, from 1."""
        return bisect_right(self._starts, offset) + 1


def line_of_error(text: str, message: str, suffix: str) -> int | None:
    """The line that an error of `reading` speaks of; None if it says no place.

    Args:
        text: the text of the model.
        message: the text of the error.
        suffix: the ending of the file's name; without a known one the content decides.
    """
    if found := _LINE_AND_COLUMN.findall(message):
        return int(found[-1])
    if _AT_END in message:
        return text.rstrip().count("\n") + 1
    match = _PATH.search(message)
    if named := _NAMED_PART.match(message):
        return Lines(text).of_name(named[1] or named[2], "table")
    if match is None:
        return None
    # A path ends where it goes through values of an object: `$.patterns[0].key[...]`.
    steps = match[1].partition("[...]")[0]
    path = tuple(int(index) if index else name for index, name in _STEP.findall(steps))
    return _line_of_path(text, path, suffix.lower())


def _line_of_path(text: str, path: Path, suffix: str) -> int | None:
    if suffix == ".json" or (suffix not in {".toml", ".yaml", ".yml"} and text.lstrip()[:1] == "{"):
        places = _of_json(text)
    elif suffix in {".yaml", ".yml", ".template"}:
        places = _of_yaml(text)
    else:
        places = _of_toml(text)
    best, found = 0, None
    for here, offset in places:
        if len(here) > best and here == path[: len(here)]:
            best, found = len(here), offset
    return None if found is None else text.count("\n", 0, found) + 1


def _of_json(text: str) -> Iterator[tuple[Path, int]]:
    """The paths of all members and elements, with their offsets; the text is valid."""
    here: list[Any] = []
    kinds: list[str] = []
    for match in _JSON_TOKEN.finditer(text):
        mark = match[0]
        if mark in {"}", "]"}:
            kinds.pop()
            here.pop()
        elif mark == ",":
            here[-1] = here[-1] + 1 if kinds[-1] == "[" else None
        elif mark != ":":
            if kinds and kinds[-1] == "[":
                yield tuple(here), match.start()
            elif kinds and here[-1] is None:
                here[-1] = json.loads(mark)
                yield tuple(here), match.start()
            if mark in {"{", "["}:
                kinds.append(mark)
                here.append(0 if mark == "[" else None)


def _of_toml(text: str) -> Iterator[tuple[Path, int]]:
    """The paths of tables and of keys at the beginning of lines, with their offsets."""
    counts: dict[Path, int] = {}
    here: Path = ()
    offset = 0
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            here = ()
            names = _names(header[2])
            for number, name in enumerate(names, 1):
                here = (*here, name)
                if number == len(names) and header[1] == "[[":
                    counts[here] = counts.get(here, -1) + 1
                if here in counts:
                    here = (*here, counts[here])
            yield here, offset
        elif key := _KEY.match(line):
            path = here
            for name in _names(key[1]):
                path = (*path, name)
                yield path, offset
        offset += len(line)


def _names(text: str) -> list[str]:
    """The names of a dotted key."""
    try:
        found: Any = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return []
    names = []
    while isinstance(found, Mapping):
        ((name, found),) = found.items()
        names.append(name)
    return names


def _of_yaml(text: str) -> Iterator[tuple[Path, int]]:
    try:
        yaml = imported("yaml", YAML, "Templates in YAML need PyYAML")
    except MissingPackageError:
        return
    waiting: list[tuple[Path, Any]] = [((), yaml.compose(text, Loader=yaml.SafeLoader))]
    while waiting:
        here, node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                path = (*here, key.value)
                yield path, key.start_mark.index
                waiting.append((path, value))
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                yield (*here, number), value.start_mark.index
                waiting.append(((*here, number), value))
