"""Figures of the machine: what is free on disks, and how long certificates are valid."""

import threading

import pytest

from hashrange.server.certificates import DAYS, ensure
from hashrange.server.machine_figures import MachineFigures, machine_figures
from hashrange.settings.sources import load
from tests.pace import loop_until
from tests.unit.regions.strong.fast_loop import run

NOW_MS = 1_795_348_800_000
DAY_MS = 86_400_000


@pytest.fixture
def settings_of(tmp_path):
    def made(**texts):
        where = {} if "memory" in texts else {"data": str(tmp_path / "data")}
        return load({**where, **texts}, {})

    return made


def test_space_of_each_directory_that_there_is(tmp_path, settings_of):
    (tmp_path / "data").mkdir()
    (tmp_path / "log").mkdir()
    settings = settings_of(
        audit=str(tmp_path / "log"), backup_to=str(tmp_path / "gone"), backup_every="1h"
    )
    found = machine_figures(settings, NOW_MS)
    assert set(found) == {
        f"disk_{each}_bytes@{setting}"
        for each in ("free", "size")
        for setting in ("--data", "--audit")
    }
    assert 0 < found["disk_free_bytes@--data"] < found["disk_size_bytes@--data"]


def test_data_in_memory_are_on_no_disk(settings_of):
    assert machine_figures(settings_of(memory="true"), NOW_MS) == {}


def test_days_left_of_a_certificate(tmp_path, settings_of):
    certificate, key = tmp_path / "tls-cert.pem", tmp_path / "tls-key.pem"
    ensure(certificate, key, [], NOW_MS)
    settings = settings_of(memory="true", tls_cert=str(certificate), tls_key=str(key))
    found = machine_figures(settings, NOW_MS + 30 * DAY_MS)
    assert found == {"certificate_days_left@--tls-cert": DAYS - 30}


# A scrape is what tells that a disk hangs: it must not wait for that disk itself.
def test_a_disk_that_does_not_answer_holds_up_no_scrape():
    hangs, answers = threading.Event(), []

    def read():
        answers.append(len(answers) + 1)
        if len(answers) > 1:
            hangs.wait()
        return {"disk_free_bytes@--data": answers[-1]}

    async def scraped():
        figures = MachineFigures(read)
        while not (first := await figures.read()):
            pass
        late = [await figures.read() for _ in range(3)]
        await loop_until(lambda: len(answers) == 2)
        hangs.set()
        return first, late

    first, late = run(scraped())
    assert first == {"disk_free_bytes@--data": 1}
    assert late == [first] * 3
    assert answers == [1, 2], "one thread at a time"
