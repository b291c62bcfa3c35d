from itertools import accumulate

from hashrange.assembly.workers.supervisor import LIVED_SECONDS, PAUSE_SECONDS_MAX, pause_seconds


def test_who_lived_is_replaced_at_once():
    assert pause_seconds(3.2, LIVED_SECONDS) == 0.0


# A fault at the start would otherwise be a loop that takes a core.
def test_who_ends_at_once_again_and_again_waits_longer_each_time():
    lives = [0.3] * 9
    pauses = list(accumulate(lives, pause_seconds, initial=0.0))
    assert pauses[1:6] == [0.1, 0.2, 0.4, 0.8, 1.6]
    assert pauses[-1] == PAUSE_SECONDS_MAX
