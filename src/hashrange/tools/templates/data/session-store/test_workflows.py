"""Sessions: how long they live, and how they end."""

import patterns
import workflows

NOW = 4_000_000_000
HALF = workflows.LIFE_SECONDS // 2


def test_a_session_lives_on_while_it_is_used(db):
    workflows.sign_in(db, "token", "eve", "desk", NOW)
    assert workflows.session_of(db, "token", NOW + HALF - 1)["expires"] == NOW + 2 * HALF
    assert workflows.session_of(db, "token", NOW + HALF + 1)["expires"] == NOW + 3 * HALF + 1
    assert workflows.session_of(db, "token", NOW + 4 * HALF) is None
    assert workflows.session_of(db, "another token", NOW) is None


def test_an_ended_session_does_not_come_back(db):
    workflows.sign_in(db, "token", "eve", "desk", NOW)
    assert workflows.sign_out_everywhere(db, "eve") == 1
    assert workflows.session_of(db, "token", NOW + HALF + 1) is None
    assert patterns.sessions_of_a_user(db, "eve") == []
    assert len(patterns.sessions_of_a_user(db, "ada")) == 2


def test_attempts_are_limited_in_each_window(db):
    login = "eve@example.com"
    tries = [workflows.may_try(db, login, NOW) for _ in range(6)]
    assert tries == [True] * 5 + [False]
    assert workflows.may_try(db, login, NOW + workflows.WINDOW_SECONDS)
