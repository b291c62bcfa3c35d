"""AttributesToGet, which reads had before ProjectionExpression, as a projection."""

from collections.abc import Sequence

from hashrange.errors import invalid
from hashrange.expressions.attribute_names import check_name
from hashrange.expressions.projections import Projection, projection
from hashrange.expressions.syntax import Path
from hashrange.messages.expressions import attribute_named_twice


def attributes_projection(names: Sequence[str]) -> Projection:
    """The projection on top-level attributes, at least one.

    Raises:
        DynamoError: the first name that no attribute can have, else the first repeated name.
    """
    for name in names:
        check_name(name)
    if len(set(names)) != len(names):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise invalid(attribute_named_twice(name))
            seen.add(name)
    return projection([Path((name,)) for name in names])
