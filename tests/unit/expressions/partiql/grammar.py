"""Random statements: of the grammar, and nearly of it."""

from hypothesis import strategies as st

TABLE, INDEX = '"a-table"', '"a-table"."an-index"'
names = st.sampled_from(["pk", "sk", "a", "b", '"c d"', "m.x", "m.x[0]", "l[1]", "m['x']"])
numbers = st.sampled_from(["0", "1", "-1", ".5", "1.50", "1e2", "- - 2", "1E+3", "10", "-0"])
texts = st.sampled_from(["''", "'a'", "'it''s'", "'-- no'", "'?'", "'\"'", "'S'", "'é'"])
flags = st.sampled_from(["TRUE", "false", "NULL", "MISSING"])
scalars = numbers | texts | st.just("?")
literals = st.recursive(
    numbers | texts | flags,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]"),
        st.lists(inner, max_size=3).map(lambda each: f"<<{', '.join(each)}>>"),
        st.lists(inner, max_size=3).map(
            lambda each: (
                f"{{{', '.join(f'{chr(39)}k{n}{chr(39)}: {v}' for n, v in enumerate(each))}}}"
            )
        ),
    ),
    max_leaves=5,
)
values = st.one_of(scalars, scalars, literals)
operands = st.one_of(names, names, values, names.map(lambda name: f"size({name})"))
comparators = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">=", "+", "LIKE"])
types = st.sampled_from(["MISSING", "NULL", "BOOL", "INT", "STRING", "LIST", "NOT MISSING", "X"])
leaves = st.one_of(
    st.tuples(operands, comparators, operands).map(" ".join),
    st.tuples(names, operands, operands).map("{0[0]} BETWEEN {0[1]} AND {0[2]}".format),
    st.tuples(names, st.lists(values, min_size=1, max_size=4)).map(
        lambda each: f"{each[0]} IN [{', '.join(each[1])}]"
    ),
    st.tuples(names, types).map("{0[0]} IS {0[1]}".format),
    st.tuples(
        st.sampled_from(["begins_with", "CONTAINS", "attribute_type", "nope"]), names, values
    ).map("{0[0]}({0[1]}, {0[2]})".format),
    names.map("attribute_exists({})".format),
)
keys = st.sampled_from(["pk = 'a'", "pk = ?", "pk = 'a' AND sk = '1'", "pk IN ['a', 'b']"])
conditions = st.recursive(
    leaves | keys,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(" AND ".join),
        st.tuples(inner, inner).map(" OR ".join),
        inner.map("NOT {}".format),
        inner.map("({})".format),
        st.tuples(inner, st.sampled_from(["= true", "<> false", "= a"])).map(
            "({0[0]}) {0[1]}".format
        ),
    ),
    max_leaves=6,
)
wheres = st.one_of(st.just(""), conditions.map(" WHERE {}".format), keys.map(" WHERE {}".format))
assigned = st.one_of(
    values,
    names,
    st.tuples(names, st.sampled_from("+-"), values).map(" ".join),
    st.tuples(names, values).map("list_append({0[0]}, {0[1]})".format),
)
changes = st.one_of(
    st.tuples(names, assigned).map("SET {0[0]} = {0[1]}".format),
    st.tuples(names, values).map("SET {0[0]} = set_add({0[0]}, {0[1]})".format),
    names.map("REMOVE {}".format),
)
several_changes = st.lists(changes, min_size=1, max_size=3).map(" ".join)
returning = st.sampled_from(
    ["", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *", " RETURNING *"]
)
columns = st.one_of(st.just("*"), st.lists(names, min_size=1, max_size=3).map(", ".join))
orders = st.sampled_from(["", " ORDER BY sk", " ORDER BY pk DESC, sk", " ORDER BY a", " LIMIT 1"])
sources = st.sampled_from([TABLE, TABLE, INDEX, "t", '""', '"a"."b"."c"'])
selects = st.tuples(columns, sources, wheres, orders).map(
    "SELECT {0[0]} FROM {0[1]}{0[2]}{0[3]}".format
)


def insert(source, members):
    inside = ", ".join(f"'{name}': {value}" for name, value in members.items())
    return f"INSERT INTO {source} VALUE {{{inside}}}"


inserts = st.tuples(
    sources, st.dictionaries(st.sampled_from(["pk", "sk", "a", "b"]), values, max_size=4)
).map(lambda each: insert(*each))
updates = st.tuples(sources, several_changes, wheres, returning).map(
    "UPDATE {0[0]} {0[1]}{0[2]}{0[3]}".format
)
froms = st.tuples(sources, wheres, several_changes).map("FROM {0[0]}{0[1]} {0[2]}".format)
deletes = st.tuples(sources, wheres, returning).map("DELETE FROM {0[0]}{0[1]}{0[2]}".format)
exists = selects.map("EXISTS({})".format)
statements = st.one_of(selects, selects, inserts, updates, froms, deletes, exists, conditions)
"""Statements of the grammar, some of which mean nothing."""

parameters = st.sampled_from(
    [
        {"S": "a"},
        {"N": "1.0"},
        {"B": "AA=="},
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["a"]},
        {"L": [{"S": "a"}]},
        {"M": {"pk": {"S": "a"}, "sk": {"S": "b"}}},
    ]
)


def question_marks(statement: str) -> int:
    """As many as there are outside of what quotes hold."""
    return statement.replace("'?'", "").count("?")
