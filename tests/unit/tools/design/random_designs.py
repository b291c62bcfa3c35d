"""Random choices of `hashrange design` that DynamoDB accepts."""

from hypothesis import strategies as st

from hashrange.tools.design.choices import Choices

TABLES = st.from_regex(r"[A-Za-z0-9_.-]{3,20}", fullmatch=True)
# Names that YAML, HCL and shells read as something else, and others.
ATTRIBUTES = st.one_of(
    st.sampled_from(["pk", "yes", "1e3", "a b", "it's", 'a"b', "${x}", "%{x}", "#c", "- d", "é😀"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
).filter(lambda name: not {":", ","} & set(name) and name == name.strip())
TYPES = st.sampled_from("SNB")
PROJECTIONS = st.one_of(
    st.just(""),
    st.sampled_from([":ALL", ":KEYS_ONLY"]),
    ATTRIBUTES.map(lambda name: f":INCLUDE:x{name}"),
)
TAGS = st.dictionaries(
    st.from_regex(r"[A-Za-z][A-Za-z0-9 _.:/@-]{0,8}[a-z]", fullmatch=True).filter(
        lambda key: not key.lower().startswith("aws:")
    ),
    st.from_regex(r"[A-Za-z0-9 _.:/@+-]{0,12}", fullmatch=True),
    max_size=3,
).map(lambda tags: tuple(f"{key}={value}" for key, value in tags.items()))
SCALING = st.one_of(
    st.none(),
    st.tuples(st.integers(1, 50), st.integers(50, 900), st.integers(20, 90)).map(
        lambda parts: ":".join(map(str, parts))
    ),
)


@st.composite
def choices(draw):
    """Choices of a table with some indexes."""
    types = {}

    def key():
        name = draw(ATTRIBUTES)
        return f"{name}:{types.setdefault(name, draw(TYPES))}"

    partition, sort = key(), draw(st.booleans()) and key()
    if sort == partition:
        sort = None
    scaling = draw(SCALING)
    units = draw(st.one_of(st.none(), st.integers(1, 900))) if scaling is None else None
    named = draw(st.lists(TABLES, max_size=4, unique=True))
    local = [
        f"{name}:{other}{draw(PROJECTIONS)}"
        for name in named[:1]
        if sort and (other := key()) != partition
    ]
    other = []
    for name in named[1:]:
        first, second = key(), draw(st.booleans()) and key()
        keys = first if not second or second == first else f"{first}:{second}"
        other.append(f"{name}:{keys}{draw(PROJECTIONS)}")
    return Choices(
        table_name=draw(TABLES),
        partition_key=partition,
        sort_key=sort or None,
        read_units=units,
        write_units=units,
        auto_scaling=scaling,
        gsi=tuple(other),
        lsi=tuple(local),
        ttl=draw(st.one_of(st.none(), ATTRIBUTES)),
        stream=draw(st.sampled_from([None, "NEW_AND_OLD_IMAGES", "KEYS_ONLY"])),
        pitr=draw(st.one_of(st.none(), st.integers(1, 35))),
        table_class=draw(st.sampled_from([None, "STANDARD", "STANDARD_INFREQUENT_ACCESS"])),
        deletion_protection=draw(st.booleans()),
        insights=draw(st.booleans()),
        alarms=draw(st.booleans()),
        tags=draw(TAGS),
        production=draw(st.booleans()),
    )
