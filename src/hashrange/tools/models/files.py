"""Files of models as data: JSON, TOML and YAML, with bounds on their size and nesting."""

import json
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec

from hashrange.optional_packages import imported
from hashrange.tools.models.schema import ModelError

FILE_BYTES_MAX: Final = 16 * 1024 * 1024
TEXT_BYTES_MAX: Final = 1024 * 1024
"""Of TOML and YAML, whose parsers are slow."""
YAML: Final = "pyyaml>=6"
"""The package as an argument of pip."""
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def bytes_of(path: Path) -> bytes:
    """The content of a file. Raises ModelError: it cannot be read, or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise ModelError(error.strerror or str(error)) from error
    if len(data) > FILE_BYTES_MAX:
        raise ModelError(f"larger than {FILE_BYTES_MAX} bytes")
    return data


def parsed(data: bytes, suffix: str) -> dict[str, Any]:
    """The members of a file; numbers with a fraction are Decimal. Raises ModelError.

    Args:
        data: the content of the file.
        suffix: the ending of its name; without a known one the content decides.

    Raises:
        MissingPackageError: it is YAML, and PyYAML is not installed.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"it is not UTF-8 at byte {error.start + 1}") from error
    try:
        found = _parser(text, suffix)(text)
    except RecursionError as error:
        raise ModelError("it is nested too deep") from error
    except ValueError as error:
        raise ModelError(str(error)) from error
    if not isinstance(found, dict):
        raise ModelError("it is not an object with members")
    return found


def _parser(text: str, suffix: str) -> Any:
    match suffix.lower():
        case ".toml":
            return _toml
        case ".yaml" | ".yml":
            return _yaml
        case ".json":
            return _json
        case _ if text.lstrip().startswith("{"):
            return _json
        case ".template":
            return _yaml
        case _:
            return _toml


def _json(text: str) -> Any:
    return json.loads(
        text, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_members
    )


def _no_number(text: str) -> NoReturn:
    raise ModelError(f"{text} is not a number of JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ModelError(f"the name {name} stands twice in one object")
            seen.add(name)
    return members


def _toml(text: str) -> Any:
    _check_length(text)
    return tomllib.loads(text, parse_float=Decimal)


def _check_length(text: str) -> None:
    if len(text) > TEXT_BYTES_MAX:
        raise ModelError(f"larger than {TEXT_BYTES_MAX} characters, which only JSON may be")


def _yaml(text: str) -> Any:
    """YAML as CloudFormation has it: `!Ref name` is `{"Ref": name}`, and so on."""
    _check_length(text)
    yaml: Any = imported("yaml", YAML, "Templates in YAML need PyYAML")

    class Loader(yaml.SafeLoader):  # type: ignore[misc] # the module is imported when used
        """Refuses aliases, by which a small file describes a large one."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise ModelError("it has an alias of YAML, which templates do not have")
            return super().compose_node(parent, index)

    def intrinsic(loader: Any, suffix: str, node: Any) -> Any:
        match node:
            case yaml.ScalarNode():
                value: Any = loader.construct_scalar(node)
            case yaml.SequenceNode():
                value = loader.construct_sequence(node, deep=True)
            case _:
                value = loader.construct_mapping(node, deep=True)
        return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}

    Loader.add_multi_constructor("!", intrinsic)
    # Texts such as a date stay texts.
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in rows if not tag.endswith(":timestamp")]
        for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        return yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise ModelError(" ".join(str(error).split())) from error


def json_text(value: Any, *, indent: int = 2) -> str:
    """The JSON of data with Decimals, indented."""
    return msgspec.json.format(_ENCODER.encode(value), indent=indent).decode()
