"""The types of attributes, and the SQL that makes columns of items in DynamoDB-JSON. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

DECIMAL_DIGITS_MAX: Final = 38
_BIGINT_DIGITS_MAX: Final = 18
TEXT_SUFFIX: Final = "_text"


class Numbers(msgspec.Struct, frozen=True):
    """A type of SQL for the numbers of an attribute.

    Attributes:
        whole: digits before the decimal point.
        fraction: digits behind it.
        fits: whether it holds all of them exactly.
    """

    whole: int = 0
    fraction: int = 0
    fits: bool = True

    @property
    def sql_type(self) -> str:
        """BIGINT for whole numbers that it holds, else DECIMAL."""
        if not self.fraction and self.whole <= _BIGINT_DIGITS_MAX:
            return "BIGINT"
        return f"DECIMAL({max(1, self.whole + self.fraction)}, {self.fraction})"

    def cast(self, text: str, path: str) -> str:
        """The number of an expression of its text; an error for one that does not fit."""
        cast = f"CAST({text} AS {self.sql_type})"
        if self.fits:
            return cast
        refusal = (
            f"the attribute {path} has numbers that {self.sql_type} does not hold exactly: "
            f"read {path}{TEXT_SUFFIX}, which has all digits"
        )
        return f"CASE WHEN {fits_into(text, self)} THEN {cast} ELSE {refused(text, refusal)} END"


class Shape(msgspec.Struct, frozen=True):
    """A type of the values of an attribute.

    Attributes:
        kind: the type of DynamoDB.
        numbers: of the numbers of N and NS.
        element: of the values of a list, if all have one; else they are JSON.
        fields: of the values of a map, if all have the same; else it is JSON.
    """

    kind: str
    numbers: Numbers = Numbers()
    element: "Shape | None" = None
    fields: Mapping[str, "Shape"] = {}

    @property
    def sql_type(self) -> str:
        """The type of the column."""
        match self.kind:
            case "N":
                return self.numbers.sql_type
            case "NS":
                return f"{self.numbers.sql_type}[]"
            case "L" if self.element is not None:
                return f"{self.element.sql_type}[]"
            case "M" if self.fields:
                members = (f"{quoted(name)} {each.sql_type}" for name, each in self.fields.items())
                return f"STRUCT({', '.join(members)})"
            case kind:
                return _SIMPLE[kind][0]


_SIMPLE: Final[Mapping[str, tuple[str, str]]] = {
    "S": ("VARCHAR", "{text}"),
    "B": ("BLOB", "from_base64({text})"),
    "BOOL": ("BOOLEAN", "CAST({text} AS BOOLEAN)"),
    "NULL": ("VARCHAR", "CAST(NULL AS VARCHAR)"),
    "SS": ("VARCHAR[]", "CAST({json} AS VARCHAR[])"),
    "BS": ("BLOB[]", "list_transform(CAST({json} AS VARCHAR[]), lambda x: from_base64(x))"),
    "L": ("JSON[]", "CAST({json} AS JSON[])"),
    "M": ("JSON", "{json}"),
}
"""Types of columns, and their expressions of the text or the JSON of a value."""


def expression(shape: Shape, base: str, pointer: str, path: str) -> str:
    """The SQL of a value.

    Args:
        shape: its type.
        base: an expression of the JSON that has it.
        pointer: where in that, a JSON pointer.
        path: its name in errors.
    """
    here = f"{pointer}/{shape.kind}"
    text, content = text_at(base, here), f"({base}->{literal(here)})"
    match shape.kind:
        case "N":
            return shape.numbers.cast(text, path)
        case "NS":
            number = shape.numbers.cast("x", path)
            return f"list_transform({texts_of_set(content)}, lambda x: {number})"
        case "L" if shape.element is not None:
            element = expression(shape.element, "x", "", path)
            return f"list_transform(CAST({content} AS JSON[]), lambda x: {element})"
        case "M" if shape.fields:
            members = ", ".join(
                f"{quoted(name)} := "
                + expression(each, base, f"{here}/{escaped(name)}", f"{path}.{name}")
                for name, each in shape.fields.items()
            )
            return f"CASE WHEN {content} IS NOT NULL THEN struct_pack({members}) END"
        case kind:
            return _SIMPLE[kind][1].format(text=text, json=content)


def text_at(base: str, pointer: str) -> str:
    """The SQL of the text of a value in the JSON of an expression."""
    return f"({base}->>{literal(pointer)})"


def union(shapes: Sequence[Shape], base: str, pointer: str, path: str) -> str:
    """The SQL of an attribute of several types: a UNION, whose members are named like them."""
    members = ", ".join(f"{quoted(each.kind)} {each.sql_type}" for each in shapes)
    cases = " ".join(
        f"WHEN ({base}->{literal(f'{pointer}/{each.kind}')}) IS NOT NULL THEN "
        f"CAST(union_value({quoted(each.kind)} := {expression(each, base, pointer, path)}) "
        f"AS UNION({members}))"
        for each in shapes
    )
    return f"CASE {cases} END"


def texts_of_set(content: str) -> str:
    """The members of a set as texts, of an expression of its JSON."""
    return f"CAST({content} AS VARCHAR[])"


def whole_digits(text: str) -> str:
    """The SQL of the number of digits before the decimal point."""
    point = f"CASE WHEN contains({text}, '.') THEN 1 ELSE 0 END"
    return f"(strlen(ltrim({text}, '-0')) - {fraction_digits(text)} - {point})"


def fraction_digits(text: str) -> str:
    """The SQL of the number of digits behind the decimal point."""
    return f"(CASE WHEN contains({text}, '.') THEN strlen({text}) - instr({text}, '.') ELSE 0 END)"


def is_odd(text: str) -> str:
    """The SQL of whether a number is written other than as plain digits."""
    return f"(contains({text}, 'e') OR contains({text}, 'E') OR contains({text}, '+'))"


def fits_into(text: str, numbers: Numbers) -> str:
    """The SQL of whether a type holds a number exactly, or there is none."""
    return (
        f"({text} IS NULL OR (NOT {is_odd(text)} AND {whole_digits(text)} <= {numbers.whole} "
        f"AND {fraction_digits(text)} <= {numbers.fraction}))"
    )


def refused(text: str, reason: str) -> str:
    """The SQL of an error; `text` is the value, so that it is not computed for every statement."""
    return f"error({literal(reason + ': ')} || {text})"


def quoted(name: str) -> str:
    """An identifier."""
    return '"{}"'.format(name.replace('"', '""'))


def literal(text: str) -> str:
    """A string."""
    return "'{}'".format(text.replace("'", "''"))


def escaped(name: str) -> str:
    """A name in a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def time_of(time_ms: int) -> str:
    """The SQL of a time, in milliseconds since the epoch."""
    return f"make_timestamp({time_ms * 1000})"
