"""Writes the modules of structures from botocore's models: `make reference`.

A request has the name of its operation, an answer that name with `Answer`, all others those of the
model. Members of requests are optional: `ROWS` says which are required, and which values they have.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

import botocore
from botocore.loaders import Loader

from tests.house.sources import GENERATED
from tests.house.structures.service import Service

HEADER: Final = f"{GENERATED} from botocore {{version}}; changes by hand are lost."
_SCALARS: Final = {
    "string": "str",
    "blob": "bytes",
    "integer": "Integer",
    "long": "int",
    "boolean": "bool",
    "double": "float",
    "float": "float",
    "timestamp": "Timestamp",
}
_BASES: Final = {
    "dynamodb.BatchExecuteStatement": "Noting",
    "dynamodb.BatchGetItem": "Batch",
    "dynamodb.BatchWriteItem": "Batch",
    "dynamodb.ExecuteStatement": "Noting",
    "dynamodb.ExecuteTransaction": "Noting",
    "dynamodb.TransactGetItems": "TransactionOfReads",
    "dynamodb.TransactWriteItems": "TransactionOfWrites",
    "streams.GetRecords": "Noting",
}
"""Base classes of requests whose tables are not a member, by module and class."""
_MEMBERS: Final = ("Integer", "Long", "Structure", "Timestamp", "unread")
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def attribute(member: str) -> str:
    """The name of a member in Python."""
    return _WORDS.sub("_", member).lower().replace("-", "_")


def _pascal(name: str) -> str:
    """The name of a member in the API, if it has no other: `rename` of `Structure`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Module:
    """The text of a module, of one service."""

    def __init__(self, service: Service, model: Mapping[str, Any]) -> None:
        self.service = service
        self.shapes: dict[str, Any] = {**model["shapes"], **service.added}
        self.operations: dict[str, Any] = model["operations"]
        self.requested: set[str] = set()
        self.written: dict[str, str] = {}
        self.names = dict(service.names)
        self.inputs = [
            self._named(self.operations[each].get("input"), each)
            for each in service.requests.split()
        ]
        self.outputs = [
            self._named(self.operations[each].get("output"), f"{each}Answer")
            for each in service.answers.split()
        ]

    def _named(self, reference: Mapping[str, str] | None, name: str) -> str:
        assert reference is not None, name
        self.names.setdefault(reference["shape"], name)
        return reference["shape"]

    def text(self, version: str) -> str:
        """The module, formatted."""
        for each in self.inputs:
            self._collect(each, self.requested)
        for each in (*self.inputs, *self.outputs):
            self._write(each)
        classes = "\n\n\n".join(self.written.values())
        used = [
            name
            for name in (*_MEMBERS, *sorted(set(_BASES.values())))
            if re.search(rf"\b{name}\b", classes)
        ]
        lines = [
            HEADER.format(version=version),
            f'"""The requests and answers of {self.service.title}."""',
            *(["from typing import Annotated, Any"] if "Annotated" in classes else []),
            *(["import msgspec"] if "msgspec." in classes else []),
            *self.service.imports,
            f"from hashrange.model.structures.members import {', '.join(used)}",
            *(
                ["from hashrange.model.values import AttributeValue"]
                if "AttributeValue]" in classes or "AttributeValue |" in classes
                else []
            ),
            "",
        ]
        return formatted("\n".join(lines) + classes + "\n")

    def _collect(self, shape: str, found: set[str]) -> None:
        """All structures of a request."""
        if shape in found or shape == "AttributeValue":
            return
        found.add(shape)
        if self.shapes[shape]["type"] == "structure" and shape not in self.service.unread:
            for _, inner in self.members(shape):
                self._collect(inner, found)
        for part in ("member", "value"):
            if part in self.shapes[shape]:
                self._collect(self.shapes[shape][part]["shape"], found)

    def name(self, shape: str) -> str:
        """The name of the class of a structure."""
        return self.names.get(shape, shape)

    def members(self, shape: str) -> list[tuple[str, str]]:
        """The members of a structure and their shapes, in their order."""
        own = self.shapes[shape]["members"]
        listed = self.service.members.get(self.name(shape))
        if listed is None:
            return [(name, each["shape"]) for name, each in own.items()]
        found = []
        for each in listed.split():
            name, _, added = each.partition(":")
            found.append((name, added or own[name]["shape"]))
        return found

    def _write(self, shape: str) -> None:
        """Write the class of a structure, after those that it names."""
        name = self.name(shape)
        if name in self.written:
            return
        fields = "\n".join(f"    {line}" for line in self._fields(shape))
        options = ", frozen=True"
        if shape in self.requested or self._needs_keywords(shape):
            options += ", kw_only=True"
        if name in self.service.nulls:
            options += ", omit_defaults=False"
        base = _BASES.get(f"{self.service.module}.{name}", "Structure")
        self.written[name] = f"class {name}({base}{options}):\n{fields or '    pass'}"

    def _needs_keywords(self, shape: str) -> bool:
        optional = [not self.is_always(shape, name) for name, _ in self.members(shape)]
        return optional != sorted(optional)

    def is_always(self, shape: str, member: str) -> bool:
        """Whether an answer always has a member."""
        if shape in self.requested:
            return False
        required = self.shapes[shape].get("required", [])
        return member in required or member in self.service.always.get(self.name(shape), "").split()

    def _fields(self, shape: str) -> Iterator[str]:
        for member, inner in self.members(shape):
            type_, field = self.type(f"{self.name(shape)}.{member}", inner), attribute(member)
            is_always = self.is_always(shape, member)
            optional = "" if is_always else " | None"
            default = "" if is_always else " = None"
            if _pascal(field) != member:
                arguments = "" if is_always else "default=None, "
                default = f' = msgspec.field({arguments}name="{member}")'
            yield f"{field}: {type_}{optional}{default}"

    def type(self, member: str, shape: str) -> str:
        """The type of a member in Python."""
        if member in self.service.types:
            return self.service.types[member]
        found = self.shapes[shape]
        match found["type"]:
            case "list":
                return f"list[{self.type(member, found['member']['shape'])}]"
            case "map":
                return f"dict[str, {self.type(member, found['value']['shape'])}]"
            case "structure":
                return self._structure(member, shape)
            case scalar:
                return _SCALARS[scalar]

    def _structure(self, member: str, shape: str) -> str:
        if shape == "AttributeValue":
            return shape
        if shape in self.service.unread or member in self.service.unread:
            return f'Annotated[dict[str, Any], unread("{shape}")]'
        self._write(shape)
        return self.name(shape)


def path_of(service: Service) -> str:
    """The path of the module of a service."""
    return f"src/hashrange/model/structures/{service.module}.py"


def formatted(text: str) -> str:
    """A module as ruff writes it."""
    command = [sys.executable, "-m", "ruff"]
    for arguments in (["check", "--select", "I", "--fix-only", "-q"], ["format", "-q"]):
        text = subprocess.run(
            [*command, *arguments, "--stdin-filename", "src/hashrange/model/structures/x.py", "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


def module_text(service: Service, version: str = botocore.__version__) -> str:
    """The module of a service, from the model of the installed botocore."""
    model = Loader().load_service_model(service.model, "service-2")
    return Module(service, model).text(version)
