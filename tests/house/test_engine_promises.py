"""Every sentence of the engine's protocol is shown by a trial, or says where it is shown."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from hashrange.assembly.engines.trials.examination import TRIALS
from hashrange.storage import engine

ROOT = Path(__file__).parents[2]
CONTRACT = "src/hashrange/assembly/engines/trials/contract.py"
"""What is asked of callers is asserted there, around every call of every trial."""
FAULTS = "tests/engines/test_sqlite_faults.py"
POSTGRES = "tests/engines/test_postgres.py"
GROUPS = "tests/engines/test_sqlite_groups.py"
WORKERS = "tests/engines/test_workers.py"
DELEGATIONS = "tests/engines/test_delegations.py"
REPLACEMENTS = "tests/unit/tables/writing/test_write_decisions.py"
OVERLOAD = "tests/engines/test_overload.py"
OPEN = "tests/engines/test_sqlite_open.py"
POWER = "tests/power/test_power_cuts.py"

# The beginning of a sentence, as far as it takes to tell it from the others: trials, and files.
SHOWN = {
    "StaleFenceError": {
        "A fence no longer holds": (
            "nothing_happens_behind_a_stale_fence",
            "no_write_passes_a_fence_that_has_changed",
        ),
        "Plan again": (
            "a_fence_is_checked_each_time",
            "a_fence_that_holds_changes_nothing_else",
            "a_fence_may_be_among_the_keys_and_the_puts",
        ),
    },
    "StorageError": {
        "The operation failed": (FAULTS, POWER),
        "The engine goes on serving": (FAULTS, "tests/unit/server/test_endpoint.py"),
    },
    "DamagedError": {
        "Stored rows cannot be read": ("tests/servers/test_noticed_damage.py",),
        "It was reported": ("tests/servers/test_noticed_damage.py",),
    },
    "ignore_damage": {
        "Takes the reports": ("tests/unit/api/dynamodb/test_verified_reads.py",),
    },
    "StorageUnavailableError": {
        "Not even tried": (FAULTS, "tests/engines/test_sqlite_presence.py"),
        "It was logged": (FAULTS, "tests/engines/test_sqlite_presence.py"),
    },
    "NoReadLeaseError": {
        "Nothing was written": ("tests/engines/test_postgres_lease.py",),
    },
    "StorageBusyError": {
        "Not even tried": (OVERLOAD, POSTGRES, WORKERS),
        "It was logged": (GROUPS, POSTGRES, WORKERS),
    },
    "ContendedError": {
        "Nothing happened": (POSTGRES, WORKERS),
        "The caller may retry": ("tests/unit/tools/copying/test_local.py",),
    },
    "KeyTooLongError": {
        "Nothing happened": ("a_key_that_is_too_long_is_refused_and_changes_nothing",),
    },
    "check_lengths": {
        "Raises KeyTooLongError": ("a_key_that_is_too_long_is_refused_and_changes_nothing",),
    },
    "StorageOpenError": {"The data cannot be opened": (OPEN,), "The text is": (OPEN,)},
    "Changes": {
        "The result of `decide`": (
            "a_write_returns_the_answer_that_was_decided_on_the_stored_values",
            "a_decision_to_change_nothing_changes_nothing",
            "a_write_can_change_a_hundred_items_with_their_entries",
            "a_refused_write_adds_and_appends_nothing",
        ),
        "`puts` and `deletes` may name": (
            CONTRACT,
            "changes_outside_of_the_keys_are_applied_as_well",
            "blind_entries_match_the_key_that_owns_them",
        ),
        "Absent keys may be deleted": (
            "puts_replace_values_and_deletes_of_absent_keys_do_nothing",
            "a_deleted_key_can_be_put_again",
            "a_key_that_was_read_while_absent_stays_absent",
        ),
        "No key is in two": (CONTRACT,),
        "`adds` are int64 counters": (
            "an_absent_counter_counts_from_zero",
            "a_counter_back_at_zero_is_zero_or_absent",
            "a_counter_holds_all_of_int64",
            "a_deleted_counter_counts_from_zero_again",
            "adds_at_the_same_time_are_all_counted",
        ),
        "A key used in `adds`": (CONTRACT,),
        "`appends` go to a log": (
            "records_are_numbered_from_one_in_their_order",
            "each_log_has_its_own_numbers",
            "a_reader_that_follows_a_log_misses_no_record",
        ),
        "Numbers are never used again": (
            "numbers_are_not_used_again_when_records_are_deleted",
            "numbers_of_a_log_are_not_used_again",
        ),
        "The engine puts a stamp": ("stamps_of_a_log_do_not_decrease",),
        "All records of one write": (
            "all_records_of_a_write_have_one_stamp",
            "stamps_of_a_log_do_not_decrease",
        ),
    },
    "Engine": {
        "Ordered bytes, durable": ("writes_are_kept_when_the_engine_is_opened_again", POWER),
        "Keys are 1 to": (
            "keys_and_values_are_any_bytes",
            "keys_are_ordered_as_unsigned_bytes",
            "the_longest_key_and_a_large_value_are_kept",
        ),
    },
    "Engine.key_bytes_max": {
        "At most": ("the_longest_key_and_a_large_value_are_kept", CONTRACT),
        "Longer keys can": ("a_key_that_is_too_long_is_refused_and_changes_nothing",),
    },
    "Engine.read": {
        "The values of `keys`": (
            "read_answers_in_the_order_of_its_keys",
            "reading_no_keys_answers_nothing",
            "an_empty_value_is_not_absence",
            "many_keys_are_read_at_once",
            "transfers_between_accounts_keep_their_total",
        ),
        "Sees every write": ("a_write_that_has_returned_is_visible_to_every_later_read",),
        "Raises": ("nothing_happens_behind_a_stale_fence", FAULTS),
    },
    "Engine.scan": {
        "One consistent page": (
            "a_scan_includes_its_start_and_excludes_its_end",
            "pages_agree_with_a_sorted_list",
            "consecutive_pages_have_every_pair_once",
            "transfers_between_accounts_keep_their_total",
        ),
        "The bounds are any bytes": ("a_scan_includes_its_start_and_excludes_its_end",),
        "Ends after `limit` pairs": (
            "a_page_ends_at_its_limit_or_its_bytes",
            "a_value_larger_than_a_page_is_a_page",
            "keys_and_empty_values_cost_a_page_no_bytes",
        ),
        "Sees every write": ("a_write_that_has_returned_is_visible_to_every_later_read",),
        "Raises": ("nothing_happens_behind_a_stale_fence", FAULTS),
    },
    "DelegableDecision": {
        "A decision that another process": (DELEGATIONS, REPLACEMENTS),
        "Engines call it": (REPLACEMENTS,),
        "An engine whose writes": (DELEGATIONS, REPLACEMENTS),
    },
    "DelegableDecision.__call__": {"Decide, as": (REPLACEMENTS,)},
    "DelegableDecision.arguments": {"All that": (REPLACEMENTS,)},
    "DelegableDecision.answer_from": {"The answer, from": (DELEGATIONS, REPLACEMENTS)},
    "Engine.write": {
        "Read `keys`, decide, apply": (
            "no_increment_is_lost",
            "two_writes_that_read_each_others_keys_are_serialized",
            "a_write_that_read_a_key_conflicts_with_its_delete",
            POWER,
        ),
        "`decide` gets the values": (
            "a_write_returns_the_answer_that_was_decided_on_the_stored_values",
            "a_write_that_changes_a_fence_reads_every_write_that_passed_it",
            CONTRACT,
        ),
        "An error that it raises": (
            "an_error_of_decide_reaches_the_caller_and_changes_nothing",
            "a_refusal_does_not_affect_concurrent_writes",
            FAULTS,
        ),
        "A write whose caller is cancelled": ("a_cancelled_write_is_atomic_and_blocks_no_other",),
        "Raises StaleFenceError, which": (
            "a_stale_fence_comes_before_errors_of_decide",
            "a_key_that_is_too_long_is_refused_and_changes_nothing",
        ),
    },
}


def sentences() -> dict[str, list[str]]:
    """Of the docstrings of what the protocol's module defines, by name."""
    found: dict[str, list[str]] = {}

    def look(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = " ".join((ast.get_docstring(child) or "").split())
                if text:
                    found[prefix + child.name] = re.split(r"(?<=\.)\s+", text)
                look(child, f"{prefix}{child.name}.")

    look(ast.parse(inspect.getsource(engine)), "")
    return found


# A sentence without a trial is a promise that an engine may break unseen.
def test_each_sentence_is_shown_and_nothing_else_is():
    written = sentences()
    assert SHOWN.keys() == written.keys()
    for name, shown in SHOWN.items():
        beginnings = [
            [beginning for beginning in shown if sentence.startswith(beginning)]
            for sentence in written[name]
        ]
        assert beginnings == [[beginning] for beginning in shown], name


@pytest.mark.parametrize(
    "place", sorted({place for by in SHOWN.values() for places in by.values() for place in places})
)
def test_what_shows_it_is_there(place: str):
    assert place in {trial.name for trial in TRIALS} or (ROOT / place).is_file()


# A trial that shows no sentence asks more of an engine than it was told.
def test_each_trial_shows_something():
    named = {place for by in SHOWN.values() for places in by.values() for place in places}
    assert sorted({trial.name for trial in TRIALS} - named) == []
