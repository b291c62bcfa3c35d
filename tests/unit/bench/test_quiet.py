"""Whether the machine is quiet enough for figures."""

import click
import pytest

from bench import __main__ as bench
from bench import quiet


def figures(cpu_us):
    return bench.Figures(
        row="get", requests_per_second=1, p50_ms=1, p99_ms=1, cpu_us=cpu_us, failed=0
    )


def pair(*constants, most=12):
    """The figures of a row, where the constant answer costs so much at each look."""
    looks = iter(constants)
    try:
        found = bench.side_by_side(
            lambda: figures(next(looks)), lambda: figures(20.0), {"constant_us_max": most}
        )
    except click.ClickException as error:
        return error.message
    assert next(looks, None) is None, "each look was needed"
    return found


def test_a_row_is_measured_beside_a_cheap_constant_answer():
    assert pair(11.9, 11.8) == {"constant": figures(11.9), "hashrange": figures(20.0)}
    assert pair(30.0, 12.1, 12.0, 12.0)["constant"] == figures(12.0)
    assert pair(None, None)["constant"] == figures(None)  # the system tells no CPU times


def test_a_row_is_measured_again_if_the_machine_was_busy_meanwhile():
    assert pair(11.0, 30.0, 11.5, 11.6)["constant"] == figures(11.5)
    told = pair(*([11.0, 30.0] * quiet.TRIES))
    assert "the constant answer costs 30.0 µs" in told


def test_a_benchmark_stops_where_it_stays_dear():
    told = pair(30.0, 26.04, 27.0, 28.0, 29.0)
    assert told.startswith(
        "the machine is not quiet: the constant answer costs 26.0 µs of CPU, and not 12 or less."
    )
    assert "--constant-us-max" in told


@pytest.mark.parametrize(("most", "is_quiet"), [(12.0, True), (11.9, False)])
def test_the_bound_is_quiet(most, is_quiet):
    assert quiet.is_quiet(12.0, most) == is_quiet
