"""Programs of the AWS CDK in TypeScript and Python: the same statements in both. Pure.

Names are those of TypeScript; those of Python are in snake case, as jsii makes them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

Language: TypeAlias = Literal["typescript", "python"]
_INDENT: Final = {"typescript": "  ", "python": "    "}
_humps: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])").sub


class Constant(msgspec.Struct, frozen=True):
    """A name of the language, such as a member of an enum or a property of the table."""

    name: str


class Struct(msgspec.Struct, frozen=True):
    """A value of a type with named members; in TypeScript a literal."""

    kind: str
    members: Mapping[str, Any]


class New(msgspec.Struct, frozen=True):
    """A new object; a construct has an id in its stack, other objects None."""

    kind: str
    id: str | None
    members: Mapping[str, Any]


class Call(msgspec.Struct, frozen=True):
    """A call of a method.

    Attributes:
        subject: the name of an object or a class, or a call whose result has the method.
        method: the name.
        members: named arguments, which follow all others.
        arguments: those without names.
        scoped: the same, for methods whose first argument is the stack.
    """

    subject: "str | Call"
    method: str
    members: Mapping[str, Any] = {}
    arguments: tuple[Any, ...] = ()
    scoped: tuple[Any, ...] = ()


class Verbatim(msgspec.Struct, frozen=True):
    """A call of a function that has the same name in both languages."""

    function: str
    arguments: tuple[Any, ...]


class Statement(msgspec.Struct, frozen=True):
    """An expression, and the name of a variable for its value."""

    expression: Any
    name: str | None = None


def program_of(
    language: Language, stack: str, modules: Sequence[str], statements: Sequence[Statement]
) -> str:
    """The program: imports, a stack with the statements, and an app.

    Args:
        language: the language.
        stack: the name of the stack's class and its id.
        modules: of the library, such as `dynamodb`.
        statements: those of the constructor.
    """
    writer = _Writer(language)
    lines = list(writer.lines(statements))
    if language == "python":
        imports = [f"from aws_cdk import aws_{module} as {module}" for module in sorted(modules)]
        head = ["#!/usr/bin/env python3", "import aws_cdk as cdk", *imports]
        head += ["from constructs import Construct", "", "", f"class {stack}(cdk.Stack):"]
        head += ["    def __init__(self, scope: Construct, id: str, **kwargs: object) -> None:"]
        head += ["        super().__init__(scope, id, **kwargs)", ""]
        tail = ["", "", "app = cdk.App()", f'{stack}(app, "{stack}")', "app.synth()"]
        return "\n".join([*head, *(f"        {line}" for line in lines), *tail, ""])
    imports = [
        f'import * as {module} from "aws-cdk-lib/aws-{module}";' for module in sorted(modules)
    ]
    head = ["#!/usr/bin/env node", 'import * as cdk from "aws-cdk-lib";', *imports]
    head += ['import { Construct } from "constructs";', ""]
    head += [f"export class {stack} extends cdk.Stack {{"]
    head += ["  constructor(scope: Construct, id: string, props?: cdk.StackProps) {"]
    head += ["    super(scope, id, props);", ""]
    tail = ["  }", "}", "", "const app = new cdk.App();", f'new {stack}(app, "{stack}");']
    return "\n".join([*head, *(f"    {line}" for line in lines), *tail, "app.synth();", ""])


class _Writer:
    """Writes expressions in a language."""

    def __init__(self, language: Language) -> None:
        self._is_python = language == "python"
        self._indent = _INDENT[language]

    def lines(self, statements: Sequence[Statement]) -> Iterator[str]:
        """The lines of the statements."""
        end = "" if self._is_python else ";"
        begin = "" if self._is_python else "const "
        for statement in statements:
            name = "" if statement.name is None else f"{begin}{statement.name} = "
            yield from f"{name}{self._text(statement.expression)}{end}".split("\n")

    def _text(self, value: Any) -> str:  # noqa: PLR0911 - a row for each kind
        match value:
            case Constant(name):
                return self._name(name)
            case Struct(kind, members):
                if self._is_python:
                    return self._brackets(f"{kind}(", self._named(members), ")")
                return self._brackets("{", self._named(members), "}")
            case New(kind, identifier, members):
                scope = [] if identifier is None else [self._self, self._text(identifier)]
                new = "" if self._is_python else "new "
                return f"{new}{kind}{self._arguments(scope, members)}"
            case Call(subject, method, members, arguments, scoped):
                of = subject if isinstance(subject, str) else self._text(subject)
                given = [self._text(each) for each in arguments]
                given += [self._self, *(self._text(each) for each in scoped)] if scoped else []
                return f"{of}.{self._name(method)}{self._arguments(given, members)}"
            case Verbatim(function, arguments):
                return f"{function}({', '.join(self._text(each) for each in arguments)})"
            case list():
                return self._brackets("[", [self._text(each) for each in value], "]")
            case Mapping():
                pairs = [f"{self._text(name)}: {self._text(each)}" for name, each in value.items()]
                return self._brackets("{", pairs, "}")
            case _:
                return self._literal(value)

    def _literal(self, value: Any) -> str:
        if self._is_python and not isinstance(value, str):
            return repr(value)
        return json.dumps(value, ensure_ascii=False)

    @property
    def _self(self) -> str:
        return "self" if self._is_python else "this"

    def _name(self, name: str) -> str:
        """A dotted name; classes and members of enums begin with a capital and stay."""
        if not self._is_python:
            return name
        parts = [part if part[0].isupper() else _snake(part) for part in name.split(".")]
        return ".".join(parts)

    def _named(self, members: Mapping[str, Any]) -> list[str]:
        sign = "=" if self._is_python else ": "
        return [f"{self._name(name)}{sign}{self._text(value)}" for name, value in members.items()]

    def _arguments(self, given: Sequence[str], members: Mapping[str, Any]) -> str:
        """Arguments in parentheses; named ones are an object at the end in TypeScript."""
        if not members:
            return f"({', '.join(given)})"
        if self._is_python:
            return self._brackets("(", [*given, *self._named(members)], ")")
        return f"({''.join(f'{each}, ' for each in given)}{self._text(Struct('', members))})"

    def _brackets(self, opening: str, parts: Sequence[str], closing: str) -> str:
        """Parts between brackets, each on a line of its own unless there are few."""
        inner = ", ".join(parts)
        space = " " if opening == "{" and parts else ""
        if len(inner) <= 60 and "\n" not in inner:  # noqa: PLR2004 - short enough to be read
            return f"{opening}{space}{inner}{space}{closing}"
        lines = "".join(f"{part},\n" for part in parts)
        indented = "".join(f"{self._indent}{line}\n" for line in lines.splitlines())
        return f"{opening}\n{indented}{closing}"


def _snake(name: str) -> str:
    return _humps("_", name).lower()
