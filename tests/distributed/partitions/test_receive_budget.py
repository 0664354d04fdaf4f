"""The receive budget (receive_budget.c) alone, against a model: who may send, and when."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.distributed.transport.simulated_mpi import FOLDERS
from tests.threads import rounds

PATIENCE_NS, LONG_PATIENCE_NS = 100_000_000, 1_000_000_000
BITS = 40  # of a step's number below the rank of its master

# What the file needs of the rest, and values whose memory a test frees.
REST = """
#include "partitions/receive_budget.h"
#include <stdlib.h>
static int freed;
static void release(tfc_buffer* b) { freed++; free(b); }
tfc_tensor* make_value(int64_t bytes) {
  tfc_tensor* t = calloc(1, sizeof *t);
  tfc_buffer* b = calloc(1, sizeof *b);
  *b = (tfc_buffer){.refs = 1, .release = release, .data = b, .size = (size_t)bytes};
  *t = (tfc_tensor){.buffer = b, .data = b, .n = bytes, .dtype = TFC_UINT8, .rank = 1};
  return t;
}
tfc_tensor* make_empty(void) { return calloc(1, sizeof(tfc_tensor)); }
void free_value(tfc_tensor* t) { tfc_tensor_clear(t); free(t); }
int count_freed(void) { return freed; }
"""

Key = ctypes.c_int64 * 4
ANSWER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.POINTER(Key), ctypes.c_bool)
NOW = ctypes.CFUNCTYPE(ctypes.c_int64)
COMPUTING = ctypes.CFUNCTYPE(ctypes.c_bool)
COUNTS = ("waiting", "cleared", "reserved_bytes", "peak_reserved_bytes", "forced")


class Callbacks(ctypes.Structure):
    _fields_ = [("answer", ANSWER), ("now", NOW), ("is_computing", COMPUTING)]


@functools.cache
def library():
    """The file, compiled once. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    with tempfile.TemporaryDirectory(prefix="tfcore-test-") as folder:
        rest, target = os.path.join(folder, "rest.c"), os.path.join(folder, "budget.so")
        with open(rest, "w", encoding="utf-8") as file:
            file.write(REST)
        source = os.path.join(FOLDERS[0], "partitions", "receive_budget.c")
        flags = ["-O1", "-g", "-std=gnu11", "-pthread", "-shared", "-fPIC", *(f"-I{path}" for path in FOLDERS)]
        subprocess.run(["gcc", *flags, source, rest, "-o", target], check=True)
        c = ctypes.CDLL(target)
    c.make_value.restype = c.make_empty.restype = ctypes.c_void_p
    c.make_value.argtypes = (ctypes.c_int64,)
    c.free_value.argtypes = (ctypes.c_void_p,)
    c.tfc_budget_open.argtypes = (ctypes.POINTER(Callbacks), ctypes.c_int64)
    c.tfc_budget_request.restype = c.tfc_budget_has_waiting.restype = ctypes.c_bool
    c.tfc_budget_request.argtypes = (ctypes.c_int, ctypes.POINTER(Key), ctypes.c_int64)
    c.tfc_budget_arrived.argtypes = (ctypes.c_int, ctypes.POINTER(Key), ctypes.c_void_p)
    c.tfc_budget_end_step.argtypes = (ctypes.c_int64,)
    c.tfc_budget_count.argtypes = (ctypes.c_int64 * len(COUNTS),)
    return c


class Budget:
    """The real one, and what it answered."""

    def __init__(self, limit):
        self.c = library()
        self.now, self.computing, self.answers = 1, False, []
        callbacks = ANSWER(self._answer), NOW(lambda: self.now), COMPUTING(lambda: self.computing)
        self._callbacks = Callbacks(*callbacks)
        self.c.tfc_budget_after_fork()  # forgets what an example that failed has left
        self.c.tfc_budget_open(ctypes.byref(self._callbacks), limit)

    def _answer(self, peer, key, wanted):
        self.answers.append((peer, tuple(key.contents), wanted))

    def request(self, peer, key, size):
        assert self.c.tfc_budget_request(peer, Key(*key), size)

    def arrived(self, peer, key, size):
        """The value; None: it has no memory."""
        if not size:
            empty = self.c.make_empty()
            self.c.tfc_budget_arrived(peer, Key(*key), empty)
            self.c.free_value(empty)
            return None
        value = self.c.make_value(size)
        self.c.tfc_budget_arrived(peer, Key(*key), value)
        return value

    def counts(self):
        counts = (ctypes.c_int64 * len(COUNTS))()
        self.c.tfc_budget_count(counts)
        return dict(zip(COUNTS, counts))


class Claim:
    """A request. state: "waiting", "cleared", "reserved_bytes" or "over"; `value`: its memory, until that is freed."""

    def __init__(self, peer, key, size):
        self.peer, self.key, self.size = peer, key, size
        self.state, self.value = "waiting", None


class Budgets(RuleBasedStateMachine):
    """The model: all claims, in the order of the requests."""

    @initialize(limit=st.sampled_from([0, 1, 100, 1000]))
    def open(self, limit):
        self.limit, self.budget = limit, Budget(limit)
        self.claims, self.expected, self.number, self.peak = [], [], 0, 0
        self.forced, self.values_freed = 0, self.budget.c.count_freed()
        self.note_change()

    def having(self, *states):
        return [claim for claim in self.claims if claim.state in states]

    def reserved_bytes(self):
        return sum(claim.size for claim in self.having("cleared", "reserved_bytes"))

    @staticmethod
    def order(claim):
        return claim.key[0] % (1 << BITS), claim.key[0] >> BITS

    def clear(self, claim):
        claim.state = "cleared"
        self.peak = max(self.peak, self.reserved_bytes())
        self.note_change()
        self.expected.append((claim.peer, claim.key, True))

    def clear_what_fits(self):
        while waiting := self.having("waiting"):
            if self.reserved_bytes() and waiting[0].size > self.limit - self.reserved_bytes():
                first = min(map(self.order, self.having("waiting", "cleared", "reserved_bytes")))
                waiting = [claim for claim in waiting if self.order(claim) == first]
            if not waiting:
                return
            self.clear(waiting[0])

    def note_change(self):
        self.stalled_since = self.unchanged_since = 0

    def something_happened(self):
        self.note_change()
        self.clear_what_fits()

    @rule(peer=st.integers(1, 3), master=st.integers(0, 2), count=st.integers(1, 4), size=st.integers(1, 600))
    def request(self, peer, master, count, size):
        self.number += 1
        claim = Claim(peer, (master << BITS | count, self.number, 0, 0), size)
        self.claims.append(claim)
        if self.having("waiting") == [claim]:
            self.note_change()
        self.budget.request(claim.peer, claim.key, size)
        self.clear_what_fits()

    @precondition(lambda self: self.having("cleared"))
    @rule(data=st.data(), has_memory=st.booleans())
    def arrive(self, data, has_memory):
        claim = data.draw(st.sampled_from(self.having("cleared")))
        claim.value = self.budget.arrived(claim.peer, claim.key, claim.size if has_memory else 0)
        claim.state = "reserved_bytes" if has_memory else "over"
        self.something_happened()

    @rule(peer=st.integers(1, 3), has_memory=st.booleans())
    def arrive_unasked(self, peer, has_memory):
        value = self.budget.arrived(peer, (1, 10**9, 0, 0), 50 if has_memory else 0)
        if value:
            self.budget.c.free_value(value)
            self.values_freed += 1

    @precondition(lambda self: [claim for claim in self.claims if claim.value])
    @rule(data=st.data())
    def free(self, data):
        claim = data.draw(st.sampled_from([claim for claim in self.claims if claim.value]))
        self.budget.c.free_value(claim.value)
        self.values_freed += 1
        claim.value, counted = None, claim.state == "reserved_bytes"
        claim.state = "over"
        if counted:
            self.something_happened()

    def end(self, claims):
        for claim in claims:
            if claim.state == "waiting":
                self.expected.append((claim.peer, claim.key, False))
            claim.state = "over"
        if claims:
            self.something_happened()

    @rule(master=st.integers(0, 2), count=st.integers(1, 4))
    def end_step(self, master, count):
        step = master << BITS | count
        self.budget.c.tfc_budget_end_step(step)
        self.end([claim for claim in self.having("waiting", "cleared", "reserved_bytes") if claim.key[0] == step])

    @rule(peer=st.integers(1, 3))
    def end_peer(self, peer):
        self.budget.c.tfc_budget_end_peer(peer)
        self.end([claim for claim in self.having("waiting", "cleared", "reserved_bytes") if claim.peer == peer])

    def passed(self, since, patience):
        setattr(self, since, getattr(self, since) or self.budget.now)
        return self.budget.now - getattr(self, since) >= patience

    @rule(ns=st.sampled_from([1, PATIENCE_NS // 2, PATIENCE_NS, LONG_PATIENCE_NS]), computing=st.booleans())
    def tick(self, ns, computing):
        self.budget.now += ns
        self.budget.computing = computing
        self.budget.c.tfc_budget_tick()
        busy = computing or bool(self.having("cleared"))
        if busy:
            self.stalled_since = 0
        if waiting := self.having("waiting"):
            stalled = not busy and self.passed("stalled_since", PATIENCE_NS)
            if self.passed("unchanged_since", LONG_PATIENCE_NS) or stalled:
                self.forced += 1
                self.clear(waiting[0])

    @invariant()
    def agrees(self):
        if not hasattr(self, "budget"):
            return
        assert [a for a in self.budget.answers if a[2]] == [a for a in self.expected if a[2]]
        assert sorted(self.budget.answers) == sorted(self.expected)
        counts = self.budget.counts()
        assert counts["waiting"] == len(self.having("waiting"))
        assert self.budget.c.tfc_budget_has_waiting() == bool(counts["waiting"])
        assert counts["cleared"] == len(self.having("cleared"))
        assert counts["reserved_bytes"] == self.reserved_bytes()
        assert counts["peak_reserved_bytes"] == self.peak
        assert counts["forced"] == self.forced
        assert self.budget.c.count_freed() == self.values_freed

    def teardown(self):
        """Whatever has happened: when values arrive and are freed, all requests are answered."""
        if not hasattr(self, "budget"):
            return
        while going := self.having("cleared", "reserved_bytes"):
            for claim in going:
                if claim.state == "cleared":
                    claim.value, claim.state = self.budget.arrived(claim.peer, claim.key, claim.size), "reserved_bytes"
                self.budget.c.free_value(claim.value)
                self.values_freed += 1
                claim.value, claim.state = None, "over"
                self.something_happened()
        assert not self.having("waiting")
        for claim in self.claims:
            if claim.value:
                self.budget.c.free_value(claim.value)
                self.values_freed += 1
        self.agrees()
        assert self.budget.counts()["reserved_bytes"] == 0


TestBudgets = Budgets.TestCase
TestBudgets.settings = settings(max_examples=rounds(200), stateful_step_count=40)
