"""Runs a step in pieces.

Values stay in their slots between the pieces, and every node runs at most once. A piece runs the nodes that its fetches
need and that have not run yet, in the dynamic order: `pending` counts the nodes that a wanted node waits for, and
`uses` the readers of a slot in this and later pieces, so that its memory is reused or freed only after the last of
them.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from tfcore.core.step.executor cimport RunControl, Step, clear_slots, feed_slot, new_step, read_variable
from tfcore.core.step.plan cimport TFC_FETCH_READ, Plan
from tfcore.core.rendezvous.rendezvous cimport tfc_rendezvous_end_step
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *
from tfcore.core.memory.tensor cimport tensor_to_numpy

from tfcore.framework import errors


cdef enum:
    NOT_NOW = 1 << 30  # a pending count that does not reach zero: the node is done, or not wanted yet


@cython.no_gc_clear  # the plan is needed to release the slots
cdef class PartialStep:
    """The state of one partial run of a plan. Calls must not overlap. After an error it must be dropped."""

    cdef Plan plan
    cdef StepState *s
    cdef uint8_t *done    # by node: it has run
    cdef uint8_t *wanted  # by node: it runs in this piece
    cdef int64_t id       # step number of the first piece, 0 before that
    cdef int max_threads
    cdef RunControl control

    def __cinit__(self, Plan plan not None, int max_threads=0, RunControl control=None):
        cdef PlanArrays *a = &plan.a
        cdef int i, slot
        assert not plan.flows, "loops can't run in pieces"
        self.plan = plan
        self.done = <uint8_t *>calloc(a.n_nodes + 1, 1)
        self.wanted = <uint8_t *>calloc(a.n_nodes + 1, 1)
        if self.done == NULL or self.wanted == NULL:
            raise MemoryError()
        self.max_threads = max_threads
        self.control = control
        self.s = plan.acquire()
        memcpy(self.s.uses, a.slot_uses, a.n_slots * sizeof(int32_t))
        # The plan counts one use per fetched slot, however often it is fetched; here each fetch counts.
        for slot in {a.fetch_slots[i] for i in range(a.n_fetches) if a.fetch_slots[i] >= a.n_feeds}:
            self.s.uses[slot] -= 1
        for i in range(a.n_fetches):
            self.s.uses[a.fetch_slots[i]] += 1

    def __dealloc__(self):
        if self.id and self.plan.meets:
            with nogil:
                tfc_rendezvous_end_step(self.id)
        if self.s != NULL:
            clear_slots(&self.plan.a, self.s, 0, self.plan.a.n_slots)
            self.plan.release(self.s)
        free(self.done)
        free(self.wanted)

    def feed(self, list indices, list values):
        """Sets fed slots, all or none.

        Raises: what Session.run raises for such a value.
        """
        cdef int i
        try:
            for i, value in zip(indices, values):
                feed_slot(self.plan, self.s, i, value, self.control)
        except BaseException:
            for i in indices:
                tfc_tensor_clear(&self.s.slots[i])
            raise

    def advance(self, list fetches, list nodes, bint everything=False):
        """Runs what some values and nodes still need; their feeds must be set.

        Args:
          fetches: indices into the plan's fetches, each at most once in all calls.
          nodes: indices of nodes to run. everything: run all nodes that have not run.

        Returns: list of the fetched values.
        Raises: the OpError of the first kernel that failed.
        """
        cdef int i
        cdef int n = self._want(fetches, nodes, everything)
        if n:
            self._run(n)
            for i in range(self.plan.a.n_nodes):
                self.done[i] |= self.wanted[i]
        values = [self._take(i) for i in fetches]
        self._settle()
        return values

    cdef int _run(self, int n) except -1:
        cdef Step step = new_step(self.plan, self.max_threads, 0, self.control)
        try:
            step.begin()
            if self.id == 0:
                self.id = step.c.id
            step.c.id = self.id  # kernels see all pieces as one step
            step.s = self.s
            with nogil:
                tfc_run_pending(&self.plan.a, self.s, step.c, n)
            step.conclude()
        finally:
            step.s = NULL  # the values stay
            step.end()
        return 0

    cdef int _want(self, list fetches, list nodes, bint everything) except -1:
        """Marks the nodes of this piece and sets their pending counts; returns how many there are."""
        cdef const PlanArrays *a = &self.plan.a
        cdef const Node *node
        cdef int i, j
        cdef int n = 0
        memset(self.wanted, everything, a.n_nodes)
        for i in fetches:
            if a.slot_nodes[a.fetch_slots[i]] >= 0:
                self.wanted[a.slot_nodes[a.fetch_slots[i]]] = True
        for i in nodes:
            self.wanted[i] = True
        for i in range(a.n_nodes - 1, -1, -1):  # consumers come after their producers
            node = &a.nodes[i]
            for j in range(node.first_consumer, node.first_consumer + node.n_consumers):
                self.wanted[i] |= self.wanted[a.consumers[j]]
            self.wanted[i] &= not self.done[i]
            n += self.wanted[i]
            self.s.pending[i] = 0 if self.wanted[i] else NOT_NOW
        for i in range(a.n_nodes):
            node = &a.nodes[i]
            if self.wanted[i]:
                for j in range(node.first_consumer, node.first_consumer + node.n_consumers):
                    self.s.pending[a.consumers[j]] += 1
        return n

    cdef object _take(self, int i):
        """The value of a fetch; its slot is freed after its last use."""
        cdef int slot = self.plan.a.fetch_slots[i]
        if self.plan.fetch_kinds[i] & TFC_FETCH_READ:
            return read_variable(self.plan, self.s, slot)
        self.s.uses[slot] -= 1
        value = tensor_to_numpy(&self.s.slots[slot], self.s.uses[slot] == 0)
        if self.s.uses[slot] == 0:
            tfc_tensor_clear(&self.s.slots[slot])
        return value

    cdef int _settle(self) except -1:
        """Copies fed values that are kept between pieces: the user may change their memory."""
        cdef const PlanArrays *a = &self.plan.a
        cdef tfc_tensor copy
        cdef tfc_tensor *t
        cdef bint ok
        cdef int i
        for i in range(a.n_slots):
            t = &self.s.slots[i]
            if t.buffer == NULL:
                continue
            if i < a.n_feeds and self.s.uses[i] == 1:  # only the feed itself still counts
                tfc_tensor_clear(t)
            elif buffer_of(t).flags & TFC_BUFFER_BORROWED:
                with nogil:
                    ok = tfc_tensor_clone(&copy, t)
                if not ok:
                    raise errors.ResourceExhaustedError(
                        None, None, "OOM when keeping a fed value for later calls of partial_run")
                tfc_tensor_clear(t)
                t[0] = copy
        return 0
