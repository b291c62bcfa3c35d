"""Attributes of generated items: users with folders, files and versions, without an end."""

from collections.abc import Iterator
from itertools import count
from random import Random

KINDS = ("txt", "png", "pdf", "csv")


def items(random: Random) -> Iterator[tuple[str, dict]]:
    """Pairs of an entity and attributes; no two have the same key."""
    for number in count(1):
        user, used = f"user-{number:05}", 0
        folders = [f"root-{user}"]
        for each in range(random.randint(1, 4)):
            parent, folder = random.choice(folders), f"folder-{number}-{each}"
            entry = {"parentId": parent, "name": f"folder {each}", "childId": folder}
            yield "Entry", {**entry, "isFolder": True}
            folders.append(folder)
        for each in range(random.randint(2, 20)):
            file, name = f"file-{number}-{each}", f"file {each}.{random.choice(KINDS)}"
            entry = {"parentId": random.choice(folders), "name": name, "childId": file}
            yield "Entry", {**entry, "isFolder": False}
            versions = random.randint(1, 4)
            yield "File", {"fileId": file, "owner": user, "version": versions}
            for version in range(1, versions + 1):
                sha256, size = f"{random.getrandbits(256):064x}", random.randrange(1_000_000)
                content = {"sha256": sha256, "bytes": size, "object": f"{sha256[:2]}/{sha256[2:]}"}
                head = {"fileId": file, "version": version, "written": "2026-11-20T10:00:00Z"}
                yield "Version", {**head, **content}
                used += size
            if random.random() < 0.2:
                share = {"fileId": file, "sharedWith": f"user-{random.randint(1, 99):05}"}
                yield "Share", {**share, "fileName": name, "rights": "read"}
        yield "Quota", {"userId": user, "used": used, "allowed": 100_000_000}
