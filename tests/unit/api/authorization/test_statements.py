"""The condition keys of statements of PartiQL, by hand."""

import pytest

from hashrange.access.policies.actions import ACTIONS
from hashrange.api.steps.accesses import Access, Resource
from tests.unit.api.authorization.asked import OTHER, TABLE, T, permitted, plain


def asked(statement, *, old=False, **members):
    options = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if old else {}
    request = {"Statement": statement, **options, **members}
    return permitted("ExecuteStatement", request)


ENCLOSED = {"enclosingoperation": "ExecuteTransaction"}
READ = {"select": "ALL_ATTRIBUTES", "fulltablescan": "false"}


@pytest.mark.parametrize(
    ("where", "keys"),
    [
        ("pk = 'ann' AND sk = 1", {"leadingkeys": ("ann",), "attributes": ("pk", "sk")}),
        ("pk = 'ann'", {"leadingkeys": ("ann",), "attributes": ("pk", "sk")}),
        ("pk IN ('ann', 'bob')", {"leadingkeys": ("ann", "bob"), "attributes": ("pk", "sk")}),
        (
            "(pk = 'ann' OR pk = 'bob') AND costs.net > 3",
            {"leadingkeys": ("ann", "bob"), "attributes": ("pk", "sk", "costs")},
        ),
        ("sk = 1", {"fulltablescan": "true", "attributes": ("pk", "sk")}),
    ],
)
def test_select(where, keys):
    (permission,) = asked(f'SELECT * FROM "{T}" WHERE {where}')
    assert permission.access == Access("PartiQLSelect", Resource("table", T))
    assert plain(permission) == READ | keys


def test_select_of_everything_and_of_columns():
    (permission,) = asked(f'SELECT * FROM "{T}"')
    assert plain(permission) == READ | {"fulltablescan": "true", "attributes": ("pk", "sk")}
    (permission,) = asked(f"SELECT title, a.b FROM \"{T}\" WHERE pk = 'ann' ORDER BY sk")
    found = plain(permission)
    assert set(found["attributes"]) == {"pk", "sk", "title", "a"}
    assert found["select"] == "SPECIFIC_ATTRIBUTES"


def test_writes():
    (permission,) = asked(f"INSERT INTO \"{T}\" VALUE {{'pk': 'ann', 'sk': 1, 'title': 'x'}}")
    assert permission.access.action == "PartiQLInsert"
    assert plain(permission) == {"leadingkeys": ("ann",), "attributes": ("pk", "sk", "title")}
    update = f"UPDATE \"{T}\" SET a.b = c + 1 REMOVE d WHERE pk = 'ann' AND sk = 1 AND e = 2"
    (permission,) = asked(f"{update} RETURNING ALL NEW *")
    assert permission.access.action == "PartiQLUpdate"
    found = plain(permission)
    assert (found["leadingkeys"], found["returnvalues"]) == (("ann",), "ALL_NEW")
    assert set(found["attributes"]) == {"pk", "sk", "a", "c", "d", "e"}
    (permission,) = asked(f"DELETE FROM \"{T}\" WHERE pk = 'ann' AND sk = 1", old=True)
    assert permission.access.action == "PartiQLDelete"
    assert plain(permission)["returnvalues"] == "ALL_OLD"


# Each statement of a batch is asked for by itself; those with a fault do nothing.
def test_batches():
    statements = [
        {"Statement": f"SELECT * FROM \"{T}\" WHERE pk = '{name}' AND sk = 1"}
        for name in ("ann", "bob")
    ]
    wrong = {"Statement": f'SELECT * FROM "{T}"'}
    found = permitted("BatchExecuteStatement", {"Statements": [*statements, wrong]})
    assert [plain(permission)["leadingkeys"] for permission in found] == [("ann",), ("bob",)]


def test_transactions():
    reads = [
        {"Statement": f"SELECT * FROM \"{T}\" WHERE pk = 'ann' AND sk = 1"},
        {"Statement": "SELECT * FROM \"other\" WHERE id = '7'"},
    ]
    found = permitted("ExecuteTransaction", {"TransactStatements": reads}, TABLE, OTHER)
    assert [plain(permission) for permission in found] == [
        {**READ, **ENCLOSED, "leadingkeys": (key,), "attributes": names}
        for key, names in (("ann", ("pk", "sk")), ("7", ("id",)))
    ]
    writes = [
        {"Statement": "INSERT INTO \"other\" VALUE {'id': '7'}"},
        {"Statement": f"EXISTS(SELECT * FROM \"{T}\" WHERE pk = 'ann' AND sk = 1 AND a = 2)"},
        {"Statement": f"UPDATE \"{T}\" SET a = 1 WHERE pk = 'bob' AND sk = 1",
         "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
    ]  # fmt: skip
    found = permitted("ExecuteTransaction", {"TransactStatements": writes}, OTHER, TABLE)
    assert [permission.access.action for permission in found] == [
        "PartiQLInsert",
        "PartiQLSelect",
        "PartiQLUpdate",
    ]
    insert, exists, update = map(plain, found)
    assert insert["leadingkeys"] == ("7",)
    assert (exists["leadingkeys"], exists["attributes"]) == (("ann",), ("pk", "sk", "a"))
    assert (update["returnvalues"], update["attributes"]) == ("ALL_OLD", ("pk", "sk", "a"))
    for permission in found:
        assert permission.context.keys() <= ACTIONS[f"dynamodb:{permission.access.action}"].keys
