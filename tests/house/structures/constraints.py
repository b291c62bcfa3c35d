"""Writes the modules of constraints: the rows that requests are checked by, in their order."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import botocore
from botocore.loaders import Loader

from tests.house.structures.generator import HEADER, attribute, formatted
from tests.house.structures.service import Service

_DECLARING: Final = (
    "between",
    "each",
    "each_value",
    "inside",
    "length",
    "list_members",
    "matches",
    "one_of",
    "required",
    "rows",
)


def constant(name: str) -> str:
    """The name of the rows of a structure."""
    return attribute(name).upper()


class Constraints:
    """The rows of the structures of a service."""

    def __init__(self, service: Service, model: Mapping[str, Any]) -> None:
        self.service = service
        self.shapes: dict[str, Any] = model["shapes"]
        self.operations: dict[str, Any] = model["operations"]
        self.written: dict[str, str] = {}

    def text(self, version: str) -> str:
        """The module, formatted."""
        entries = []
        for operation in self.service.checked_operations.split():
            shape = self.operations[operation]["input"]["shape"]
            rows = f"rows({', '.join(self._rows(operation, shape))})"
            if self.service.by_operation:
                entries.append(f'"{operation}": {rows}')
            else:
                self.written[f"{constant(operation)}_ROWS"] = rows
        if entries:
            self.written["ROWS"] = f"{{{', '.join(entries)}}}"
        body = "\n".join(f"{name}: Final = {rows}" for name, rows in self.written.items())
        used = [name for name in _DECLARING if re.search(rf"\b{name}\(", body)]
        lines = [
            HEADER.format(version=version),
            f'"""The constraints on the requests of {self.service.title}."""',
            "from typing import Final",
            *sorted(
                f"from hashrange.messages import {each.partition('.')[0]}"
                for each in set(self.service.refusals.values())
            ),
            *(["from hashrange.wire import enums"] if "enums." in body else []),
            f"from hashrange.wire.constraints import {', '.join(used)}",
            *(["from hashrange.wire.enums import enum_of"] if "enum_of(" in body else []),
            *(["from hashrange.wire.rules import ITSELF"] if "ITSELF" in body else []),
            *(["from hashrange.wire.rules import Form"] if "Form." in body else []),
            "",
            body,
        ]
        return formatted("\n".join(lines) + "\n")

    def _rows(self, name: str, shape: str) -> Iterator[str]:
        members = self.shapes[shape]["members"]
        for member in self._checked(name, members):
            path = f"{name}.{member}"
            is_required = member in self.shapes[shape].get("required", ())
            if is_required or path in self.service.required:
                yield f'required("{attribute(member)}")'
            inner = members[member]["shape"]
            yield from self._leaf(path, f'"{attribute(member)}"', inner)
            yield from self._parts(path, attribute(member), inner)

    def _checked(self, name: str, members: Iterable[str]) -> Iterable[str]:
        """The members of a structure that are checked, in the order of their violations."""
        listed = self.service.checked.get(name)
        if listed is None:
            listed = self.service.members.get(name)
        return members if listed is None else listed.split()

    def _leaf(self, path: str, target: str, shape: str) -> Iterator[str]:
        found = self._bounds(path, shape)
        least, most = found.get("min"), found.get("max")
        form = ", form=Form.MODEL" if {shape, path} & {*self.service.echoed} else ""
        length = []
        if least is not None or most is not None:
            kind = "between" if found["type"] in {"integer", "long", "double"} else "length"
            length.append(f"{kind}({target}, {least}, {most}{form})")
        if found.get("pattern"):
            pattern = self._pattern(path, target, shape, found["pattern"], form)
            length.insert(0 if path in self.service.pattern_first else 1, pattern)
        yield from length
        if found.get("enum"):
            yield f"one_of({target}, {self._enum(shape, found['enum'])}{form})"

    def _pattern(self, path: str, target: str, shape: str, printed: str, form: str) -> str:
        linear = self.service.linear.get(shape)
        refusal = self.service.refusals.get(path, self.service.refusals.get(shape))
        if refusal is not None:  # it does not print the pattern
            return f"matches({target}, {linear or printed!r}, refusal={refusal})"
        ending = "" if linear is None else f", linear={linear!r}"
        return f"matches({target}, {printed!r}{ending}{form})"

    def _bounds(self, path: str, shape: str) -> dict[str, Any]:
        bounds = self.service.bounds
        return {**self.shapes[shape], **bounds.get(shape, {}), **bounds.get(path, {})}

    def _enum(self, shape: str, values: Iterable[str]) -> str:
        """The name of an enum: of `hashrange.wire.enums`, or of a constant of the module."""
        if not self.service.own_enums:
            return f"enums.{constant(shape)}"
        self.written[constant(shape)] = f'enum_of("{" ".join(values)}")'
        return constant(shape)

    def _parts(self, path: str, member: str, shape: str) -> Iterator[str]:
        found = self.shapes[shape]
        if path in self.service.together:
            element = found["member"]["shape"]
            each = self._bounds(f"{path}[]", element)
            pattern = {"pattern": each.get("pattern"), "linear": self.service.linear.get(element)}
            ending = "".join(f", {name}={text!r}" for name, text in pattern.items() if text)
            yield f'list_members("{member}", least={each["min"]}, most={each["max"]}{ending})'
        elif found["type"] == "list":
            inner = list(self._element(path, found["member"]["shape"]))
            if inner:
                yield f'each("{member}", {", ".join(inner)})'
        elif found["type"] == "map":
            inner = list(self._element(path, found["value"]["shape"]))
            if inner:
                yield f'each_value("{member}", {", ".join(inner)})'
        elif found["type"] == "structure" and (rows := self._structure(shape)):
            yield f'inside("{member}", {rows})'

    def _element(self, path: str, shape: str) -> Iterator[str]:
        if self.shapes[shape]["type"] == "structure":
            if inner := self._structure(shape):
                yield inner
        elif path in self.service.elements:
            yield from self._leaf(f"{path}[]", "ITSELF", shape)

    def _structure(self, shape: str) -> str:
        """The rows of a structure, by the name of their constant; empty if it has none."""
        name = self.service.names.get(shape, shape)
        if shape in {"AttributeValue", *self.service.unread}:
            return ""
        if constant(name) not in self.written:
            found = list(self._rows(name, shape))
            if not found:
                return ""
            self.written[constant(name)] = f"({', '.join(found)},)"
        return f"*{constant(name)}"


def constraints_path(service: Service) -> str:
    """The path of the module of a service."""
    return f"src/hashrange/wire/model_constraints/{service.module}.py"


def constraints_text(service: Service, version: str = botocore.__version__) -> str:
    """The module of constraints of a service, from the model of the installed botocore."""
    model = Loader().load_service_model(service.model, "service-2")
    return Constraints(service, model).text(version)
