"""The access patterns of a model as functions in Python, for boto3. Pure."""

import json
import textwrap
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types
from hashrange.tools.models.templates import Slot, names_in, parts_of
from hashrange.tools.templates.calls import Call, Parameter, Value, described, words_of

WIDTH: Final = 100
"""Of the lines of programs."""


class Style(msgspec.Struct, frozen=True, kw_only=True):
    """How a language writes literals.

    Attributes:
        scalar: the text of a value that is neither a dictionary nor a list.
        key: the text of a key of a dictionary.
        indent: spaces of one level.
        space: between braces and members on one line.
    """

    scalar: Callable[[Any], str]
    key: Callable[[str], str]
    indent: int
    space: str


def literal(node: Any, style: Style, *, level: int = 0, used: int = 0, after: int = 1) -> str:
    """The text of data.

    Args:
        node: dictionaries, lists, and scalars.
        style: of the language.
        level: levels of indentation of the line.
        used: characters before the literal on its line, without indentation.
        after: characters behind it.
    """
    match node:
        case dict() if node:
            members = [(f"{style.key(name)}: ", value) for name, value in node.items()]
            opening, closing, space = "{", "}", style.space
        case list() if node:
            members = [("", value) for value in node]
            opening, closing, space = "[", "]", ""
        case _:
            return style.scalar(node)
    short = ", ".join(f"{name}{_one_line(value, style)}" for name, value in members)
    short = f"{opening}{space}{short}{space}{closing}"
    if level * style.indent + used + len(short) + after <= WIDTH:
        return short
    spaces = " " * style.indent * (level + 1)
    lines = [
        f"{spaces}{name}{literal(value, style, level=level + 1, used=len(name))},\n"
        for name, value in members
    ]
    return f"{opening}\n{''.join(lines)}{' ' * style.indent * level}{closing}"


def _one_line(node: Any, style: Style) -> str:
    return literal(node, style, used=-10_000)


_TEXT_WIDTH: Final = 96


def function_name(name: str) -> str:
    """The name of a function or a variable."""
    return "_".join(words_of(name))


def scalar(node: Any) -> str:
    """The literal of a value."""
    match node:
        case Value():
            return _text_of(node, function_name)
        case str():
            return json.dumps(node, ensure_ascii=False)
        case Decimal():
            return f'Decimal("{node}")'
        case _:
            return repr(node)


def _text_of(value: Value, source: Any) -> str:
    """An expression for a value; `source` gives the expression for an attribute."""
    first = value.parts[0]
    if len(value.parts) == 1 and isinstance(first, Slot) and not first.width:
        return str(source(first.name))
    texts = []
    for part in value.parts:
        if isinstance(part, Slot):
            texts.append(f"{{{source(part.name)}{f':0>{part.width}' if part.width else ''}}}")
        else:
            texts.append(part)
    return f'f"{"".join(texts)}"'


STYLE: Final = Style(scalar=scalar, key=scalar, indent=4, space="")


def patterns_module(model: Model, calls: Sequence[Call]) -> str:
    """The module with a function for each call, and one for the keys of each entity."""
    used = {"query_page" if each.pattern.limit else "query_all" for each in _queries(calls)}
    imported = ["Item", *(["Page"] if "query_page" in used else []), *sorted(used)]
    functions = [_function(call) for call in calls]
    heading = (
        f'"""The access patterns of {model.name}: each function is one request.\n\n'
        "`db` is the client of a resource of boto3, which takes and gives plain values:\n"
        '`boto3.resource("dynamodb").meta.client`. Patterns that need more are in workflows.py.\n'
        f'"""\n\n{decimal_import("".join(functions))}from typing import Any\n\n'
        f"from dynamo import {', '.join(imported)}\n\n"
        f'TABLE = "{model.tables[0].name}"\n'
    )
    parts = [
        heading,
        *(_item_function(model, entity) for entity in model.entities),
        *functions,
    ]
    rows = [(f'"{each.name}": ', each) for each in model.entities]
    table = "".join(f"    {name}{function_name(each.name)}_item,\n" for name, each in rows)
    comment = '"""Functions that add the keys to the attributes of an item, by entity."""\n'
    return "\n\n".join([*parts, f"ITEMS = {{\n{table}}}\n{comment}"])


def _queries(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.pattern.operation == "Query"]


def _item_function(model: Model, entity: Entity) -> str:
    name = function_name(entity.name)
    keys = key_types(model.tables[0].request)
    lines = [f"def {name}_item({name}: Item) -> Item:"]
    article = "An" if entity.name[0] in "AEIO" else "A"
    lines.append(f'    """{article} {entity.name} with its keys."""')
    if not entity.templates:
        return "\n".join([*lines, f"    return {name}", ""])
    lines.append("    return {")
    for attribute, template in entity.templates.items():
        value = Value(parts_of(template), keys.get(attribute, "S"))
        if names_in(template):
            text = _text_of(value, lambda each: f"{name}['{each}']")
            text = text if text.startswith('f"') else text.replace("'", '"')
        else:
            text = scalar(template)
        lines.append(f'        "{attribute}": {text},')
    return "\n".join([*lines, f"        **{name},", "    }", ""])


def _function(call: Call) -> str:
    pattern = call.pattern
    parameters = [
        "db: Any",
        *(f"{function_name(each.name)}: {_type(each)}" for each in call.parameters),
    ]
    first, result, opening, closing = _frame(call, parameters)
    name = function_name(pattern.name)
    heading = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(heading) > WIDTH:
        shown = ", ".join(parameters)
        heading = f"def {name}(\n    {shown}\n) -> {result}:"
    lines = [heading, _docstring(described(pattern))]
    body = "".join(_argument(each, value) for each, value in call.request.items())
    return "\n".join([*lines, f"    {opening}\n{first}{body}    {closing}", ""])


def _argument(name: str, value: Any) -> str:
    """An argument of a call, with long texts on several lines."""
    text = literal(value, STYLE, level=2, used=len(name) + 1)
    if isinstance(value, str) and len(text) + len(name) + 10 > WIDTH:
        lines = textwrap.wrap(value, WIDTH - 14, drop_whitespace=False)
        text = "".join(f"            {scalar(line)}\n" for line in lines)
        return f"        {name}=(\n{text}        ),\n"
    return f"        {name}={text},\n"


def _frame(call: Call, parameters: list[str]) -> tuple[str, str, str, str]:
    """The first lines of the request, the type of the result, and the call around both."""
    pattern = call.pattern
    table = "        TableName=TABLE,\n"
    match pattern.operation:
        case "Query" if pattern.limit:
            parameters += [f"limit: int = {pattern.limit}", "start: Item | None = None"]
            table = f"        db,\n        start,\n{table}        Limit=limit,\n"
            return table, "Page", "return query_page(", ")"
        case "Query":
            return f"        db,\n{table}", "list[Item]", "return query_all(", ")"
        case "GetItem":
            return table, "Item | None", "return db.get_item(", ').get("Item")'
        case "PutItem":
            name = function_name(call.entity.name)
            parameters.append(f"{name}: Item")
            table += f"        Item={name}_item({name}),\n"
            return table, "None", "db.put_item(", ")"
        case "UpdateItem":
            ending = '    ReturnValues="ALL_NEW",\n    )["Attributes"]'
            return table, "Item", "return db.update_item(", ending
        case _:
            return table, "None", "db.delete_item(", ")"


def _type(parameter: Parameter) -> str:
    if parameter.kind != "N":
        return "str"
    return "int" if isinstance(parameter.example, int) else "Decimal"


def decimal_import(body: str) -> str:
    """The import that numbers with fractions need, if a text has one."""
    return "from decimal import Decimal\n" if "Decimal" in body else ""


def _docstring(text: str) -> str:
    text = text if text.endswith(".") else f"{text}."
    if len(text) <= _TEXT_WIDTH - 6:
        return f'    """{text}"""'
    wrapped = textwrap.wrap(text, _TEXT_WIDTH - 6)
    return "\n".join([f'    """{wrapped[0]}', *(f"    {line}" for line in wrapped[1:]), '    """'])
