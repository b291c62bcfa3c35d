"""Programs in TypeScript, for version 3 of AWS's SDK: the access patterns of a model. Pure."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hashrange.tools.checking.table_rules import part_of_pattern
from hashrange.tools.models.schema import Entity, Model
from hashrange.tools.models.table_parts import key_types, keys_of
from hashrange.tools.models.templates import Slot, names_in, parts_of
from hashrange.tools.templates.calls import Call, Value, described, entities_in, found_by, words_of
from hashrange.tools.templates.python_code import WIDTH, Style, literal

_TYPES: Final = {
    "S": "string",
    "N": "number",
    "BOOL": "boolean",
    "L": "unknown[]",
    "M": "Record<string, unknown>",
}
_COMMANDS: Final = {
    "GetItem": "GetCommand",
    "PutItem": "PutCommand",
    "UpdateItem": "UpdateCommand",
    "DeleteItem": "DeleteCommand",
}
_DB: Final = "db: DynamoDBDocumentClient"


def function_name(name: str) -> str:
    """The name of a function or a variable."""
    first, *others = words_of(name)
    return first + "".join(word.capitalize() for word in others)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


def _scalar(node: Any) -> str:
    match node:
        case Value():
            return _text_of(node, lambda each: each)
        case str() | bool() | None:
            return json.dumps(node, ensure_ascii=False)
        case _:
            return str(node)


def _text_of(value: Value, source: Any) -> str:
    """An expression for a value; `source` gives the expression for an attribute."""
    first = value.parts[0]
    if len(value.parts) == 1 and isinstance(first, Slot) and not first.width:
        return str(source(first.name))
    texts = []
    for part in value.parts:
        if not isinstance(part, Slot):
            texts.append(part)
        elif part.width:
            texts.append(f'${{String({source(part.name)}).padStart({part.width}, "0")}}')
        else:
            texts.append(f"${{{source(part.name)}}}")
    return f"`{''.join(texts)}`"


_STYLE: Final = Style(scalar=_scalar, key=_key, indent=2, space=" ")


def patterns_module(model: Model, calls: Sequence[Call]) -> str:
    """The module with a function for each call, and one for the keys of each entity."""
    commands = sorted(
        {_COMMANDS[each.pattern.operation] for each in calls if each.pattern.operation != "Query"}
    )
    queries = [each for each in calls if each.pattern.operation == "Query"]
    used = sorted({"queryPage" if each.pattern.limit else "queryAll" for each in queries})
    pages = ["type Item", "type Page"] if "queryPage" in used else []
    names = [each for key in keys_of(model.tables[0].request) for each in key]
    types = key_types(model.tables[0].request)
    members = " ".join(f"{name}: {_TYPES[types[name]]};" for name in names)
    sdk = [*commands, "type DynamoDBDocumentClient"]
    heading = (
        f"/** The access patterns of {model.name}: each function is one request.\n *\n"
        " * Patterns that need more are in workflows.ts.\n */\n\n"
        f'import {{ {", ".join(sdk)} }} from "@aws-sdk/lib-dynamodb";\n\n'
        f'import {{ {", ".join([*used, *pages])} }} from "./dynamo.js";\n\n'
        f'export const TABLE = "{model.tables[0].name}";\n\n'
        f"export type Key = {{ {members} }};\n"
    )
    parts = [
        heading,
        *(_interface(entity) for entity in model.entities),
        *(_item_function(model, entity) for entity in model.entities),
        *(_function(model, call) for call in calls),
    ]
    return "\n".join(parts)


def _interface(entity: Entity) -> str:
    lines = [f"export interface {entity.name} {{"]
    for name, kind in entity.attributes.items():
        optional = "?" if name in entity.optional else ""
        lines.append(f"  {name}{optional}: {_TYPES[kind]};")
    return "\n".join([*lines, "}", ""])


def _item_function(model: Model, entity: Entity) -> str:
    name = function_name(entity.name)
    keys = key_types(model.tables[0].request)
    lines = [f"export function {name}Item({name}: {entity.name}): {entity.name} & Key {{"]
    if not entity.templates:
        return "\n".join([*lines, f"  return {name};", "}", ""])
    lines.append("  return {")
    for attribute, template in entity.templates.items():
        value = Value(parts_of(template), keys.get(attribute, "S"))
        named = bool(names_in(template))
        text = _text_of(value, lambda each: f"{name}.{each}") if named else _scalar(template)
        lines.append(f"    {attribute}: {text},")
    return "\n".join([*lines, f"    ...{name},", "  };", "}", ""])


def _function(model: Model, call: Call) -> str:
    pattern = call.pattern
    parameters = [_DB, *(f"{each.name}: {_TYPES[each.kind]}" for each in call.parameters)]
    request: dict[str, Any] = {}
    lines: list[str]
    match pattern.operation:
        case "Query":
            shape = _shape(model, call)
            result = f"({shape})[]"
            opening, closing = f"  return queryAll<{shape}>(db, {{", ["  });"]
            if pattern.limit:
                parameters += [f"limit = {pattern.limit}", "start?: Item"]
                result = f"Page<{shape}>"
                opening = f"  return queryPage<{shape}>(db, start, {{"
                request = {"Limit": Value((Slot("limit"),), "N")}
        case "GetItem":
            result = f"({call.entity.name} & Key) | undefined"
            opening = "  const { Item } = await db.send(\n    new GetCommand({"
            closing = ["    }),", "  );", f"  return Item as {result};"]
        case "PutItem":
            name = function_name(call.entity.name)
            parameters.append(f"{name}: {call.entity.name}")
            result = "void"
            opening = "  await db.send(\n    new PutCommand({"
            closing = ["    }),", "  );"]
            request = {"Item": Value((Slot(f"{name}Item({name})"),), "M")}
        case "UpdateItem":
            result = f"{call.entity.name} & Key"
            opening = "  const { Attributes } = await db.send(\n    new UpdateCommand({"
            ending = f"  return Attributes as {result};"
            closing = ['      ReturnValues: "ALL_NEW",', "    }),", "  );", ending]
        case _:
            result = "void"
            opening = "  await db.send(\n    new DeleteCommand({"
            closing = ["    }),", "  );"]
    level = 2 if pattern.operation == "Query" else 3
    members = {"TableName": Value((Slot("TABLE"),), "S"), **request, **call.request}
    lines = [f"/** {described(pattern)} */"]
    lines += _heading(function_name(pattern.name), parameters, result)
    lines.append(opening)
    for name, value in members.items():
        text = literal(value, _STYLE, level=level, used=len(name) + 2)
        lines.append(f"{'  ' * level}{name}: {text},")
    return "\n".join([*lines, *closing, "}", ""])


def _heading(name: str, parameters: Sequence[str], result: str) -> Iterator[str]:
    line = f"export async function {name}({', '.join(parameters)}): Promise<{result}> {{"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"export async function {name}("
    yield from (f"  {each}," for each in parameters)
    yield f"): Promise<{result}> {{"


def _shape(model: Model, call: Call) -> str:
    """The type of the items that a Query returns: that of what it finds in the samples."""
    table = model.tables[0]
    part = part_of_pattern(table, call.pattern.index)
    whole = (part.get("Projection") or {}).get("ProjectionType", "ALL") == "ALL"
    names = [each.name for each in entities_in(found_by(model, call))]
    shapes = [name if whole else f"Partial<{name}>" for name in names]
    joined = " | ".join(shapes)
    return f"({joined}) & Key" if len(shapes) > 1 else f"{joined} & Key"


def main_module(calls: Sequence[Call]) -> str:
    """The program that runs all reads on the samples, and then the workflows."""
    lines = [
        "/** Runs the access patterns on the samples: npm start [http://127.0.0.1:8000]. */",
        "",
        'import { createTables, local, putSamples, show } from "./dynamo.js";',
        'import * as patterns from "./patterns.js";',
        'import { demo } from "./workflows.js";',
        "",
        "const db = local(process.argv[2]);",
        "await createTables(db);",
        "await putSamples(db);",
    ]
    for call in calls:
        if call.is_read:
            examples = ["db", *(_scalar(each.example) for each in call.parameters)]
            name, function = _scalar(call.pattern.name), function_name(call.pattern.name)
            awaited = f"await patterns.{function}({', '.join(examples)})"
            line = f"show({name}, {awaited});"
            lines += (
                [line] if len(line) <= WIDTH else ["show(", f"  {name},", f"  {awaited},", ");"]
            )
    return "\n".join([*lines, "await demo(db);", ""])
