"""Texts about expressions of all kinds: parameters, placeholders, syntax, operators.

"Catalogue n" is the number in docs/messages.md; *verified* texts were measured against the service
by users or stand in its documentation. `label` is the parameter that holds the expression, for
example `FilterExpression`.
"""

from collections.abc import Iterable


def invalid_expression(label: str, reason: str) -> str:
    """The prefix of every text about one expression. Source: the catalogue, verified."""
    return f"Invalid {label}: {reason}"


# Parameters that go together


def styles_mixed(legacy: Iterable[str], expressions: Iterable[str]) -> str:
    """A legacy parameter beside an expression. Source: catalogue 70, verified."""
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{', '.join(legacy)}}} "
        f"Expression parameters: {{{', '.join(expressions)}}}"
    )


def names_without_expression() -> str:
    """Source: catalogue 71, verified."""
    return "ExpressionAttributeNames can only be specified when using expressions"


def values_without_expression() -> str:
    """Older wordings append the missing expressions. Source: catalogue 72, verified."""
    return "ExpressionAttributeValues can only be specified when using expressions"


def names_empty() -> str:
    """Source: catalogue 73, verified."""
    return "ExpressionAttributeNames must not be empty"


def values_empty() -> str:
    """Source: catalogue 74, verified."""
    return "ExpressionAttributeValues must not be empty"


def name_key_invalid(key: str) -> str:
    """A key that is not # and word characters. Source: catalogue 75, verified."""
    return f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"'


def name_key_too_long(size: int) -> str:
    """More than 255 bytes. Source: measured against the service by users."""
    return (
        "ExpressionAttributeNames contains invalid key: "
        "The expression attribute map contains a key that is too long; "
        f"size of key: {size}"
    )


def value_key_too_long() -> str:
    """More than 255 bytes, without the size. Source: measured against the service by users."""
    return (
        "ExpressionAttributeValues contains invalid key: "
        "The expression attribute map contains a key that is too long;"
    )


def value_key_invalid(key: str) -> str:
    """A key that is not : and word characters. Source: catalogue 76, verified."""
    return f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"'


def name_value_empty(key: str) -> str:
    """A placeholder for an empty name. Source: catalogue 77, from emulators."""
    return f"ExpressionAttributeNames contains invalid value: Empty attribute name for key {key}"


def name_value_too_large(key: str) -> str:
    """A placeholder for a name of more than 65,535 bytes. Source: catalogue 47, by analogy."""
    return (
        "ExpressionAttributeNames contains invalid value: "
        f"Attribute name is too large, must be less than 65536 bytes for key {key}"
    )


def value_invalid_older(reason: str, key: str) -> str:
    """The older wording around a text about a value. Source: catalogue 78, verified."""
    return f"ExpressionAttributeValues contains invalid value: {reason} for key {key}"


def placeholders_too_large() -> str:
    """Names and values of more than 2 MB. Source: users of the downloadable version."""
    return "ExpressionAttributeValues exceeds max size"


def names_unused(keys: Iterable[str]) -> str:
    """Source: catalogue 79, verified."""
    return (
        "Value provided in ExpressionAttributeNames unused in expressions: "
        f"keys: {{{', '.join(keys)}}}"
    )


def values_unused(keys: Iterable[str]) -> str:
    """Source: catalogue 80, verified."""
    return (
        "Value provided in ExpressionAttributeValues unused in expressions: "
        f"keys: {{{', '.join(keys)}}}"
    )


# Syntax and limits


def expression_empty() -> str:
    """Source: catalogue 81, verified."""
    return "The expression can not be empty;"


def syntax_error(token: str, near: str) -> str:
    """`near` is the source from the previous to the next token. Source: catalogue 82, verified."""
    return f'Syntax error; token: "{token}", near: "{near}"'


def redundant_parentheses() -> str:
    """Source: catalogue 86, verified."""
    return "The expression has redundant parentheses;"


def too_many_operators(count: int) -> str:
    """The service stops counting at 301. Source: catalogue 97, verified."""
    return f"The expression contains too many operators; operator count: {count}"


def expression_too_large(size: int) -> str:
    """`size` in bytes. Source: catalogue 98, verified."""
    return f"Expression size has exceeded the maximum allowed size; expression size: {size}"


# Paths and placeholders


def reserved_keyword(word: str) -> str:
    """`word` as written. Source: catalogue 83, verified."""
    return f"Attribute name is a reserved keyword; reserved keyword: {word}"


def name_undefined(placeholder: str) -> str:
    """Source: catalogue 84, verified."""
    return (
        "An expression attribute name used in the document path is not defined; "
        f"attribute name: {placeholder}"
    )


def value_undefined(placeholder: str) -> str:
    """Source: catalogue 85, verified."""
    return (
        "An expression attribute value used in expression is not defined; "
        f"attribute value: {placeholder}"
    )


def path_too_deep(levels: int) -> str:
    """A document path of more than 32 elements. Source: catalogue 102, verified."""
    return f"The document path has too many nesting levels; nesting levels: {levels}"


def list_index_too_large(index: str) -> str:
    """An index above 4,294,967,294. Source: measured by users, September 2026."""
    return f"List index is not within the allowable range; index: [{index}]"


def paths_overlap(one: str, two: str) -> str:
    """One path leads through the other. Source: catalogue 99, verified."""
    return (
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


def paths_conflict(one: str, two: str) -> str:
    """Paths that need a map and a list in one place. Source: catalogue 100, verified."""
    return (
        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


# Functions and operators


def function_unknown(name: str) -> str:
    """Names of functions are case-sensitive. Source: catalogue 87, verified."""
    return f"Invalid function name; function: {name}"


def function_not_for_conditions(name: str) -> str:
    """if_not_exists or list_append in a condition. Source: measured by users."""
    return f"The function is not allowed in a condition expression; function: {name}"


def function_misplaced(name: str) -> str:
    """A condition where an operand is expected, or the reverse. Source: catalogue 93, verified."""
    return f"The function is not allowed to be used this way in an expression; function: {name}"


def operand_count(operator: str, count: int) -> str:
    """Source: catalogue 88, verified."""
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def too_many_members(count: int) -> str:
    """More than 100 operands of IN. Source: catalogue 88, the downloadable version."""
    return f"The IN operator is provided with too many operands; number of operands: {count}"


def operand_type(operator: str, kind: str) -> str:
    """`kind` is a type's code, or a list of them in braces. Source: catalogue 89, verified."""
    return (
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def operand_not_path(operator: str) -> str:
    """Source: catalogue 91, verified."""
    return f"Operator or function requires a document path; operator or function: {operator}"


def operands_not_distinct(operator: str, path: str) -> str:
    """The same path as both operands. Source: catalogue 92, verified."""
    return (
        "The first operand must be distinct from the remaining operands for this operator or "
        f"function; operator: {operator}, first operand: {path}"
    )


def bounds_of_types(lower: str, upper: str) -> str:
    """Bounds as `{N:1}`. Source: catalogue 94, verified."""
    return (
        "The BETWEEN operator requires same data type for lower and upper bounds; "
        f"lower bound operand: AttributeValue: {lower}, "
        f"upper bound operand: AttributeValue: {upper}"
    )


def bounds_reversed(lower: str, upper: str) -> str:
    """Bounds as `{N:1}`. Source: catalogue 95, verified."""
    return (
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        f"lower bound operand: AttributeValue: {lower}, "
        f"upper bound operand: AttributeValue: {upper}"
    )


def type_name_unknown(name: str) -> str:
    """The second operand of attribute_type. Source: catalogue 96, verified."""
    return (
        f"Invalid attribute type name found; type: {name}, "
        "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    )


def type_name_unknown_in_statement(name: str) -> str:
    """In PartiQL. Source: catalogue 96; the order: measured by users, September 2026."""
    return (
        f"Invalid attribute type name found; type: {name}, "
        "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
    )


# Key conditions


def key_conditioned_twice() -> str:
    """Source: catalogue 114, verified."""
    return "KeyConditionExpressions must only contain one condition per key"


def key_operator(operator: str) -> str:
    """OR, NOT, IN, <> or a function other than begins_with. Source: catalogue 116, verified."""
    return f"Invalid operator used in KeyConditionExpression: {operator}"


def key_condition_nested() -> str:
    """size() as an operand. Source: catalogue 117, verified."""
    return "KeyConditionExpressions cannot contain nested operations"


def key_path_nested() -> str:
    """Source: catalogue 118, verified."""
    return "KeyConditionExpressions cannot have conditions on nested attributes"


def key_operand_not_first(operator: str) -> str:
    """BETWEEN or begins_with with a value as first operand. Source: catalogue 119, verified."""
    return (
        f"Invalid condition in KeyConditionExpression: {operator} operator must have the key "
        "attribute as its first operand"
    )


def key_attribute_missing() -> str:
    """A condition of values without a key. Source: catalogue 119, verified."""
    return "Invalid condition in KeyConditionExpression: No key attribute specified"


def key_attributes_many() -> str:
    """Source: catalogue 119, verified."""
    return (
        "Invalid condition in KeyConditionExpression: "
        "Multiple attribute names used in one condition"
    )
