"""Makes actions of update expressions from SET and REMOVE clauses."""

from typing import Final

from hashrange.errors import invalid
from hashrange.expressions import syntax as trees
from hashrange.expressions.operands import Facts
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.literals import unsupported
from hashrange.expressions.partiql.operands import Constants, path_of
from hashrange.expressions.partiql.syntax import Expr
from hashrange.expressions.update_checks import check_operands, check_overlaps, targets
from hashrange.messages import partiql as messages
from hashrange.model.data_types import SETS

SET_FUNCTIONS: Final[dict[str, type[trees.Add] | type[trees.Delete]]] = {
    "set_add": trees.Add,
    "set_delete": trees.Delete,
}
"""The functions that only statements have, and the actions of updates that they are."""
_ARGUMENTS: Final = 2


def actions_of(
    assignments: tuple[syntax.Assignment, ...], constants: Constants
) -> tuple[trees.Action, ...]:
    """The actions of an UPDATE. Raises ValidationException: an operand cannot be assigned."""
    return tuple(_action(assignment, constants) for assignment in assignments)


def check_actions(actions: tuple[trees.Action, ...], facts: Facts) -> None:
    """Refuse overlapping targets and operands of wrong types."""
    check_overlaps(targets(actions), facts)
    for action in actions:
        check_operands(action, facts)


def _action(assignment: syntax.Assignment, constants: Constants) -> trees.Action:
    target, value = path_of(assignment.target), assignment.value
    match value:
        case None:
            return trees.Remove(target)
        case syntax.Call(function=function) if function in SET_FUNCTIONS:
            return _set_function(target, value, constants)
        case syntax.Call(function="list_append", arguments=arguments):
            operands = tuple(_operand(each, constants) for each in arguments)
            return trees.Set(target, trees.Call("list_append", operands))
        case syntax.Binary(operator="+" | "-" as operator):
            left, right = _operand(value.left, constants), _operand(value.right, constants)
            return trees.Set(target, trees.Arithmetic(operator, left, right))
        case _:
            return trees.Set(target, _operand(value, constants))


def _set_function(target: trees.Path, call: syntax.Call, constants: Constants) -> trees.Action:
    """ADD or DELETE of set elements at the target."""
    name = call.function.upper()
    if len(call.arguments) != _ARGUMENTS:
        raise invalid(messages.argument_count(name, constants.place(call)))
    first, second = call.arguments
    if not isinstance(first, syntax.Id) or path_of(first) != target:
        raise invalid(messages.first_argument_not_target(name, constants.place(call)))
    operand = None
    if isinstance(second, syntax.Parameter | syntax.Lit | syntax.Sequence | syntax.Struct):
        operand = _constant(second, constants)
    if operand is None or constants.kinds[operand.position] not in SETS:
        raise invalid(messages.second_argument_no_set(name, constants.place(first)))
    return SET_FUNCTIONS[call.function](target, operand)


def _operand(node: Expr, constants: Constants) -> trees.Operand:
    match node:
        case syntax.Id():
            return path_of(node)
        case syntax.Parameter() | syntax.Lit() | syntax.Sequence() | syntax.Struct():
            return _constant(node, constants)
        case syntax.Call():
            at = constants.place(node)
            raise invalid(messages.unrecognized_function(node.function, at))
        case syntax.Binary(operator="+" | "-" as operator, left=left, right=right):
            return trees.Call(operator, (_operand(left, constants), _operand(right, constants)))
        case syntax.Neg(operator=operator, operand=inner):
            return trees.Call(operator, (_operand(inner, constants),))  # the checks refuse it
        case syntax.Binary(operator=operator) | syntax.Logical(operator=operator):
            raise invalid(messages.unsupported_update_operator(operator))
        case _:
            raise unsupported(node, constants.text, "root")


def _constant(node: Expr, constants: Constants) -> trees.Constant:
    if isinstance(node, syntax.Parameter):
        return constants.parameter(node)
    return constants.literal(node)
