"""What the metrics say of each trigger."""

from hashrange.background.triggers.sources import TriggerCounters


def test_each_trigger_has_its_own_figures():
    counters = TriggerCounters()
    mail, index = counters.of("mail", "orders"), counters.of("index", "items")
    mail.delivered, mail.failures, index.given_up = 5, 2, 1
    counters.waiting["mail", (1, 1, 0)] = 4000
    counters.waiting["mail", (1, 1, 1)] = 9000
    found = counters.figures(10_000)
    assert found["trigger_records_total@mail@orders"] == 5
    assert found["trigger_failures_total@mail@orders"] == 2
    assert found["trigger_lag_seconds@mail@orders"] == 6.0
    assert found["trigger_records_given_up_total@index@items"] == 1
    assert found["trigger_lag_seconds@index@items"] == 0.0
