"""Texts that many requests bring about, as the service writes them."""

UNDEFINED_NAME = (
    "An expression attribute name used in the document path is not defined; attribute name: "
)
UNDEFINED_VALUE = (
    "An expression attribute value used in expression is not defined; attribute value: "
)
COUNT = (
    "Incorrect number of operands for operator or function; "
    "operator or function: {}, number of operands: {}"
)
MISPLACED = "The function is not allowed to be used this way in an expression; function: "
REDUNDANT = "The expression has redundant parentheses;"
TOO_LARGE = "Expression size has exceeded the maximum allowed size; expression size: "
TOO_MANY = "The expression contains too many operators; operator count: 301"
TOO_DEEP = "The document path has too many nesting levels; nesting levels: "
OVERLAP = (
    "Two document paths overlap with each other; must remove or rewrite one of these paths; "
    "path one: {}, path two: {}"
)
CONFLICT = (
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
    "path one: {}, path two: {}"
)
NOT_DISTINCT = (
    "The first operand must be distinct from the remaining operands for this operator or function; "
    "operator: {}, first operand: {}"
)
BOUNDS_OF_TYPES = (
    "The BETWEEN operator requires same data type for lower and upper bounds; "
    "lower bound operand: AttributeValue: {}, upper bound operand: AttributeValue: {}"
)
OPERAND_TYPE = (
    "Incorrect operand type for operator or function; operator or function: {}, operand type: {}"
)
VALUES_ALONE = "ExpressionAttributeValues can only be specified when using expressions"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value: "
