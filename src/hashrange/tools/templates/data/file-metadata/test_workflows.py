"""Files: names, versions and quotas."""

import patterns
import workflows
from dynamo import keys_of


def content(size=100):
    return {"sha256": "ff", "bytes": size, "object": "ff/ff", "written": "2026-11-21T10:00:00Z"}


def used(db):
    return patterns.used_space(db, "ada")["used"]


def test_a_path_has_its_steps(db):
    assert workflows.resolve(db, "root-ada", "trips/map.png")["childId"] == "x-map"
    assert workflows.resolve(db, "root-ada", "trips/none.png") is None
    assert workflows.resolve(db, "root-ada", "none/map.png") is None


def test_a_name_exists_once_in_a_folder(db):
    entry = {"parentId": "f-trips", "name": "map.png", "childId": "x-2"}
    assert workflows.add_a_file(db, "ada", entry, content()) == "exists"
    assert workflows.add_a_file(db, "ada", {**entry, "name": "2.png"}, content()) == "added"
    assert used(db) == 52300


def test_the_second_of_two_editors_is_told(db):
    read = patterns.file_with_versions_and_shares(db, "x-notes")[0]
    assert workflows.add_a_version(db, read, content()) == "added"
    assert workflows.add_a_version(db, read, content()) == "conflict"
    assert patterns.version_of_a_file(db, "x-notes", 3)["bytes"] == 100


def test_nobody_stores_more_than_is_allowed(db):
    read = patterns.file_with_versions_and_shares(db, "x-notes")[0]
    assert workflows.add_a_version(db, read, content(1_000_000 - 52_200 + 1)) == "full"
    assert workflows.add_a_version(db, read, content(1_000_000 - 52_200)) == "added"


def test_a_folder_moves_with_everything_below(db):
    entry = workflows.resolve(db, "root-ada", "trips")
    assert workflows.move_an_entry(db, entry, "root-ada", "travel")
    assert not workflows.move_an_entry(db, entry, "root-ada", "again")
    assert workflows.resolve(db, "root-ada", "travel/map.png")["childId"] == "x-map"
    names = ["FOLDER#root-ada/NAME#notes.txt", "FOLDER#root-ada/NAME#travel"]
    assert keys_of(patterns.list_a_folder(db, "root-ada")) == names
