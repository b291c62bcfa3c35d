"""The projects of `hashrange new` in TypeScript: they are compiled, and do what Python does."""

import json
import sys

import pytest

from hashrange.tools.templates.projects import TEMPLATES, project_of
from tests.clients.programs import run_program
from tests.served import served

pytestmark = [pytest.mark.toolchain("node", "npm"), pytest.mark.timeout(300), pytest.mark.long]
QUIET = {"NODE_NO_WARNINGS": "1"}


@pytest.fixture(scope="module")
def compiled(node_place, environment):
    """A folder with all projects, and `build`, their programs in JavaScript."""
    place = node_place / "projects"
    for name in TEMPLATES:
        (place / name).mkdir(parents=True)
        for file, text in project_of(name).items():
            (place / name / file).write_text(text, "utf-8")
    settings = json.loads((place / TEMPLATES[0] / "tsconfig.json").read_text("utf-8"))
    settings["include"] = ["*/*.ts"]
    (place / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    ended = run_program(["npx", "tsc"], environment, place)
    assert ended.returncode == 0, ended.stdout
    return place


@pytest.mark.parametrize("name", TEMPLATES)
def test_both_languages_print_the_same(name, compiled, endpoint, environment):
    node = ["node", str(compiled / "build" / name / "main.js"), endpoint]
    of_node = run_program(node, {**environment, **QUIET}, compiled / name)
    assert of_node.returncode == 0, of_node.stderr
    with served() as other:
        python = [sys.executable, "main.py", other.endpoint]
        of_python = run_program(python, environment, compiled / name)
    assert of_python.returncode == 0, of_python.stderr
    assert of_node.stdout == of_python.stdout
