"""The requests of access patterns with parameters, independent of a programming language. Pure."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from hashrange.tools.checking.conditions import EQUAL, Condition, conditions_of
from hashrange.tools.checking.pattern_rules import KEYED
from hashrange.tools.checking.sizing import WRITES
from hashrange.tools.checking.table_rules import part_of_pattern
from hashrange.tools.copying.item_lines import Item
from hashrange.tools.models.document import attribute_types
from hashrange.tools.models.files import json_text
from hashrange.tools.models.items import items_of
from hashrange.tools.models.samples import plain_item
from hashrange.tools.models.schema import AccessPattern, Entity, Model
from hashrange.tools.models.table_parts import keys_of
from hashrange.tools.models.templates import Slot, names_in, parts_of, rendered
from hashrange.tools.scanning.expressions import expressions, placeholder_of

_BOUNDS: Final = {
    "between": ("begin", "end"),
    **dict.fromkeys((">", ">="), ("begin",)),
    **dict.fromkeys(("<", "<="), ("end",)),
}
"""The parameters for constant values in conditions on ranges, by operator."""
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    EQUAL: operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "begins_with": str.startswith,
}
_OWN: Final = (*KEYED, "Query", "PutItem")
"""The operations whose requests are made of patterns."""


class Value(msgspec.Struct, frozen=True):
    """A value of a request that is made of parameters.

    Attributes:
        parts: constant texts, and the parameters between them.
        kind: S or N, its type in DynamoDB.
    """

    parts: tuple[str | Slot, ...]
    kind: str


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a call.

    Attributes:
        name: an attribute, or a bound of a range.
        kind: its type in DynamoDB.
        example: a value that finds samples.
    """

    name: str
    kind: str
    example: Any


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One access pattern as a function of parameters.

    Attributes:
        pattern: the pattern.
        entity: the entity that is read or written.
        parameters: in the order of the request; none of PutItem, which takes an item.
        request: the members of the request, with a `Value` where parameters are used.
    """

    pattern: AccessPattern
    entity: Entity
    parameters: tuple[Parameter, ...]
    request: Mapping[str, Any]

    @property
    def is_read(self) -> bool:
        """Whether the call returns items."""
        return self.pattern.operation not in WRITES


def words_of(name: str) -> list[str]:
    """The words of a name of a pattern, an entity or an attribute, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def described(pattern: AccessPattern) -> str:
    """The name and the description of a pattern as sentences."""
    texts = [each for each in (pattern.name, pattern.description) if each]
    return " ".join(text if text.endswith(".") else f"{text}." for text in texts)


def calls_of(model: Model) -> list[Call]:
    """The patterns whose requests the model says; the others need code of their own."""
    return [
        _call(model, pattern)
        for pattern in model.patterns
        if pattern.operation in _OWN and pattern.request is None and pattern.note is None
    ]


def _call(model: Model, pattern: AccessPattern) -> Call:
    entity, table = model.entity_named(pattern.entity), model.table_of_pattern(pattern)
    assert entity is not None, "a pattern of a template has an entity"
    assert table is not None, "a template has one table"
    assert pattern.filter is None, "no pattern of a template has a filter"
    making = _Making(attribute_types(model, entity), items_of(model, entity)[0])
    request: dict[str, Any] = {}
    names = dict(pattern.names)
    values: dict[str, Any] = {}
    match pattern.operation:
        case "Query":
            if pattern.index is not None:
                request["IndexName"] = pattern.index
            conditions = conditions_of(pattern.key)
            texts = [making.condition(each, names, values) for each in conditions]
            request["KeyConditionExpression"] = " AND ".join(texts)
        case "PutItem":
            pass
        case _:
            keys = [name for each in keys_of(table.request) for name in each]
            templates = {name: entity.templates.get(name, f"{{{name}}}") for name in keys}
            request["Key"] = {
                name: making.value(pattern.key.get(name, templates[name]), making.types[name])
                for name in keys
            }
    _add_expressions(pattern, request, names)
    values |= {name: making.value(value) for name, value in pattern.values.items()}
    if names:
        request["ExpressionAttributeNames"] = names
    if values:
        request["ExpressionAttributeValues"] = values
    if pattern.consistent:
        request["ConsistentRead"] = True
    if pattern.descending:
        request["ScanIndexForward"] = False
    parameters = tuple(making.parameters.values())
    return Call(pattern=pattern, entity=entity, parameters=parameters, request=request)


def _add_expressions(
    pattern: AccessPattern, request: dict[str, Any], names: dict[str, str]
) -> None:
    replaced = expressions(
        {"update": pattern.update, "condition": pattern.condition}, json_text(names)
    )
    names |= replaced.names
    for kind, text in replaced.texts.items():
        request[f"{kind.capitalize()}Expression"] = text


class _Making:
    """The parameters of a call, with examples from a sample."""

    def __init__(self, types: Mapping[str, str], sample: Item) -> None:
        self.types = types
        self.parameters: dict[str, Parameter] = {}
        self._sample = sample
        self._plain = plain_item(sample, dict(types))

    def value(self, value: Any, kind: str | None = None) -> Any:
        """A value of a request; with placeholders it is made of parameters."""
        if not isinstance(value, str) or not names_in(value):
            return value
        for name in names_in(value):
            self._add(name, self.types.get(name, "S"), self._plain[name])
        parts = parts_of(value)
        if kind is None:
            alone = parts[0] if len(parts) == 1 else None
            kind = self.types.get(alone.name, "S") if isinstance(alone, Slot) else "S"
        return Value(parts, kind)

    def condition(self, condition: Condition, names: dict[str, str], values: dict[str, Any]) -> str:
        """The text of a condition on a key, whose values are added to `values`."""
        kind = self.types.get(condition.name, "S")
        bounds = _BOUNDS.get(condition.operator, ())
        placeholders = []
        for number, value in enumerate(condition.values):
            placeholder = f":{condition.name if not bounds else bounds[number]}"
            if bounds and not (isinstance(value, str) and names_in(value)):
                self._add(bounds[number], kind, value)
                values[placeholder] = Value((Slot(bounds[number]),), kind)
            else:
                values[placeholder] = self.value(value, kind)
            placeholders.append(placeholder)
        name = condition.name
        if "#" in expressions({"projection": name}).texts["projection"]:
            name = placeholder_of(name, names)
        match condition.operator:
            case "begins_with":
                return f"begins_with({name}, {placeholders[0]})"
            case "between":
                return f"{name} BETWEEN {placeholders[0]} AND {placeholders[1]}"
            case sign:
                return f"{name} {sign} {placeholders[0]}"

    def _add(self, name: str, kind: str, example: Any) -> None:
        self.parameters.setdefault(name, Parameter(name=name, kind=kind, example=example))


def found_by(model: Model, call: Call) -> list[tuple[Entity, Item]]:
    """The samples that a read finds with the examples of its parameters, in order."""
    table = model.table_of_pattern(call.pattern)
    assert table is not None, "a template has one table"
    samples = [
        (entity, item) for entity in model.entities_of(table) for item in items_of(model, entity)
    ]
    examples = items_of(model, call.entity)[0]
    part = part_of_pattern(table, call.pattern.index)
    names = [name for each in keys_of(part) for name in each]
    if call.pattern.operation != "Query":
        wanted = [examples[name] for name in names]
        return [each for each in samples if [each[1].get(name) for name in names] == wanted]
    conditions = conditions_of(call.pattern.key)
    found = [
        each
        for each in samples
        if all(name in each[1] for name in names)
        and all(_holds(condition, each[1], examples) for condition in conditions)
    ]
    found.sort(
        key=lambda each: [_comparable(each[1][name]) for name in keys_of(part)[1]],
        reverse=call.pattern.descending,
    )
    return found[: call.pattern.limit]


def _holds(condition: Condition, item: Item, examples: Item) -> bool:
    ((kind, _content),) = item[condition.name].items()
    own = _comparable(item[condition.name])
    values = [
        _comparable({kind: rendered(value, examples) if isinstance(value, str) else str(value)})
        for value in condition.values
    ]
    if condition.operator == "between":
        return bool(values[0] <= own <= values[1])
    return bool(_COMPARISONS[condition.operator](own, values[0]))


def _comparable(value: Mapping[str, Any]) -> Any:
    ((kind, content),) = value.items()
    return Decimal(content) if kind == "N" else content


def entities_in(found: Iterable[tuple[Entity, Item]]) -> Sequence[Entity]:
    """The entities of what a call finds, each once."""
    return list({entity.name: entity for entity, _item in found}.values())
