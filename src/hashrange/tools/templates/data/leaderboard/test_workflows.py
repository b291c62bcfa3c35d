"""Scores: the best one stays, and who is first."""

import patterns
import workflows

BOARD = "race-2026w47"


def play(db, player, score, left=0):
    return workflows.submit(db, {"playerId": player, "name": player.title()}, BOARD, score, left)


def test_only_a_higher_score_counts(db):
    assert [play(db, "ada", score) for score in (500, 400, 500, 501)] == [True, False, False, True]
    assert patterns.best_score_on_a_board(db, "ada", BOARD)["score"] == 501


def test_of_equal_scores_the_earlier_is_first(db):
    for player, score, left in (("a", 700, 10), ("b", 700, 20), ("c", 900, 5), ("d", 100, 30)):
        play(db, player, score, left)
    assert [each["playerId"] for each in workflows.top(db, BOARD, 3)] == ["c", "b", "a"]


def test_the_rank_counts_all_that_are_higher(db):
    scores = [100, 999, 1000, 1500, 1999, 2000, 7777]
    for number, score in enumerate(scores):
        play(db, f"player-{number}", score)
    ranks = [workflows.rank(db, BOARD, score) for score in scores]
    assert ranks == [7, 6, 5, 4, 3, 2, 1]


def test_a_player_is_in_one_bucket(db):
    for score in (10, 20, 1500, 1600, 3000):
        play(db, "ada", score)
    buckets = patterns.higher_buckets(db, BOARD, "-")
    assert {int(each["sk"]): each["players"] for each in buckets} == {
        0: 0,
        1000: 0,
        3000: 1,
    }
