"""Programs in Python, for boto3: the access patterns of a model, and their tests. Pure."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from hashrange.tools.models.document import attribute_types
from hashrange.tools.models.items import items_of
from hashrange.tools.models.samples import plain_item
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types, keys_of
from hashrange.tools.models.templates import Slot, names_in, parts_of
from hashrange.tools.templates.calls import Call, Parameter, Value, described, found_by, words_of
from hashrange.tools.templates.literals import WIDTH, Style, literal

_TEXT_WIDTH: Final = 96
_FAILED: Final = "ConditionalCheckFailedException"


def function_name(name: str) -> str:
    """The name of a function or a variable."""
    return "_".join(words_of(name))


def _scalar(node: Any) -> str:
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


_STYLE: Final = Style(scalar=_scalar, key=_scalar, indent=4, space="")


def patterns_module(model: Model, calls: Sequence[Call]) -> str:
    """The module with a function for each call, and one for the keys of each entity."""
    used = {"query_page" if each.pattern.limit else "query_all" for each in _queries(calls)}
    imported = ["Item", *(["Page"] if "query_page" in used else []), *sorted(used)]
    functions = [_function(call) for call in calls]
    parts = [
        f'"""The access patterns of {model.name}: each function is one request.\n\n'
        "`db` is the client of a resource of boto3, which takes and gives plain values:\n"
        '`boto3.resource("dynamodb").meta.client`. Patterns that need more are in workflows.py.\n'
        f'"""\n\n{_decimal_import("".join(functions))}from typing import Any\n\n'
        f"from dynamo import {', '.join(imported)}\n\n"
        f'TABLE = "{model.tables[0].name}"\n',
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
            text = _scalar(template)
        lines.append(f'        "{attribute}": {text},')
    return "\n".join([*lines, f"        **{name},", "    }", ""])


def _function(call: Call) -> str:
    pattern = call.pattern
    parameters = ["db: Any", *(f"{function_name(each.name)}: {_type(each)}" for each in call.parameters)]
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
    text = literal(value, _STYLE, 2, len(name) + 1)
    if isinstance(value, str) and len(text) + len(name) + 10 > WIDTH:
        lines = textwrap.wrap(value, WIDTH - 14, drop_whitespace=False)
        text = "".join(f"            {_scalar(line)}\n" for line in lines)
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


def _decimal_import(body: str) -> str:
    return "from decimal import Decimal\n" if "Decimal" in body else ""


def _docstring(text: str) -> str:
    text = text if text.endswith(".") else f"{text}."
    if len(text) <= _TEXT_WIDTH - 6:
        return f'    """{text}"""'
    wrapped = textwrap.wrap(text, _TEXT_WIDTH - 6)
    return "\n".join([f'    """{wrapped[0]}', *(f"    {line}" for line in wrapped[1:]), '    """'])


def main_module(calls: Sequence[Call]) -> str:
    """The program that runs all reads on the samples, and then the workflows."""
    shown = [line for call in calls if call.is_read for line in _shown(call)]
    lines = [
        '"""Runs the access patterns on the samples: python main.py [http://127.0.0.1:8000]."""',
        "",
        f"import sys\n{_decimal_import(''.join(shown))}",
        "import dynamo",
        "import patterns",
        "import workflows",
        "",
        "",
        "def main() -> None:",
        '    """Make the table, read the samples by each pattern, and run the workflows."""',
        "    db = dynamo.local(*sys.argv[1:2])",
        "    dynamo.create_tables(db)",
        "    dynamo.put_samples(db)",
        *shown,
    ]
    return "\n".join([*lines, "    workflows.demo(db)", "", "", _MAIN])


_MAIN: Final = 'if __name__ == "__main__":\n    main()\n'


def _shown(call: Call) -> list[str]:
    name = _scalar(call.pattern.name)
    line = f"    dynamo.show({name}, {_invocation(call)})"
    if len(line) <= WIDTH:
        return [line]
    return ["    dynamo.show(", f"        {name},", *_invoked("", call, ",", 2), "    )"]


def _invocation(call: Call) -> str:
    return f"patterns.{function_name(call.pattern.name)}({', '.join(_arguments(call))})"


def _arguments(call: Call) -> list[str]:
    examples = (f"{function_name(each.name)}={_scalar(each.example)}" for each in call.parameters)
    return ["db", *examples]


def _invoked(before: str, call: Call, after: str, level: int) -> list[str]:
    """The lines of a call with examples, with texts before and after it."""
    spaces = " " * 4 * level
    line = f"{spaces}{before}{_invocation(call)}{after}"
    if len(line) <= WIDTH:
        return [line]
    opening = f"{spaces}{before}patterns.{function_name(call.pattern.name)}("
    arguments = f"{spaces}    {', '.join(_arguments(call))}"
    lines = [arguments] if len(arguments) <= WIDTH else []
    lines = lines or [f"{spaces}    {each}," for each in _arguments(call)]
    return [opening, *lines, f"{spaces}){after}"]


def test_module(model: Model, calls: Sequence[Call]) -> str:
    """The module with a test for each call, on the samples."""
    tests = [_test(model, call) for call in calls]
    body = "".join(tests)
    decimal, needs_pytest = _decimal_import(body), "pytest.raises" in body
    heading = (
        f'"""The access patterns of {model.name}, on the samples."""'
        "\n\n"
        + (f"{decimal}\n" if decimal else "")
        + ("import pytest\n\n" if needs_pytest else "")
        + "import patterns\nfrom dynamo import keys_of\n"
    )
    return "\n\n".join([heading, *tests])


def _test(model: Model, call: Call) -> str:
    name = function_name(call.pattern.name)
    heading = f"def test_{name}(db):"
    match call.pattern.operation:
        case "Query" | "GetItem":
            names = [each for key in keys_of(model.tables[0].request) for each in key]
            keys = [
                "/".join(str(next(iter(item[each].values()))) for each in names)
                for _entity, item in found_by(model, call)
            ]
            wanted = literal(keys, _STYLE, 1, len("assert keys_of(found) == "), 0)
            lines = [*_invoked("found = ", call, "", 1), f"    assert keys_of(found) == {wanted}"]
        case "PutItem":
            types = attribute_types(model, call.entity)
            sample = plain_item(items_of(model, call.entity)[0], types)
            own = {each: value for each, value in sample.items() if each not in call.entity.templates}
            lines = [f"    item = {literal(own, _STYLE, 1, 7, 0)}"]
            invocation = f"patterns.{name}(db, item)"
            if call.pattern.condition:
                lines += [
                    f"    with pytest.raises(db.exceptions.{_FAILED}):",
                    f"        {invocation}",
                ]
            else:
                lines.append(f"    {invocation}")
        case "UpdateItem":
            lines = [
                *_invoked("changed = ", call, "", 1),
                f"    assert keys_of(changed) == {_scalar_keys(model, call)}",
            ]
        case _:
            lines = [*_invoked("", call, "", 1), *_invoked("", call, "", 1)]
    return "\n".join([heading, *lines, ""])


def _scalar_keys(model: Model, call: Call) -> str:
    names = [each for key in keys_of(model.tables[0].request) for each in key]
    item = items_of(model, call.entity)[0]
    return f'["{"/".join(next(iter(item[each].values())) for each in names)}"]'
