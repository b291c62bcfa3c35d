"""Projects: all files of a template, by their names."""

from typing import Any, Final

from hashrange.tools.checking.running import creation_of
from hashrange.tools.copying.item_lines import plain_json_of
from hashrange.tools.models.cloudformation_writing import template_of_model
from hashrange.tools.models.files import json_text
from hashrange.tools.models.items import items_of
from hashrange.tools.models.markdown import markdown_of
from hashrange.tools.models.schema import Model
from hashrange.tools.templates import python_code, python_runs, typescript_code
from hashrange.tools.templates.calls import calls_of
from hashrange.tools.templates.catalogue import (
    SCAFFOLD,
    STORY,
    TEMPLATES,
    model_of_template,
    parts_of,
)

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
        "main.py": python_runs.main_module(calls),
        "test_patterns.py": python_runs.test_module(model, calls),
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
