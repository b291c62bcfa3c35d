"""Workflows of more than one plain request. Times are seconds since 1970, given by the caller."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from dynamo import Item, delete_all, show
from patterns import (
    TABLE,
    count_an_attempt,
    extend_a_session,
    session_by_id,
    sessions_of_a_user,
    start_a_session,
)

LIFE_SECONDS = 24 * 3600
WINDOW_SECONDS = 300
TRIES_MAX = 5


def id_of(token: str) -> str:
    """The key of the session of a token."""
    return sha256(token.encode()).hexdigest()


def sign_in(db: Any, token: str, user_id: str, device: str, now: int) -> None:
    """Start a session.

    Args:
        db: the client.
        token: of the cookie; make it with `secrets.token_urlsafe(32)`.
        user_id: whose session.
        device: for the list of devices.
        now: the time in seconds.
    """
    created = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    session = {"id": id_of(token), "userId": user_id, "created": created, "device": device}
    start_a_session(db, {**session, "expires": now + LIFE_SECONDS, "data": {}})


def session_of(db: Any, token: str, now: int) -> Item | None:
    """The session of a request, which lives on; None if there is none or it has expired."""
    session = session_by_id(db, id_of(token))
    if session is None or session["expires"] <= now:
        return None
    if session["expires"] - now < LIFE_SECONDS / 2:
        try:
            return extend_a_session(db, session["id"], now + LIFE_SECONDS)
        except db.exceptions.ConditionalCheckFailedException:
            return None  # it was ended a moment ago
    return session


def sign_out_everywhere(db: Any, user_id: str) -> int:
    """End all sessions of a user; their number."""
    found = sessions_of_a_user(db, user_id)
    delete_all(db, TABLE, [{"id": each["id"]} for each in found])
    return len(found)


def may_try(db: Any, login: str, now: int) -> bool:
    """Count an attempt to sign in; False if there were too many."""
    window = now // WINDOW_SECONDS
    counted = count_an_attempt(db, login, window, (window + 2) * WINDOW_SECONDS)
    return counted["tries"] <= TRIES_MAX


def demo(db: Any) -> None:
    """Run each workflow once."""
    now = 4_000_000_000
    sign_in(db, "token", "cem", "phone", now)
    found = session_of(db, "token", now + 60)
    show("Session", found["userId"] if found else "none")
    show("Session after two days", session_of(db, "token", now + 2 * LIFE_SECONDS) is not None)
    show("Sessions that are ended", sign_out_everywhere(db, "cem"))
    show("Session after that", session_of(db, "token", now + 60) is not None)
    tries = [may_try(db, "cem@example.com", now) for _ in range(7)]
    show("Attempts that are allowed", sum(tries))
