"""What may be on a disk after the machine stopped: a model of files and folders, fed with the records of recorder.c.

What was synced is there. Of what was not, anything may be: some of the writes to a file, in sectors of 512 bytes; some
of the changes of names in a folder, in any combination. A rename happens as a whole or not at all.
"""

import json
import os

SECTOR = 512


class File:
    """The bytes on the disk, and the writes that may not have reached it."""

    def __init__(self):
        self.synced = b""
        self.writes = []  # (offset, bytes) since the last sync

    def sync(self):
        data = bytearray(self.synced)
        for offset, piece in self.writes:
            _put(data, offset, piece)
        self.synced, self.writes = bytes(data), []

    def after_crash(self, rng):
        data = bytearray(self.synced)
        mode = rng.random()  # nothing, everything, or some sectors
        for offset, piece in self.writes:
            for at in range(0, len(piece), SECTOR):
                if mode > 0.8 or (mode > 0.3 and rng.random() < 0.5):
                    _put(data, offset + at, piece[at : at + SECTOR])
        return bytes(data)


def _put(data, offset, piece):
    if len(data) < offset + len(piece):
        data.extend(bytes(offset + len(piece) - len(data)))
    data[offset : offset + len(piece)] = piece


class Disk:
    """Apply records one by one; `states` yields what may be left after the last one."""

    def __init__(self, root):
        self.root = root
        self.files = {}  # number of the system -> File; numbers are used again
        self.names = {root: None}  # path -> File, None: a folder; as running programs see them
        self.durable = {root: None}  # the same, on the disk
        self.changes = []  # (folder, {path: File, None or "gone"}) since the folder was synced

    def apply(self, record):
        getattr(self, "_" + record["op"])(record)

    def _change(self, entries):
        for path, what in entries.items():
            if what == "gone":
                self.names.pop(path, None)
            else:
                self.names[path] = what
        self.changes.append((os.path.dirname(next(iter(entries))), entries))

    def _create(self, r):
        file = self.files[r["file"]] = File()
        self._change({r["path"]: file})

    def _empty(self, r):
        raise AssertionError(
            f"{r['path']} is written in place: a crash would leave neither the old file nor the new one"
        )

    def _write(self, r):
        self.files[r["file"]].writes.append((r["offset"], r["data"]))

    def _sync(self, r):
        self.files[r["file"]].sync()

    def _sync_folder(self, r):
        folder = r["path"].rstrip("/")
        for where, entries in self.changes:
            if where == folder:
                _keep(self.durable, entries)
        self.changes = [change for change in self.changes if change[0] != folder]

    def _rename(self, r):
        entries = {r["path"]: "gone", r["to"]: self.names[r["path"]]}
        if os.path.dirname(r["path"]) == os.path.dirname(r["to"]):
            self._change(entries)
        else:  # the new name may be there before the old one is gone, and the other way round
            self._change({r["to"]: entries[r["to"]]})
            self._change({r["path"]: "gone"})

    def _unlink(self, r):
        self._change({r["path"]: "gone"})

    _rmdir = _unlink

    def _mkdir(self, r):
        self._change({r["path"]: None})

    def _mark(self, r):
        pass

    def states(self, rng, count):
        """`count` dicts from relative path to bytes. The first ones have no and all of the unsynced changes."""
        for i in range(count):
            names = dict(self.durable)
            for _, entries in self.changes:
                if i == 1 or (i > 1 and rng.random() < 0.5):
                    _keep(names, entries)
            yield {
                os.path.relpath(path, self.root): file.after_crash(rng)
                for path, file in names.items()
                if file is not None and _is_reachable(path, names, self.root)
            }


def _keep(names, entries):
    for path, what in entries.items():
        if what == "gone":
            names.pop(path, None)
        else:
            names[path] = what


def _is_reachable(path, names, root):
    folder = os.path.dirname(path)
    return folder == root or (folder in names and names[folder] is None and _is_reachable(folder, names, root))


def read_log(path):
    """The records of a log; those of writes have the bytes as "data"."""
    with open(path, "rb") as log:
        while line := log.readline():
            record = json.loads(line)
            if record["op"] == "write":
                record["data"] = log.read(record["size"])
            yield record


def put(state, folder):
    """Makes the files of a state below a folder."""
    for name, data in state.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
