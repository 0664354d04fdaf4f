"""Tells every process what each process has to say, when a cluster starts: the protocol, without MPI and clocks.

The processes form a binomial tree over the ranks: the parent of a rank is the rank without its lowest set bit, so that
a subtree is a block of consecutive ranks, which mostly run on one host. Texts go up the tree, and the list of all comes
down. A process handles as many messages as it has neighbours in the tree, at most log2 of the number of processes, and
all of them together 2 (N - 1). If some don't come in time, rank 0 asks each one that it has not heard of directly:
those that wait for a missing parent answer, so the error names only the missing ones.
"""

import json
import zlib

UP, DOWN, ROLL_CALL, HERE, END = range(5)  # END: the exchange has failed; not passed on


def parent(rank):
    return rank & (rank - 1)


def children(rank, size):
    """The ranks below this one in the tree, the largest subtree first."""
    lowest = rank & -rank if rank else 1 << (size - 1).bit_length()
    steps = [1 << i for i in reversed(range(lowest.bit_length() - 1))]
    return [rank + step for step in steps if rank + step < size]


class Exchange:
    """One process's part in an exchange.

    The methods return the messages to send: a list of (rank, bytes). Messages to this process go to `receive`, in the
    order in which their sender has sent them.

    number: the same in all processes, different for each exchange.
    texts: in the end, the texts of all processes, in the order of the ranks; else None.
    missing: in the end, the ranks that did not take part, if there are any; else None.
    """

    def __init__(self, number, rank, size, text):
        self._number, self._rank, self._size = number, rank, size
        self._said = {rank: text}  # of this process and the subtrees that have come
        self._awaited = set(children(rank, size))
        self._here = None  # rank 0, once it has called the roll: the ranks that have answered
        self.texts = None
        self.missing = None

    @property
    def is_over(self):
        return self.texts is not None or self.missing is not None

    def begin(self):
        return self._go_up_when_complete()

    def receive(self, source, data):
        """Handles a message. Those of other exchanges are ignored."""
        kind, number = data[0], int.from_bytes(data[1:5], "little")
        if number != self._number or self.is_over:
            return []
        if kind == ROLL_CALL:
            return [(source, self._message(HERE))]
        if kind == HERE:
            if self._here is not None:
                self._here.add(source)
            return []
        content = json.loads(zlib.decompress(data[5:]))
        if kind == UP:
            self._said.update((int(rank), text) for rank, text in content.items())
            self._awaited.discard(source)
            return self._go_up_when_complete()
        if kind == DOWN:
            self.texts = content
            return [(child, data) for child in children(self._rank, self._size)]
        self.missing = content
        return []

    def call_the_roll(self):
        """For rank 0 when its time is up: asks the ranks that it has not heard from."""
        self._here = set()
        return [(rank, self._message(ROLL_CALL)) for rank in self.unheard()]

    @property
    def all_are_here(self):
        """Whether all have answered since the roll was called, so that their texts can still come."""
        return self._here is not None and self._here >= set(self.unheard())

    def give_up(self):
        """Rank 0: tells those that are there which ranks are missing."""
        unheard = self.unheard()
        self.missing = [rank for rank in unheard if rank not in self._here] or unheard
        there = [rank for rank in range(1, self._size) if rank not in self.missing]
        answer = self._message(END, self.missing)
        return [(rank, answer) for rank in there]

    def unheard(self):
        """The ranks whose texts have not come. Those below a rank that is missing may be there."""
        return [rank for rank in range(self._size) if rank not in self._said]

    def _go_up_when_complete(self):
        if self._awaited:
            return []
        if self._rank:
            return [(parent(self._rank), self._message(UP, self._said))]
        self.texts = [self._said[rank] for rank in range(self._size)]
        answer = self._message(DOWN, self.texts)
        return [(child, answer) for child in children(0, self._size)]

    def _message(self, kind, content=None):
        """The texts of a cluster's processes are much alike: compressed, they take a fraction of their size."""
        body = b"" if content is None else zlib.compress(json.dumps(content).encode(), 1)
        return bytes([kind]) + (self._number & 0xFFFFFFFF).to_bytes(4, "little") + body
