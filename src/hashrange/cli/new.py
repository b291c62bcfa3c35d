"""`hashrange new TEMPLATE`: writes a complete design as a project."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import re
from pathlib import Path
from typing import Any

import click

from hashrange.cli.files import never_asks
from hashrange.cli.refusals import Misuse, Refusal


@click.command()
@click.argument("template", required=False)
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@click.option("--list", "lists", is_flag=True, help="Print the templates.")
@never_asks
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def new(template: str | None, directory: Path | None, *, lists: bool, as_json: bool) -> None:
    """Write a complete design of a table as a project.

    A project has a model with samples, the reasons for its keys, programs in Python and TypeScript,
    tests, a generator of items, a workload for `hashrange simulate` and a CloudFormation template.
    DIRECTORY is made if it does not exist, and must be empty; the default is the name of the
    template.

    \b
    Examples:
      hashrange new --list
      hashrange new saas
      hashrange new event-store orders --json
    """  # noqa: D301 - click reads \b as an escape
    if lists:
        if template is not None:
            raise Misuse("--list has no TEMPLATE")
        _list(as_json=as_json)
        return
    if template is None:
        raise Misuse("give a TEMPLATE; hashrange new --list has them")
    name = _known(template)
    place = Path(name) if directory is None else directory
    files = _written(name, place)
    if as_json:
        _print_json({"template": name, "directory": str(place), "files": files})
        return
    click.echo(f"{place}: {len(files)} files of the template {name}. Begin with README.md, then:")
    click.echo(f"  hashrange check {place / 'model.toml'}")


def _list(*, as_json: bool) -> None:
    from hashrange.tools.templates.projects import TEMPLATES, model_of_template

    models = {name: model_of_template(name) for name in TEMPLATES}
    if as_json:
        rows = [
            {
                "template": name,
                "name": model.name,
                "description": model.description,
                "entities": [each.name for each in model.entities],
                "patterns": [each.name for each in model.patterns],
            }
            for name, model in models.items()
        ]
        _print_json(rows)
        return
    for name, model in models.items():
        click.echo(f"{name:<15}{model.description}")


def _known(text: str) -> str:
    """The name of a template, of a text such as `Session store`. Raises Misuse."""
    from difflib import get_close_matches

    from hashrange.tools.templates.projects import TEMPLATES

    name = re.sub(r"[ _]+", "-", text.strip().lower())
    if name not in TEMPLATES:
        near = get_close_matches(name, TEMPLATES, n=1)
        advice = f"did you mean {near[0]}?" if near else "hashrange new --list has them"
        raise Misuse(f"no such template {text!r}; {advice}")
    return name


def _written(name: str, place: Path) -> list[str]:
    """Write the files of a project; their names. Raises Misuse, and Refusal if it fails."""
    from hashrange.tools.templates.projects import project_of

    try:
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise Misuse(f"{place} exists and is not an empty directory")
        files = project_of(name)
        place.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (place / file).write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise Refusal(f"{place}: {error.strerror}") from error
    return sorted(files)


def _print_json(value: Any) -> None:
    from hashrange.tools.models.files import json_text

    click.echo(json_text(value))
