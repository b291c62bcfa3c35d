"""What the examples with transactions answer, when they are refused and when they race."""

import pytest

import ecommerce
import unique_constraints
import versions
from playground import Meter, in_parallel


def _pieces(table, sku):
    _, *stock = ecommerce.product_with_stock(table, sku)
    return {item["sk"].removeprefix("STOCK#"): item["pieces"] for item in stock}


def _order(number, time="2026-04-01T10:00:00Z"):
    return {"number": number, "customer": "C-18", "warehouse": "BER", "time": time}


@pytest.fixture
def shop(table_for):
    table = table_for(ecommerce)
    ecommerce.fill(table)
    return table


def test_shop_answers_its_eight_questions(shop):
    assert ecommerce.customer(shop, "C-17")["name"] == "Ada Byron"
    assert ecommerce.customer(shop, "C-99") is None
    assert ecommerce.customer_by_email(shop, "grace@example.com")["pk"] == "CUSTOMER#C-18"
    newest = ecommerce.newest_orders(shop, "C-17", 2)
    assert [order["number"] for order in newest] == ["1004", "1003"]
    february = ecommerce.orders_in_month(shop, "C-17", "2026-02")
    assert [(order["number"], order["status"]) for order in february] == [("1001", "shipped")]
    header, *lines = ecommerce.order_with_lines(shop, "1002")
    assert header["cents"] == sum(line["cents"] * line["pieces"] for line in lines) == 2130
    waiting = ecommerce.open_orders(shop, "BER")
    assert [order["number"] for order in waiting] == ["1002", "1003", "1004"]
    sold = ecommerce.lines_of_product(shop, "ASSAM", "2026-03-01")
    assert [(line["pk"], line["pieces"]) for line in sold] == [("ORDER#1002", 1), ("ORDER#1004", 4)]
    assert _pieces(shop, "ASSAM") == {"BER": 13, "LYO": 5}


# The claim of the whole example.
def test_each_question_is_one_request(shop):
    meter = Meter(shop)
    for name, question, *arguments in ecommerce.QUESTIONS:
        _, requests, units = meter.measure(question, shop, *arguments)
        assert (name, requests, units) == (name, 1, 0.5)


def test_refused_order_leaves_nothing(shop):
    assam, sencha = (ecommerce.product_with_stock(shop, sku)[0] for sku in ("ASSAM", "SENCHA"))
    assert not ecommerce.place_order(shop, _order("2001"), [(assam, 1), (sencha, 1)])
    assert not ecommerce.place_order(shop, _order("1002"), [(assam, 1)]), "it is there already"
    assert ecommerce.order_with_lines(shop, "2001") == []
    assert _pieces(shop, "ASSAM") == {"BER": 13, "LYO": 5}


def test_the_last_pieces_are_sold_once(shop):
    assam, _ = ecommerce.product_with_stock(shop, "ASSAM")[:2]

    def buyer(own, number):
        return ecommerce.place_order(own, _order(f"300{number}"), [(assam, 3)])

    assert sum(in_parallel(shop, 8, buyer)) == 4
    assert _pieces(shop, "ASSAM")["BER"] == 1


def test_addresses_and_names_have_one_owner(table_for):
    table = table_for(unique_constraints)
    unique_constraints.sign_up(table, "1", "ada@example.com", "ada")
    unique_constraints.sign_up(table, "2", "ben@example.com", "ben")
    for user, email, name, what in [
        ("1", "new@example.com", "new", "number"),
        ("3", " ADA@example.com", "new", "email"),
        ("3", "new@example.com", "Ada", "name"),
    ]:
        with pytest.raises(unique_constraints.TakenError) as taken:
            unique_constraints.sign_up(table, user, email, name)
        assert taken.value.what == what
    with pytest.raises(unique_constraints.TakenError):
        unique_constraints.change_email(table, "2", "ben@example.com", "ada@example.com")
    with pytest.raises(LookupError):
        unique_constraints.change_email(table, "2", "old@example.com", "new@example.com")
    assert unique_constraints.user_by_email(table, "ben@example.com")["name"] == "ben"
    assert unique_constraints.user_by_email(table, "new@example.com") is None
    # Two users, two names, two addresses: nothing is left of those who were refused.
    assert table.scan(Select="COUNT")["Count"] == 6


def test_versions_never_change_and_the_latest_is_the_newest(table_for):
    table = table_for(versions)
    assert versions.latest(table, "faq")["version"] == 0
    assert versions.publish(table, "faq", 0, text="one", author="ada") == 1
    assert versions.publish(table, "faq", 0, text="another one", author="ben") is None
    for base in range(1, 11):
        assert versions.publish(table, "faq", base, text=f"{base + 1}", author="ada") == base + 1
    assert versions.publish(table, "faq", 5, text="stale", author="ben") is None
    assert [item["version"] for item in versions.history(table, "faq", 3)] == [11, 10, 9]
    assert versions.one_version(table, "faq", 1)["text"] == "one"
    assert versions.restore(table, "faq", 1, "ben") == 12
    assert versions.latest(table, "faq")["text"] == "one"
