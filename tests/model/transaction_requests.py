"""Transactions to draw: as data that the model understands, and as an SDK sends them."""

from typing import Any

from hypothesis import strategies as st

from tests.model.item_model import Item, to_wire
from tests.model.item_requests import (
    PATHS,
    Placeholders,
    attributes,
    condition_text,
    conditions,
    path_text,
    update_text,
    updates,
)

SORTS = ["a", "b", "c", "d"]
# What mostly holds, so that histories get somewhere, and what is drawn from all that there is.
_conditions = st.one_of(
    st.none(),
    st.tuples(st.sampled_from(["exists", "missing"]), st.just(("pk",))),
    conditions,
)
_options = {"failure": st.sampled_from(["NONE", "ALL_OLD"]), "condition": _conditions}
_put = st.fixed_dictionaries({"kind": st.just("put"), "item": attributes, **_options})
_update = st.fixed_dictionaries(
    {"kind": st.just("update"), "actions": updates.filter(bool), **_options}
)
_delete = st.fixed_dictionaries({"kind": st.just("delete"), **_options})
_check = st.fixed_dictionaries(
    {"kind": st.just("check"), **_options, "condition": _conditions.filter(bool)}
)
_action = st.sampled_from([_put, _put, _update, _update, _delete, _check]).flatmap(lambda s: s)


def _on_distinct_items(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    sorts = st.lists(st.sampled_from(SORTS), min_size=1, unique=True)
    return sorts.flatmap(
        lambda chosen: st.tuples(
            *[strategy.map(lambda action, sort=sort: {**action, "sort": sort}) for sort in chosen]
        ).map(list)
    )


_writes = st.fixed_dictionaries(
    {
        "kind": st.just("write"),
        "actions": _on_distinct_items(_action),
        "token": st.sampled_from([None, "one", "two", "three"]),
        "again": st.sampled_from([0, 0, 1]),
    }
)
_fill = st.fixed_dictionaries(
    {"kind": st.just("put"), "item": attributes, "condition": st.none(), "failure": st.just("NONE")}
)
_first = st.fixed_dictionaries(
    {
        "kind": st.just("write"),
        "actions": _on_distinct_items(_fill),
        "token": st.none(),
        "again": st.just(0),
    }
)
_get = st.fixed_dictionaries(
    {"projection": st.lists(st.sampled_from(PATHS), max_size=3, unique=True)}
)
_reads = st.fixed_dictionaries({"kind": st.just("read"), "gets": _on_distinct_items(_get)})

histories = st.builds(
    lambda first, later: [first, *later],
    _first,
    st.lists(
        st.sampled_from([_writes] * 4 + [_reads]).flatmap(lambda s: s), min_size=6, max_size=12
    ),
)


def wire(item: Item) -> dict[str, Any]:
    """An item, or a key, as an SDK sends it."""
    return {name: to_wire(value) for name, value in item.items()}


def sent_action(action: dict[str, Any], table: str, key: Item) -> dict[str, Any]:
    """An action of TransactWriteItems."""
    used = Placeholders()
    members: dict[str, Any] = {
        "TableName": table,
        "ReturnValuesOnConditionCheckFailure": action["failure"],
    }
    if action["condition"] is not None:
        members["ConditionExpression"] = condition_text(action["condition"], used)
    match action["kind"]:
        case "put":
            name, members["Item"] = "Put", wire({**key, **action["item"]})
        case "update":
            name, members["Key"] = "Update", wire(key)
            members["UpdateExpression"] = update_text(action["actions"], used)
        case "delete":
            name, members["Key"] = "Delete", wire(key)
        case _:
            name, members["Key"] = "ConditionCheck", wire(key)
    if used.values:
        members["ExpressionAttributeValues"] = used.values
    return {name: members}


def sent_get(get: dict[str, Any], table: str, key: Item) -> dict[str, Any]:
    """An action of TransactGetItems."""
    members: dict[str, Any] = {"TableName": table, "Key": wire(key)}
    if get["projection"]:
        members["ProjectionExpression"] = ", ".join(map(path_text, get["projection"]))
    return {"Get": members}
