"""What the access patterns answer, asked beyond what the examples print."""

from datetime import UTC, datetime, timedelta

import adjacency_list
import atomic_counters
import hierarchical_keys
import optimistic_locking
import semantic_search
import single_table
import sparse_index
import time_buckets
import write_sharding


def _sort_keys(items):
    return [item["sk"] for item in items]


def test_single_table_keeps_kinds_apart(table_for):
    table = table_for(single_table)
    single_table.fill(table)
    overview = single_table.workspace_overview(table, "acme")
    assert _sort_keys(overview) == [
        *("INFO", "MEMBER#ada", "MEMBER#grace"),
        *("PROJECT#app", "PROJECT#web"),
    ]
    assert _sort_keys(single_table.members(table, "acme")) == ["MEMBER#ada", "MEMBER#grace"]
    assert _sort_keys(single_table.tasks(table, "acme", "web")) == [
        *("TASK#0001", "TASK#0002", "TASK#0004")
    ]
    assert single_table.member_by_email(table, "nobody@example.com") is None
    due = single_table.tasks_due(table, "acme", "ada", "2026-03-04")
    assert [item["due"] for item in due] == ["2026-03-02", "2026-03-04"]


def test_adjacency_list_is_read_from_both_sides(table_for):
    table = table_for(adjacency_list)
    adjacency_list.main(table)
    ada, enrolments = adjacency_list.courses_of(table, 1815)
    assert ada["name"] == "Ada Byron"
    assert [(item["title"], item.get("grade")) for item in enrolments] == [
        ("Programming I", "A"),
        ("Linear Algebra", None),
    ]
    algebra, enrolments = adjacency_list.students_of(table, "MA201")
    assert algebra["title"] == "Linear Algebra"
    assert [item["name"] for item in enrolments] == ["Ada Byron"]


def test_semantic_search_reads_passages_as_they_are_now(table_for):
    table = table_for(semantic_search)
    semantic_search.main(table)
    question = "How long do I have a guarantee?"
    semantic_search.add(table, 12, "trouble", "Call the service line on working days.")
    assert "warranty" not in semantic_search.ask(table, question)
    semantic_search.add(table, 13, "legal", "The guarantee ends after three years.")
    assert semantic_search.ask(table, question) == "The guarantee ends after three years."
    assert "guarantee" not in semantic_search.ask(table, question, "care")
    found = semantic_search.nearest(table, semantic_search.embedding(question), 100)
    assert len(found) == 12
    assert [score for score, _ in found] == sorted(score for score, _ in found)


def test_sparse_index_holds_what_is_escalated_and_nothing_else(table_for):
    table = table_for(sparse_index)
    sparse_index.main(table)
    indexed = table.scan(IndexName="escalated")["Items"]
    assert {item["ticket"] for item in indexed} == {"T-1204", "T-1019"}
    assert "escalated_at" not in table.get_item(Key={"ticket": "T-1006"})["Item"]
    sparse_index.escalate(table, "T-1006", "2026-03-03T00:00:00Z")
    tickets, units = sparse_index.escalated(table, "billing")
    assert [item["ticket"] for item in tickets] == ["T-1204", "T-1006"]
    assert units == 0.5


def test_hierarchical_keys_answer_at_each_level(table_for):
    table = table_for(hierarchical_keys)
    hierarchical_keys.main(table)
    levels = ["US", "NY", "NEW YORK", "10001", "S-031"]
    counts = [hierarchical_keys.count_in(table, *levels[: depth + 1]) for depth in range(4)]
    assert counts == [6, 5, 3, 2]
    mills = hierarchical_keys.stores_in(table, "US", "NY", "NEW YORK MILLS")
    assert [item["name"] for item in mills] == ["Mill Street Bikes"]
    assert hierarchical_keys.stores_in(table, "US", "TX") == []


def test_sharded_orders_are_found_by_number_and_by_time(table_for):
    table = table_for(write_sharding)
    orders = [f"20261127T0800{second:02}.000-x{second}" for second in range(60)]
    for order in reversed(orders):
        write_sharding.place(table, order, total=1)
    shards = {write_sharding.key_of(order)["day"] for order in orders}
    assert len(shards) == write_sharding.SHARDS
    found = write_sharding.orders_between(table, "20261127", "080010", "080020")
    assert [item["order"] for item in found] == orders[10:20]
    assert write_sharding.order_by_number(table, orders[5])["total"] == 1
    assert write_sharding.order_by_number(table, "20261127T090000.000-x") is None


def test_time_buckets_are_walked_and_dropped(table_for):
    table = table_for(time_buckets)
    time_buckets.main(table)
    first, last = datetime(2026, 2, 27, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    found = list(time_buckets.readings(table, "G1-NORTH", first, last))
    stamps = [time_buckets.stamp(first + step * timedelta(hours=6)) for step in range(13)]
    assert [item["at"] for item in found] == stamps
    assert {item["series"] for item in found} == {"G1-NORTH#2026-02", "G1-NORTH#2026-03"}
    january = datetime(2026, 1, 31, tzinfo=UTC)
    assert time_buckets.latest(table, "G1-NORTH", january) is None
    long_after = datetime(2028, 1, 1, tzinfo=UTC)
    assert time_buckets.latest(table, "G1-NORTH", long_after) is None
    assert time_buckets.latest(table, "G1-NORTH", long_after, months_max=24) is not None


def test_stale_plan_is_not_saved(table_for):
    table = table_for(optimistic_locking)
    optimistic_locking.open_sale(table, "LEAR", {"A": 4})
    stale = optimistic_locking.seat_plan(table, "LEAR")
    assert optimistic_locking.book(table, "LEAR", "Ada", 3) == (("A", 0), 0)
    assert not optimistic_locking.save(table, stale)
    assert optimistic_locking.book(table, "LEAR", "Ben", 2) == (None, 0)
    assert optimistic_locking.seat_plan(table, "LEAR")["rows"] == {"A": ["Ada"] * 3 + ["-"]}


def test_counters_stop_at_zero(table_for):
    table = table_for(atomic_counters)
    table.put_item(Item={"name": "TICKETS#x", "available": 3})
    assert [atomic_counters.sell(table, "TICKETS#x", 2) for _ in range(2)] == [True, False]
    assert not atomic_counters.sell(table, "TICKETS#nowhere")
    assert atomic_counters.next_number(table, "NUMBERS#x") == 1
    assert atomic_counters.counted(table, "VIEWS#none") == 0
