"""Projects: all files of a template, by their names."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from hashrange.tools.checking.running import creation_of
from hashrange.tools.copying.item_lines import plain_json_of
from hashrange.tools.design.model_formats import template_of_model
from hashrange.tools.models.document import attribute_types
from hashrange.tools.models.files import json_text, parsed
from hashrange.tools.models.items import items_of
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.reading import model_of
from hashrange.tools.models.samples import plain_item
from hashrange.tools.models.schema import Model
from hashrange.tools.models.table_parts import keys_of
from hashrange.tools.templates import python_code, typescript_code
from hashrange.tools.templates.calls import Call, calls_of, found_by
from hashrange.tools.templates.python_code import (
    STYLE,
    WIDTH,
    decimal_import,
    function_name,
    literal,
    scalar,
)

_FAILED: Final = "ConditionalCheckFailedException"


def main_module(calls: Sequence[Call]) -> str:
    """The program that runs all reads on the samples, and then the workflows."""
    shown = [line for call in calls if call.is_read for line in _shown(call)]
    lines = [
        '"""Runs the access patterns on the samples: python main.py [http://127.0.0.1:8000]."""',
        "",
        f"import sys\n{decimal_import(''.join(shown))}",
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
    name = scalar(call.pattern.name)
    line = f"    dynamo.show({name}, {_invocation(call)})"
    if len(line) <= WIDTH:
        return [line]
    return ["    dynamo.show(", f"        {name},", *_invoked("", call, ",", 2), "    )"]


def _invocation(call: Call) -> str:
    return f"patterns.{function_name(call.pattern.name)}({', '.join(_arguments(call))})"


def _arguments(call: Call) -> list[str]:
    examples = (f"{function_name(each.name)}={scalar(each.example)}" for each in call.parameters)
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
    decimal, needs_pytest = decimal_import(body), "pytest.raises" in body
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
            wanted = literal(keys, STYLE, level=1, used=len("assert keys_of(found) == "), after=0)
            lines = [*_invoked("found = ", call, "", 1), f"    assert keys_of(found) == {wanted}"]
        case "PutItem":
            types = attribute_types(model, call.entity)
            sample = plain_item(items_of(model, call.entity)[0], types)
            own = {
                each: value for each, value in sample.items() if each not in call.entity.templates
            }
            lines = [f"    item = {literal(own, STYLE, level=1, used=7, after=0)}"]
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
                f"    assert keys_of(changed) == {_keys_of_sample(model, call)}",
            ]
        case _:
            lines = [*_invoked("", call, "", 1), *_invoked("", call, "", 1)]
    return "\n".join([heading, *lines, ""])


def _keys_of_sample(model: Model, call: Call) -> str:
    names = [each for key in keys_of(model.tables[0].request) for each in key]
    item = items_of(model, call.entity)[0]
    return f'["{"/".join(next(iter(item[each].values())) for each in names)}"]'


TEMPLATES: Final = (
    *("saas", "ecommerce", "social", "leaderboard", "iot", "chat", "ledger"),
    *("session-store", "event-store", "file-metadata", "geo"),
)
"""The names of the templates."""
SCAFFOLD: Final = "scaffold"
"""The folder with the files of all projects."""
MODEL: Final = "model.toml"
STORY: Final = "story.md"


@cache
def parts_of(folder: str) -> dict[str, str]:
    """The texts of the files of a folder of `data`, by their names."""
    found: Traversable = files("hashrange.tools.templates") / "data" / folder
    return {
        each.name: each.read_text("utf-8")
        for each in sorted(found.iterdir(), key=lambda each: each.name)
        if each.is_file()
    }


@cache
def model_of_template(name: str) -> Model:
    """The model of a template."""
    return model_of(parsed(parts_of(name)[MODEL].encode(), ".toml"), name)


GUIDE: Final = "guide.md"
"""Common sections of the READMEs of all projects."""
TIME_TO_LIVE: Final = "TimeToLiveAttribute"
"""Beside the members of CreateTable in tables.json, which is the request of another operation."""


def project_of(name: str) -> dict[str, str]:
    """The texts of the files of a project, by their names."""
    assert name in TEMPLATES, name
    model, parts = model_of_template(name), parts_of(name)
    calls = calls_of(model)
    made = {
        "README.md": _readme(model, parts[STORY]),
        "template.yaml": template_of_model(model),
        "tables.json": json_text([_creation(model)]) + "\n",
        "samples.jsonl": _samples(model),
        "patterns.py": python_code.patterns_module(model, calls),
        "main.py": main_module(calls),
        "test_patterns.py": test_module(model, calls),
        "patterns.ts": typescript_code.patterns_module(model, calls),
        "main.ts": typescript_code.main_module(calls),
    }
    stored = {**parts_of(SCAFFOLD), **parts}
    found = {each: text for each, text in stored.items() if each not in {STORY, GUIDE}} | made
    return {each: text.replace("{{table}}", model.tables[0].name) for each, text in found.items()}


def _readme(model: Model, story: str) -> str:
    """The story, and what `hashrange model convert --to markdown` writes under its title."""
    title, _, described = markdown_of(model).partition("## ")
    guide = parts_of(SCAFFOLD)[GUIDE]
    return f"{title.rstrip()}\n\n{story.strip()}\n\n{guide.strip()}\n\n## {described}"


def _creation(model: Model) -> dict[str, Any]:
    table = model.tables[0]
    made = creation_of(table, table.name)
    return made if table.time_to_live is None else {**made, TIME_TO_LIVE: table.time_to_live}


def _samples(model: Model) -> str:
    """The samples in plain JSON, one a line."""
    found = [item for entity in model.entities for item in items_of(model, entity)]
    return "".join(f"{plain_json_of(item).decode()}\n" for item in found)
