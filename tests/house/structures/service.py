"""What a generated module of structures has of a service, and where it differs from its model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service of AWS, and the rows in which this server differs from its model.

    Structures are named as classes, members as in the API.

    Attributes:
        module: the file below `hashrange/model/structures`, without suffix.
        model: the name of the service in botocore.
        title: the name of the service in docstrings.
        requests: operations whose requests are read.
        answers: operations with an answer of a structure of their own.
        names: names of classes by names of structures; several may have one class.
        added: structures that the model lacks.
        members: the members of a structure in their order, if they are not all those of the
            model in its order; with `Name:Shape` for one that the model lacks.
        always: members that are always answered, beside those that the model requires.
        types: types of members by `Class.Member`, if they are not those of the model.
        unread: structures whose members are not read.
        nulls: structures that are encoded with null for absent members.
        imports: lines of imports for `types`.
        checked_operations: operations with rows of constraints.
        by_operation: their rows are one mapping, `ROWS`, by the names of the operations.
        checked: the members of a structure that rows check, in the order of their violations, if
            they are not all those of the model in its order.
        elements: lists of texts whose elements are checked.
        together: lists of texts whose elements have one violation, which does not number them.
        required: members that the service requires, and the model does not.
        bounds: `min`, `max`, `pattern` and `enum` of members, or of all members of a type, that are
            not those of the model.
        own_enums: the enums have the order of the model; else they are in `hashrange.wire.enums`.
        pattern_first: members whose pattern is checked before their length.
        linear: equivalents of patterns, by their structures, that are fast on long texts.
        echoed: types and members whose violations echo the value in each wording.
        refusals: texts of `hashrange.messages` that are the whole refusal of a value that does not
            match its pattern, by types and members.
    """

    module: str
    model: str
    title: str
    requests: str
    answers: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, Any] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    always: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    checked_operations: str = ""
    by_operation: bool = False
    checked: Mapping[str, str] = field(default_factory=dict)
    elements: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    bounds: Mapping[str, Any] = field(default_factory=dict)
    own_enums: bool = False
    pattern_first: tuple[str, ...] = ()
    linear: Mapping[str, str] = field(default_factory=dict)
    echoed: tuple[str, ...] = ()
    refusals: Mapping[str, str] = field(default_factory=dict)
