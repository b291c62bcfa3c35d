"""Texts of statements as they are read: syntax, and what in it is not supported."""

from collections.abc import Sequence

from hashrange.messages.items.values import INVALID

# A statement that cannot be read


def not_well_formed(detail: str = "") -> str:
    """Before every fault of syntax; nothing follows unreadable text. Catalogue 239, verified."""
    return f"Statement wasn't well formed, can't be processed: {detail}"


def unexpected_token() -> str:
    """Something follows a complete statement. Catalogue 230, verified."""
    return not_well_formed("Unexpected token after expression")


def unexpected_term() -> str:
    """No value, path or function where one must begin. Catalogue 231, verified."""
    return not_well_formed("Unexpected term")


def missing_right_side() -> str:
    """A statement that ends after an operator. Catalogue 232, verified."""
    return not_well_formed("Missing right-hand side expression of infix operator")


def unexpected_keyword() -> str:
    """A keyword where a term must begin. Catalogue 233, verified."""
    return not_well_formed("Unexpected keyword")


def unexpected_operator() -> str:
    """An operator where a term must begin. Catalogue 234, verified."""
    return not_well_formed("Unexpected operator")


def expected_type_name() -> str:
    """IS without the name of a type. Catalogue 235, verified."""
    return not_well_formed("Expected type name")


def expected_simple_path() -> str:
    """No table or target of an assignment. Catalogue 236, verified of DELETE FROM."""
    return not_well_formed("Expected identifier for simple path")


def invalid_dot_component() -> str:
    """A keyword after a dot. Catalogue 237, verified."""
    return not_well_formed("Invalid path dot component")


def expected_manipulation() -> str:
    """FROM without what to do. Catalogue 238, verified."""
    return not_well_formed("Expected data manipulation")


# The service's texts above are those of the reference implementation of PartiQL, and so are these.


def expected_token(name: str) -> str:
    """A bracket that is not closed, a member without its colon. One of them as users met it."""
    return not_well_formed(f"Expected {name}")


def expected_keyword(word: str) -> str:
    """BETWEEN without AND. Source: the reference implementation of PartiQL."""
    return not_well_formed(f"Expected {word} keyword")


def expected_upper_bound() -> str:
    """BETWEEN that ends after AND. Source: the reference implementation of PartiQL."""
    return not_well_formed("Expected expression after AND")


def expected_from_of_select() -> str:
    """SELECT without FROM. Source: the reference implementation of PartiQL."""
    return not_well_formed("Expected FROM after SELECT list")


def expected_from_of_delete() -> str:
    """DELETE without FROM. Source: the reference implementation of PartiQL."""
    return not_well_formed("Expected FROM after DELETE")


def expected_assignment() -> str:
    """A target of SET without its value. Source: the reference implementation of PartiQL."""
    return not_well_formed("Expected '='")


def expected_returning() -> str:
    """RETURNING of something else. Source: the reference implementation of PartiQL."""
    return not_well_formed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")


def expected_alias(word: str) -> str:
    """AS, AT or BY without a name. Source: the reference implementation of PartiQL."""
    return not_well_formed(f"Expected identifier for {word}-alias")


def expected_row() -> str:
    """VALUES without parentheses. Source: the reference implementation of PartiQL."""
    return expected_token("LEFT_PAREN for row value constructor")


def token_after_semicolon() -> str:
    """A second statement. Source: the reference implementation of PartiQL."""
    return not_well_formed("Unexpected token after semicolon. (Only one query is allowed.)")


def columns_beside_star() -> str:
    """`*` and columns. Source: the reference implementation of PartiQL."""
    return not_well_formed(
        "Other expressions may not be present in the select list when '*' is used without dot "
        "notation."
    )


def unpivot_of_target() -> str:
    """`a.*` as a target or a table. Source: the reference implementation of PartiQL."""
    return not_well_formed("Invalid path dot component for simple path")


def star_argument(function: str) -> str:
    """`*` as the argument of a function. Source: the reference implementation of PartiQL."""
    return not_well_formed(f"{function}(*) is not allowed")


def aggregate_not_unary() -> str:
    """SUM of two arguments, COUNT of none. Source: the reference implementation of PartiQL."""
    return not_well_formed("Aggregate functions are always unary")


# What can be read, and is not supported


def aliasing() -> str:
    """Another name for a table or a column. Catalogue 240, verified."""
    return "Aliasing is not supported"


def unsupported_operation(name: str) -> str:
    """A bare expression, by the name of its node. Catalogue 241, verified of IsType."""
    return f"Unsupported operation: {name}"


def unrecognized_function(name: str, place: str) -> str:
    """A function that there is not, or not there. Catalogue 242, verified."""
    return f"Unrecognized function: {name} at {place}"


def unexpected_path_component(place: str) -> str:
    """A column that is no path. Catalogue 243, verified."""
    return f"Unexpected path component at {place}"


def unsupported_data_type(name: str, key: str, place: str) -> str:
    """Something in a literal that is no literal. Catalogue 244, verified."""
    return f"Unsupported data type: {name} under key {key} at {place}"


def empty_bag() -> str:
    """A set without members. Catalogue 245, verified."""
    return "Empty bags are not supported"


def bag_members() -> str:
    """A set of something else, or of both. Source: the downloadable version."""
    return "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"


def number_bag_repeats(members: Sequence[str]) -> str:
    """Equal numbers in a set literal, as written. Source: measured by users, September 2026."""
    return INVALID + f"Input collection [{', '.join(members)}] contains duplicates! under root"


def first_argument_not_target(function: str, place: str) -> str:
    """A set function on another path than the one assigned to. Catalogue 246, verified."""
    return f"The first argument to {function} must equal the assignment value at {place}"


def second_argument_no_set(function: str, place: str) -> str:
    """The place is that of the first argument. Catalogue 247, verified."""
    return f"The second argument to {function} must be a value with type SET at {place}"


def argument_count(function: str, place: str) -> str:
    """A set function with one argument, or three. Catalogue 248, verified."""
    return f"{function} must have exactly two arguments at {place}"


def unsupported_clause(name: str) -> str:
    """GROUP BY, LIMIT and others. Catalogue 275, not verified."""
    return f"Unsupported clause: {name}"


def unsupported_token(name: str) -> str:
    """What is no condition. Catalogue 275, not verified."""
    return f"Unsupported token in expression: {name}"


def no_members() -> str:
    """IN with a list that is empty. Source: captures of the service, September 2026."""
    return (
        "IN operator must have a left hand argument of type Variable Reference and right hand "
        "argument of type Seq with at least one member"
    )


def unsupported_condition_operator(operator: str) -> str:
    """An operator that no condition has. Source: the downloadable version."""
    return f"Unsupported operator in Condition Expression. Operator: {operator}"


def unsupported_update_operator(operator: str) -> str:
    """An operator that no assignment has. Source: the downloadable version."""
    return f"Unsupported operator in Update Expression. Operator: {operator}"


def several_sources() -> str:
    """A join. Source: the downloadable version."""
    return "Only select from a single table or index is supported."


def unexpected_source() -> str:
    """FROM something that is no name. Source: the downloadable version."""
    return "Unexpected from source"


def column_repeated(name: str) -> str:
    """Two columns of one name. Source: the downloadable version."""
    return f"Duplicate identifiers in select clause: {name}"


def key_repeated(name: str, key: str) -> str:
    """Two members of one name in a document. Source: the downloadable version."""
    return f"Duplicate keys in tuple. Key: {name} under {key}"


def key_not_text(kind: str, key: str) -> str:
    """A member whose name is no string. Source: the downloadable version."""
    return f"Tuple keys must be of type String. Actual type: {kind} under {key}"


def list_index(index: str, place: str) -> str:
    """A negative index, or one of more than 31 bits. Source: measured by users, September 2026."""
    return f"List index is not within the allowable range; index: [{index}] at {place}"


def nesting_too_deep(path: str = "") -> str:
    """More than 32 levels; in a literal with their path. Source: measured by users, 2026."""
    text = "Nesting Levels have exceeded supported limits"
    return f"{text} under {path}" if path else text


def number_in(text: str, path: str) -> str:
    """A number literal that is no number of DynamoDB's, and where. Catalogue 40 to 42, verified."""
    return f"{text} under {path}"


def parameter_count() -> str:
    """More or fewer parameters than question marks. Catalogue 273, from emulators."""
    return "Number of parameters in request and statement don't match."
