"""The code on our pages works, and prints what they show; and the runner sees when it does not."""

from pathlib import Path

import pytest

from tests.api.conftest import start_server  # noqa: F401 - a fixture
from tests.docs.snippets import ADDRESS, RUN, PageError, Reader, blocks
from tests.house.sources import MARKDOWN, PROJECTS, relative

ROOT = Path(__file__).resolve().parents[2]
CASES = [f"docs/cases/{name}.md" for name in ("iot", "leaderboard", "ledger", "saas", "social")]
PAGES = [
    "README.md",
    *CASES,
    "docs/costs.md",
    "docs/getting-started.md",
    "docs/sinks.md",
    "docs/sql.md",
    "docs/streams.md",
    "docs/triggers.md",
    "docs/vectors.md",
    "examples/README.md",
]
MANY_COMMANDS = {"README.md", "docs/getting-started.md", "docs/sinks.md", "docs/sql.md", *CASES}
# The others are read in an empty folder: they must not need this repository.
READ_IN_THE_REPOSITORY = {"examples/README.md"}
# Pages whose code other tests run, with other tools.
RUN_ELSEWHERE = {"docs/clients.md", "docs/migrating.md", "docs/testing.md"}


@pytest.fixture
def reader(tmp_path):
    """Reads a page without a server."""
    return Reader(page="page.md", address="127.0.0.1:1", folder=tmp_path, scratch=tmp_path)


# A reader copies what a page says; one line that fails, and the page is not believed again.
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] * (page in MANY_COMMANDS)) for page in PAGES],
)
def test_page_does_what_it_says(page, start_server, tmp_path):  # noqa: F811 - the fixture
    text = (ROOT / page).read_text("utf-8")
    assert ADDRESS in text, "a page says where its server is"
    folder = tmp_path / "folder"
    folder.mkdir()
    reader = Reader(
        page=page,
        address=start_server().removeprefix("http://"),
        folder=ROOT if page in READ_IN_THE_REPOSITORY else folder,
        scratch=tmp_path,
    )
    assert reader.read(text) > 0


# A page that nobody runs goes stale.
def test_each_page_with_code_is_run():
    coded = {
        relative(path)
        for path in MARKDOWN
        if PROJECTS not in path.parents
        for block in blocks(path.read_text("utf-8"))
        if block.language in RUN and not block.left_out
    }
    assert coded - RUN_ELSEWHERE == set(PAGES)


def _page(*fences):
    """A page of fences: pairs of language and code, or a line that stands by itself."""
    return "\n".join(
        fence if isinstance(fence, str) else f"```{fence[0]}\n{fence[1]}\n```" for fence in fences
    )


def test_blocks_are_found_with_their_lines():
    page = "# Title\n\n```sh\none\n```\n\n- item\n\n  ```python\n  if two:\n      three\n  ```\n"
    assert [(block.language, block.code, block.line) for block in blocks(page)] == [
        ("sh", "one\n", 4),
        ("python", "if two:\n    three\n", 10),
    ]


def test_sessions_go_on_from_block_to_block(reader):
    page = _page(
        ("sh", "export NAME=ada\nmkdir deeper\ncd deeper"),
        ("python", "import os\nname = os.environ['NAME']"),
        ("sh", "echo $NAME"),
        ("python", "print(name, os.path.basename(os.getcwd()))"),
        ("text", "ada\nada deeper"),
    )
    assert reader.read(page) == 4


def test_address_is_that_of_the_server(reader):
    page = _page(
        ("sh", f"echo http://{ADDRESS}/"),
        ("python", f"print('{ADDRESS}' == '127.0.0.1:' + '8000')"),
        ("text", f"http://{ADDRESS}/\nFalse"),
    )
    assert reader.read(page) == 2


def test_left_out_block_is_not_run(reader):
    page = _page("<!-- not run: it does not end -->", ("sh", "exit 1"), ("console", "$ exit 1"))
    assert reader.read(page) == 0


def test_three_dots_stand_for_any_lines(reader):
    many = ("sh", "seq 1 9")
    assert reader.read(_page(many, ("text", "1\n...\n8\n9"), many, ("text", "..."))) == 2
    with pytest.raises(PageError, match="shows"):
        reader.read(_page(many, ("text", "1\n...\n8")))


# Each is a page that is wrong, and what the author is told.
@pytest.mark.parametrize(
    ("page", "told"),
    [
        (_page("<!-- not run -->", ("sh", "exit 1")), "line 1: say why"),
        (_page("<!-- not run: -->", ("sh", "exit 1")), "line 1: say why"),
        ("```sh\necho\n", "line 1: this fence is never closed"),
        (_page("Text.", ("sh", "false\necho")), "page.md:3 ended with 1"),
        (_page(("sh", "echo oops >&2")), "page.md:2 ended with 0:\noops"),
        (_page(("sh", "echo $UNSET_NAME")), "unbound"),
        (_page("Text.", ("python", "one = 1\nnothing")), "page.md:3 raised NameError"),
        (_page(("python", "print(1)")), "prints, and does not show:\n1"),
        (_page(("sh", "echo 1"), ("text", "2")), "page.md:5 shows:\n2\nprinted:\n1"),
        (_page(("text", "2")), "shows"),
    ],
)
def test_page_that_is_wrong_fails(reader, page, told):
    with pytest.raises(PageError) as refused:
        reader.read(page)
    assert told in str(refused.value)


# An author must be able to go to the line.
def test_traceback_has_the_lines_of_the_page(reader):
    with pytest.raises(PageError) as refused:
        reader.read(_page("Text.", ("python", "one = 1\nnothing")))
    frames = refused.value.__cause__.__traceback__
    while frames.tb_next:
        frames = frames.tb_next
    assert (frames.tb_frame.f_code.co_filename, frames.tb_lineno) == ("page.md", 4)
