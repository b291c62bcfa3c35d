"""Orders: what is sold once, and what is not sold."""

import pytest

import patterns
import workflows

PLACED = "2026-11-21T10:00:00Z"


def stock(db, sku):
    return patterns.product_with_its_stock(db, sku)[1]["available"]


def test_an_order_takes_stock_and_empties_the_cart(db):
    assert workflows.place_an_order(db, "o-9", "ada", PLACED) == "placed"
    *lines, order = patterns.order_with_its_lines(db, "o-9")
    assert order["total"] == 19900 + 2 * 2500
    assert [each["sku"] for each in lines] == ["lamp-1", "tent-2"]
    assert (stock(db, "tent-2"), stock(db, "lamp-1")) == (1, 8)
    assert patterns.cart_of_a_customer(db, "ada") == []


def test_a_repeated_order_sells_nothing(db):
    cart = patterns.cart_of_a_customer(db, "ada")
    assert workflows.place_an_order(db, "o-9", "ada", PLACED) == "placed"
    for line in cart:
        patterns.put_into_the_cart(db, "ada", line["sku"], line["quantity"], line["expires"])
    assert workflows.place_an_order(db, "o-9", "ada", PLACED) == "placed"
    assert stock(db, "tent-2") == 1


def test_nothing_changes_if_one_product_is_sold_out(db):
    patterns.put_into_the_cart(db, "ada", "tent-4", 1, 4102444800)
    assert workflows.place_an_order(db, "o-9", "ada", PLACED) == "sold out: tent-4"
    assert patterns.order_with_its_lines(db, "o-9") == []
    assert stock(db, "tent-2") == 2


def test_an_order_is_sent_once(db):
    assert workflows.send_next(db, "7") == "o-2"
    assert workflows.send_next(db, "7") is None
    with pytest.raises(db.exceptions.ConditionalCheckFailedException):
        patterns.send_an_order(db, "o-2")
