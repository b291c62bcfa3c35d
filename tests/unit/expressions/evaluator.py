"""Conditions and updates as plainly as they can be said, to hold the compiled ones against."""

from base64 import b64decode
from copy import deepcopy
from decimal import Decimal, localcontext

from hashrange.expressions.syntax import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Constant,
    Delete,
    In,
    Not,
    Or,
    Path,
    Remove,
    Set,
)

MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)


class RefusedError(Exception):
    """With the text of the refusal."""


_NATIVE = {
    "N": Decimal,
    "B": b64decode,
    "SS": frozenset,
    "NS": lambda members: frozenset(map(Decimal, members)),
    "BS": lambda members: frozenset(map(b64decode, members)),
    "L": lambda elements: list(map(native, elements)),
    "M": lambda members: {name: native(member) for name, member in members.items()},
}


def native(value):
    """A value in Python's own types; sets without order, numbers by value, types kept apart."""
    ((kind, content),) = value.items()
    return kind, _NATIVE.get(kind, lambda same: same)(content)


def walk(elements, item):
    """The value at a path, None if there is none."""
    value = {"M": item}
    for element in elements:
        kind = "L" if isinstance(element, int) else "M"
        if kind not in value:
            return None
        try:
            value = value[kind][element]
        except (KeyError, IndexError):
            return None
    return value


def operand_of(operand, item, constants):
    """The native value of an operand, None if there is none."""
    match operand:
        case Constant(position):
            return native(constants[position])
        case Path(elements):
            value = walk(elements, item)
            return None if value is None else native(value)
        case Call("size", (measured,)):
            value = operand_of(measured, item, constants)
            if value is None or value[0] in {"N", "BOOL", "NULL"}:
                return None
            kind, content = value
            length = len(content.encode("utf-16-be")) // 2 if kind == "S" else len(content)
            return "N", Decimal(length)


def _ordered(comparator, left, right):
    if left is None or right is None or left[0] != right[0] or left[0] not in {"S", "N", "B"}:
        return False
    one, two = left[1], right[1]
    if left[0] == "S":
        one, two = one.encode(), two.encode()
    return {"<": one < two, "<=": one <= two, ">": one > two, ">=": one >= two}[comparator]


def _compared(comparator, left, right):
    if comparator in {"=", "<>"}:
        equal = left is not None and right is not None and left == right
        return equal is (comparator == "=")
    return _ordered(comparator, left, right)


def _called(function, values):
    match function, values:
        case "attribute_exists", (value,):
            held = value is not None
        case "attribute_not_exists", (value,):
            held = value is None
        case "attribute_type", ((kind, _), (_, name)):
            held = kind == name
        case "begins_with", (("S", whole), ("S", start)) | (("B", whole), ("B", start)):
            held = whole.startswith(start)
        case "contains", (("S", whole), ("S", part)) | (("B", whole), ("B", part)):
            held = part in whole
        case "contains", (("L", elements), (_, _) as member):
            held = member in elements
        case "contains", (("SS" | "NS" | "BS" as kind, members), (member_kind, member)):
            held = kind == f"{member_kind}S" and member in members
        case _:
            held = False
    return held


def holds(tree, item, constants):
    """Whether a condition holds."""
    match tree:
        case And(parts):
            return all(holds(part, item, constants) for part in parts)
        case Or(parts):
            return any(holds(part, item, constants) for part in parts)
        case Not(inner):
            return not holds(inner, item, constants)
        case _:
            return _leaf_holds(tree, lambda operand: operand_of(operand, item, constants))


def _leaf_holds(leaf, value):
    match leaf:
        case Comparison(comparator, left, right):
            return _compared(comparator, value(left), value(right))
        case Between(operand, lower, upper):
            between = value(operand)
            return _ordered(">=", between, value(lower)) and _ordered("<=", between, value(upper))
        case In(operand, members):
            return any(_compared("=", value(operand), value(member)) for member in members)
        case Call(function, operands):
            return _called(function, tuple(map(value, operands)))


def _typed(value, kind):
    if kind not in value:
        raise RefusedError(WRONG_TYPE)
    return value[kind]


def _sum(operator, left, right):
    with localcontext() as context:
        context.prec = 400
        one, two = Decimal(left), Decimal(right)
        total = (one + two if operator == "+" else one - two).normalize()
        if len(total.as_tuple().digits) > 38:
            raise RefusedError(OVERFLOW)
        return format(total or Decimal(0), "f")


def value_of(operand, item, constants):
    """The value that SET writes."""
    match operand:
        case Constant(position):
            return constants[position]
        case Path(elements):
            value = walk(elements, item)
            if value is None:
                raise RefusedError(MISSING)
            return value
        case Call("if_not_exists", (Path(elements), default)):
            value = walk(elements, item)
            return value_of(default, item, constants) if value is None else value
        case Call("list_append", (first, second)):
            head = _typed(value_of(first, item, constants), "L")
            return {"L": head + _typed(value_of(second, item, constants), "L")}
        case Arithmetic(operator, left, right):
            one = _typed(value_of(left, item, constants), "N")
            return {"N": _sum(operator, one, _typed(value_of(right, item, constants), "N"))}


def _set_of(kind, members):
    keys = {"SS": str.encode, "NS": Decimal, "BS": b64decode}
    return {kind: sorted(set(members), key=keys[kind])}


def result_of(action, item, constants):
    """The value that an action leaves at its target, None if it removes it."""
    match action:
        case Remove():
            return None
        case Set(_, operand):
            return value_of(operand, item, constants)
        case Add(Path(elements), Constant(position)):
            return _added(walk(elements, item), constants[position])
        case Delete(Path(elements), Constant(position)):
            return _remaining(walk(elements, item), constants[position])


def _added(old, operand):
    if old is None:
        return operand
    ((kind, content),) = operand.items()
    if kind == "N":
        return {"N": _sum("+", _typed(old, "N"), content)}
    return _set_of(kind, _typed(old, kind) + content)


def _remaining(old, operand):
    if old is None:
        return None
    ((kind, content),) = operand.items()
    members = set(_typed(old, kind)) - set(content)
    return _set_of(kind, members) if members else None


_GONE = object()


def updated(actions, item, constants):
    """The item after an update; every value is read before anything is written."""
    results = [result_of(action, item, constants) for action in actions]
    after = deepcopy(item)
    appended = []
    for action, result in zip(actions, results, strict=True):
        *above, last = action.target.elements
        parent = walk(above, after) if above else {"M": after}
        kind = "L" if isinstance(last, int) else "M"
        if parent is None or parent is _GONE or kind not in parent:
            raise RefusedError(WRONG_PATH)
        content = parent[kind]
        if kind == "M":
            content.pop(last, None)
            if result is not None:
                content[last] = result
        elif last < len(content):
            content[last] = _GONE if result is None else result
        elif result is not None:
            appended.append((last, content, result))
    for _, content, result in sorted(appended, key=lambda entry: entry[0]):
        content.append(result)
    return _closed(after)


def _closed(value):
    """The same without the gaps that removed elements left."""
    if isinstance(value, list):
        return [_closed(element) for element in value if element is not _GONE]
    if isinstance(value, dict):
        return {key: _closed(member) for key, member in value.items()}
    return value


def projected(paths, item):
    """The parts of an item that paths lead to."""
    part = _part([path.elements for path in paths], {"M": item})
    return {} if part is None else part["M"]


def _part(paths, value):
    if () in paths:
        return value
    ((kind, content),) = value.items()
    if kind not in {"L", "M"}:
        return None
    parts = {}
    for key, member in enumerate(content) if kind == "L" else content.items():
        below = [path[1:] for path in paths if path[0] == key]
        part = _part(below, member) if below else None
        if part is not None:
            parts[key] = part
    if not parts:
        return None
    return {kind: list(parts.values()) if kind == "L" else parts}
