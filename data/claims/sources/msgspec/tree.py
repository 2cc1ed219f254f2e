"""A tree of folders and documents as JSON, and what a library has made of it as plain values."""

import json
import random

RIGHTS = ["read", "write", "both"]
DAYS = [f"2023-{month:02}-{day:02}T08:30:15.250000+00:00" for month in range(1, 13) for day in (1, 9, 17, 25)]


def tree(count):
    """Return the JSON of a folder with this many folders and documents in it, at most seven in each folder."""
    draw = random.Random(18)
    root = entry(draw, 0)
    folders, made = [root], 0
    while made < count:
        folder = folders.pop(0)
        for _ in range(min(draw.randint(3, 7), count - made)):
            made += 1
            one = entry(draw, made)
            folder["entries"].append(one)
            if one["kind"] == "folder":
                folders.append(one)
        if not folders:
            folders.append(root)
    return json.dumps(root, separators=(",", ":")).encode()


def entry(draw, number):
    """Return a folder, or a document three times out of four; a change is known of half of them."""
    name = f"entry {number} " + "".join(draw.choices("abcdefghij", k=12))
    found = {"name": name, "owner": f"user{draw.randint(1, 30)}", "made": draw.choice(DAYS)}
    if draw.random() < 0.5:
        found.update(changed_by=f"user{draw.randint(1, 30)}", changed=draw.choice(DAYS))
    if number and draw.random() < 0.75:
        return {"kind": "document", **found, "length": draw.randint(0, 10**6), "rights": draw.choice(RIGHTS)}
    return {"kind": "folder", **found, "entries": []}


def prepare(count=1000):
    """Return the text that all rows read."""
    return tree(count)


def plain(value):
    """Return the values with UTC written in one way, and without what is None."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.replace("+00:00", "Z") if isinstance(value, str) else value


def answer(blob):
    """Return what was written as plain values."""
    return plain(json.loads(blob))
