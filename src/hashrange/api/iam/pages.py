"""Pages of lists: MaxItems, Marker, IsTruncated. Pure."""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from hashrange.api.iam.errors import invalid
from hashrange.messages import identities as messages

T = TypeVar("T")

_ITEMS: Final = 100
"""Of a page, unless the request says otherwise."""


def page(
    request: Any,
    name: str,
    found: Iterable[tuple[str, T]],
    shown: Callable[[T], Any],
) -> dict[str, Any]:
    """A page of a list, in the order of its keys.

    Args:
        request: of the request.
        name: of the member that has the list.
        found: all elements with their keys, which differ.
        shown: what the answer has of an element.
    """
    listed = sorted(found, key=lambda each: each[0])
    marker = request.marker
    if marker is not None:
        after = _key_of(marker)
        listed = [each for each in listed if each[0] > after]
    items_max = request.max_items or _ITEMS
    is_truncated = len(listed) > items_max
    listed = listed[:items_max]
    return {
        name: [shown(each) for _, each in listed],
        "IsTruncated": is_truncated,
        "Marker": _marker_of(listed[-1][0]) if is_truncated else None,
    }


def _marker_of(key: str) -> str:
    return urlsafe_b64encode(key.encode()).decode()


def _key_of(marker: str) -> str:
    try:
        return b64decode(marker, altchars=b"-_", validate=True).decode()
    except (Base64Error, UnicodeError, ValueError) as error:
        raise invalid(messages.marker_invalid()) from error
