"""Lines that are told seldom, and lose no count."""

from hypothesis import given
from hypothesis import strategies as st

from hashrange.observe.logs import WINDOW_NS, LogLimiter


# The obvious model: windows of a second that begin with what happens, so many lines in each.
@given(st.lists(st.integers(0, WINDOW_NS), max_size=40), st.integers(1, 3))
def test_a_few_lines_a_second_tell_of_all(steps_ns, lines):
    now_ns, began_ns, told_since, counted = 0, -WINDOW_NS, 0, 0
    seldom = LogLimiter(lambda: now_ns, lines)
    for step_ns in steps_ns:
        now_ns += step_ns
        counted += 1
        if now_ns - began_ns >= WINDOW_NS:
            began_ns, told_since = now_ns, 0
        if told_since < lines:
            told_since += 1
            assert seldom.happened() == counted
            counted = 0
        else:
            assert seldom.happened() == 0
