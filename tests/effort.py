"""How long the tests search: shortly in `make test`, longer in `make test-all`.

The profile of hypothesis decides for the searches that hypothesis does not make, too: numbers of
seeds, of steps, of kills.
"""

from hypothesis import settings

QUICK_EXAMPLES = 15
THOROUGH_EXAMPLES = 100


def effort(quick: int, thorough: int) -> int:
    """The size of a search: `thorough` under the profiles that look longer than `dev`."""
    return quick if settings().max_examples <= QUICK_EXAMPLES else thorough
