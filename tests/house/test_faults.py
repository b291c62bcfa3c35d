"""The faults that `python -m tests.faults` plants can still be planted."""

from tests.faults.planted import FAULTS, FAULTS_OF_WORLDS
from tests.house.sources import PACKAGE, ROOT, SOURCES
from tests.simulation.search import FORMS

FAULTS_MIN = 60


# A fault whose text has changed is one that nobody plants: give it the text of today.
def test_each_text_stands_once():
    texts = {path: path.read_text("utf-8") for path in SOURCES}
    moved = [
        (fault.file, fault.text)
        for fault in (*FAULTS, *FAULTS_OF_WORLDS)
        if texts.get(PACKAGE / fault.file, "").count(fault.text) != 1
    ]
    assert moved == [], "tests/faults has the files and texts of another time"
    assert len(FAULTS) >= FAULTS_MIN


def test_each_fault_is_valid_python():
    for fault in (*FAULTS, *FAULTS_OF_WORLDS):
        text = (PACKAGE / fault.file).read_text("utf-8")
        compile(text.replace(fault.text, fault.planted), fault.file, "exec")


def test_the_tests_of_each_fault_are_there():
    named = {name for fault in FAULTS for name in fault.tests.split()}
    assert {name for name in named if not (ROOT / "tests" / name).exists()} == set()


def test_the_worlds_of_each_fault_are_there():
    assert {fault.form for fault in FAULTS_OF_WORLDS} == set(FORMS)


def test_each_package_has_a_fault():
    packages = {path.relative_to(PACKAGE).parts[0] for path in SOURCES if path.parent != PACKAGE}
    unplanted = {"limits"}  # values, which are compared elsewhere
    assert packages - unplanted <= {fault.file.split("/")[0] for fault in FAULTS}
