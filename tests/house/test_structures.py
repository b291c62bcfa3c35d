"""The modules of structures are what `make reference` makes of the models of the services."""

import ast
import re

import botocore
import pytest

from tests.house.sources import ROOT, tree
from tests.house.structures.constraints import constraints_path, constraints_text
from tests.house.structures.generator import module_text, path_of
from tests.house.structures.registry import SERVICES

VERSION = re.compile(r"botocore (\d[\d.]*\d)")


def structures(module):
    """Members and their types, by the name of the class."""
    return {
        node.name: {
            ast.unparse(field.target): ast.unparse(field.annotation)
            for field in node.body
            if isinstance(field, ast.AnnAssign)
        }
        for node in module.body
        if isinstance(node, ast.ClassDef)
    }


# A row about a class that is not there has no effect.
@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.module)
def test_rows_are_of_structures(service):
    known = structures(tree(ROOT / path_of(service)))
    members = {name.partition(".")[0] for name in service.types}
    named = {*service.members, *service.always, *members, *service.nulls}
    assert sorted(named - known.keys()) == []


# Another version of the model may have more members, and other constraints.
@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.module)
def test_modules_agree_with_the_model(service):
    written = (ROOT / path_of(service)).read_text(encoding="utf-8")
    made = module_text(service)
    if VERSION.search(written)[1] == botocore.__version__:
        assert written == made, "run `make reference`"
        if service.checked_operations:
            constraints = (ROOT / constraints_path(service)).read_text(encoding="utf-8")
            assert constraints == constraints_text(service), "run `make reference`"
    ours, theirs = structures(tree(ROOT / path_of(service))), structures(ast.parse(made))
    assert ours.keys() <= theirs.keys()
    assert [name for name in ours if not ours[name].items() <= theirs[name].items()] == []
