"""Where fuzzers get their choices from: a seed, or the bytes that a coverage-guided fuzzer mutates."""

import random


class SeedDraw:
    """Choices from a seed: the same seed makes the same call."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def integer(self, low, high):
        """An integer from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def pick(self, items):
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent):
        return self.integer(0, 99) < percent

    def blob(self, size):
        return self._random.randbytes(size)


class ByteDraw(SeedDraw):
    """Choices from bytes. Where they end, every choice is the first one."""

    def __init__(self, data):
        self._data = memoryview(data)
        self._at = 0

    def integer(self, low, high):
        count = ((high - low).bit_length() + 7) // 8
        return low + int.from_bytes(self.blob(count), "little") % (high - low + 1)

    def blob(self, size):
        taken = bytes(self._data[self._at : self._at + size])
        self._at += size
        return taken

    def rest(self):
        return self.blob(len(self._data))
