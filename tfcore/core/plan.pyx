"""A plan: the pruned, simplified graph of one run signature, flattened into arrays.

Nodes stand in the order in which one thread runs them. Every value has a slot; a StepState holds the slots of one
running step, with input pointers resolved, and is reused by later steps, so that a step allocates nothing but tensors.
A read of a variable (a reference that flows into a value input) gets a slot of its own for the snapshot.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from tfcore.core.kernel cimport KernelInstance
from tfcore.core.runtime cimport *
from tfcore.core.step cimport *

from tfcore.core.registry import LEVELS

cdef const tfc_runtime *rt = runtime()

cdef enum:
    LAST_USE = TFC_INPUT_LAST_USE  # in the serial order nobody reads the value after this node
    ONCE = TFC_INPUT_ONCE          # read by one input of this node and not fetched: may be taken over if read last
    QUICK_NODES = 64
    QUICK_NS = 3000


cdef int32_t *int_array(list values) except? NULL:
    cdef int32_t *out = <int32_t *>PyMem_Calloc(len(values) + 1, sizeof(int32_t))
    cdef int i
    if out == NULL:
        raise MemoryError()
    for i in range(len(values)):
        out[i] = values[i]
    return out


class PlanNode:
    """What the compiler gives the plan for one node, in execution order.

    Attributes:
      op: what errors name: has name, type and creation_line. kernel: a KernelInstance.
      inputs: for each input the slot number. deref: whether that input reads a variable through a reference.
      output_dtypes: type numbers, references with 100 added. controls: indices of nodes that must run before.
    """

    __slots__ = ("op", "kernel", "inputs", "deref", "output_dtypes", "controls", "first_slot")

    def __init__(self, op, kernel, inputs, deref, output_dtypes, controls):
        self.op = op
        self.kernel = kernel
        self.inputs = inputs
        self.deref = deref
        self.output_dtypes = output_dtypes
        self.controls = controls


cdef class Plan:
    """Made from a list of PlanNodes. Slots 0..n_feeds-1 hold fed values, then each node's outputs follow in order."""

    def __init__(self, list nodes, list feeds, list fetch_slots, bint dynamic=False, fetch_reads=()):
        """feeds: for each fed value (name, DType, dims); fetch_slots: slots of the values to return; fetch_reads: which of
        these are references, to be read when the step ends."""
        self.fetch_reads = [i in set(fetch_reads) for i in range(len(fetch_slots))]
        self.waits = any(n.kernel.flags & (TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING) for n in nodes)
        self.dynamic = dynamic or self.waits
        self.peers = [n.op.attrs["peer"] for n in nodes if n.op.type == "_RunPartition"]
        self.meets = any(n.op.type in ("_Send", "_Recv", "_RunPartition") for n in nodes)
        own = all(n.kernel.level in LEVELS for n in nodes)
        self.gated = own and not self.waits
        self.all_own = own and not any(n.kernel.flags & TFC_KERNEL_STATEFUL for n in nodes)
        self.a.n_nodes = len(nodes)
        self.a.n_feeds = len(feeds)
        self.feed_names = [name for name, _, _ in feeds]
        self.feed_dims = [dims for _, _, dims in feeds]
        self.feed_dtypes = [t._enum for _, t, _ in feeds]
        self.a.feed_types = int_array(self.feed_dtypes)
        self.feed_np_dtypes = [t._np for _, t, _ in feeds]
        self.ops = [n.op for n in nodes]
        self.kernels = [n.kernel for n in nodes]
        slot_dtypes = list(self.feed_dtypes)
        producer = [-1] * self.a.n_feeds
        for i, n in enumerate(nodes):
            n.first_slot = len(slot_dtypes)
            slot_dtypes.extend(n.output_dtypes)
            producer.extend([i] * len(n.output_dtypes))
        inputs, derefs = self._resolve_inputs(nodes, slot_dtypes)
        self._set_arrays(nodes, inputs, derefs, slot_dtypes, fetch_slots, producer)

        self._set_feed_shapes()

    def _set_feed_shapes(self):
        """Per feed: rank (-1: unknown), then 8 sizes (-1: unknown)."""
        self.a.feed_shapes = <int64_t *>PyMem_Calloc(9 * self.a.n_feeds + 1, sizeof(int64_t))
        cdef int64_t *shape
        for i, dims in enumerate(self.feed_dims):
            shape = &self.a.feed_shapes[9 * i]
            shape[0] = -1 if dims is None else len(dims)
            for j, d in enumerate((dims or ())[:8]):
                shape[1 + j] = -1 if d is None else d

    def _resolve_inputs(self, nodes, slot_dtypes):
        """Input slots of each node, references that are read replaced by snapshot slots."""
        inputs, derefs = [], []
        for n in nodes:
            mine, snapshots = [], []
            for slot, deref in zip(n.inputs, n.deref):
                if deref:
                    snapshots.append((slot, len(slot_dtypes)))
                    slot = len(slot_dtypes)
                    slot_dtypes.append(slot_dtypes[snapshots[-1][0]] - 100)
                mine.append(slot)
            inputs.append(mine)
            derefs.append(snapshots)
        return inputs, derefs

    def _set_arrays(self, nodes, inputs, derefs, slot_dtypes, fetch_slots, producer):
        kept = set(fetch_slots)
        n_slots = len(slot_dtypes)
        last_user = [-1] * n_slots
        uses = [0] * n_slots
        for i, mine in enumerate(inputs):
            for slot in set(mine):
                last_user[slot] = i
                uses[slot] += 1
        input_slots, input_flags, releases, flat_derefs, consumers = [], [], [], [], []
        consumers_of = self._consumers(nodes, inputs, producer)
        self.a.nodes = <Node *>PyMem_Calloc(self.a.n_nodes + 1, sizeof(Node))
        if self.a.nodes == NULL:
            raise MemoryError()
        cdef Node *node
        cdef KernelInstance kernel
        for i, n in enumerate(nodes):
            node = &self.a.nodes[i]
            kernel = n.kernel
            node.compute = kernel.kernel.compute
            if kernel.level == "user" and not kernel.kernel.flags & TFC_KERNEL_ASYNC:
                node.checked = node.compute
                node.compute = rt.checked_compute
            node.state = kernel.state
            node.flags = kernel.kernel.flags
            node.n_inputs = len(inputs[i])
            node.n_outputs = len(n.output_dtypes)
            node.first_input = len(input_slots)
            node.first_output = n.first_slot
            node.first_deref = len(flat_derefs)
            node.n_derefs = len(derefs[i])
            node.first_release = len(releases)
            node.first_consumer = len(consumers)
            for slot in inputs[i]:
                # A fed value belongs to the caller; one that is fetched must stay; one used twice by this node is
                # not for either use to overwrite.
                alone = slot not in kept and inputs[i].count(slot) == 1
                input_flags.append((LAST_USE if alone and last_user[slot] == i else 0) | (ONCE if alone else 0))
                input_slots.append(slot)
            # Fed values are let go at the end of the step, with the GIL held.
            releases.extend(s for s in dict.fromkeys(inputs[i]) if s >= self.a.n_feeds and last_user[s] == i and s not in kept)
            outputs = range(n.first_slot, n.first_slot + node.n_outputs)
            releases.extend(s for s in outputs if last_user[s] < 0 and s not in kept)
            flat_derefs.extend(derefs[i])
            consumers.extend(consumers_of[i][0])
            node.n_pending = consumers_of[i][1]
            node.n_consumers = len(consumers) - node.first_consumer
            node.n_releases = len(releases) - node.first_release
            node.ns = 0
        self.a.no_flags = <uint8_t *>PyMem_Calloc(max([len(mine) for mine in inputs], default=0) + 1, 1)
        self.a.n_slots = n_slots
        self.a.n_inputs = len(input_slots)
        self.a.n_derefs = len(flat_derefs)
        self.a.n_fetches = len(fetch_slots)
        self.a.input_slots = int_array(input_slots)
        self.a.input_flags = <uint8_t *>PyMem_Calloc(self.a.n_inputs + 1, 1)
        for i in range(self.a.n_inputs):
            self.a.input_flags[i] = input_flags[i]
        self.a.releases = int_array(releases)
        self.a.consumers = int_array(consumers)
        self.a.slot_dtypes = int_array(slot_dtypes)
        self.a.slot_uses = int_array([u + (s in kept or s < self.a.n_feeds) for s, u in enumerate(uses)])
        self.a.fetch_slots = int_array(fetch_slots)
        self.a.slot_nodes = int_array(producer + [-1] * (n_slots - len(producer)))
        self.a.derefs = <Deref *>PyMem_Calloc(self.a.n_derefs + 1, sizeof(Deref))
        for i, (source, target) in enumerate(flat_derefs):
            self.a.derefs[i].source = source
            self.a.derefs[i].target = target

    def _consumers(self, nodes, inputs, producer):
        """For each node: the nodes that wait for it, and for how many nodes it waits itself."""
        waits = []
        for i, n in enumerate(nodes):
            before = {producer[s] for s in n.inputs}  # before snapshots took their place
            before.update(n.controls)
            before.discard(-1)
            waits.append(before)
        consumers = [[] for _ in nodes]
        for i, before in enumerate(waits):
            for j in before:
                consumers[j].append(i)
        return [(consumers[i], len(waits[i])) for i in range(len(nodes))]

    def __dealloc__(self):
        cdef StepState *s
        while self.free_states != NULL:
            s = self.free_states
            self.free_states = s.next
            free_state(s)
        for p in (<size_t>self.a.nodes, <size_t>self.a.input_slots, <size_t>self.a.input_flags, <size_t>self.a.no_flags, <size_t>self.a.derefs,
                  <size_t>self.a.releases, <size_t>self.a.consumers, <size_t>self.a.slot_dtypes, <size_t>self.a.slot_uses,
                  <size_t>self.a.fetch_slots, <size_t>self.a.feed_types, <size_t>self.a.feed_shapes,
                  <size_t>self.a.slot_nodes):
            PyMem_Free(<void *><size_t>p)

    # States are handed out and taken back with the GIL held, which protects the list.
    cdef StepState *acquire(self) except NULL:
        cdef StepState *s = self.free_states
        if s != NULL:
            self.free_states = s.next
            return s
        s = <StepState *>calloc(1, sizeof(StepState))
        if s == NULL:
            raise MemoryError()
        s.slots = <tfc_tensor *>calloc(self.a.n_slots + 1, sizeof(tfc_tensor))
        s.inputs = <const tfc_tensor **>calloc(self.a.n_inputs + 1, sizeof(void *))
        s.pending = <int32_t *>calloc(self.a.n_nodes + 1, sizeof(int32_t))
        s.uses = <int32_t *>calloc(self.a.n_slots + 1, sizeof(int32_t))
        if s.slots == NULL or s.inputs == NULL or s.pending == NULL or s.uses == NULL:
            free_state(s)
            raise MemoryError()
        cdef int i
        for i in range(self.a.n_slots):
            s.slots[i].dtype = self.a.slot_dtypes[i]
        for i in range(self.a.n_inputs):
            s.inputs[i] = &s.slots[self.a.input_slots[i]]
        return s

    cdef void release(self, StepState *s) noexcept:
        s.next = self.free_states
        self.free_states = s

    cdef bint is_quick(self) noexcept:
        """Whether, by measured times, giving the GIL away costs more than it lets other threads do.

        Only where nobody can make the step wait who may himself be waiting for the GIL: the package's own kernels never take
        it while they hold a variable's lock.
        """
        cdef int i
        cdef double total = 0
        for i in range(self.a.n_nodes):
            total += self.a.nodes[i].ns
        return self.all_own and self.a.n_nodes <= QUICK_NODES and total < QUICK_NS

    def verify(self):
        """Checks the invariants that the executor relies on; AssertionError names what is broken."""
        cdef int i, j, slot
        written = set(range(self.a.n_feeds))
        released = set()
        for i in range(self.a.n_nodes):
            node = self.a.nodes[i]
            where = f"node {i} ({self.ops[i].name})"
            for j in range(node.first_deref, node.first_deref + node.n_derefs):
                assert self.a.derefs[j].source in written, f"{where} reads reference slot {self.a.derefs[j].source} too early"
                assert self.a.slot_dtypes[self.a.derefs[j].source] > 100, f"{where} takes a snapshot of a value"
                written.add(self.a.derefs[j].target)
            for j in range(node.first_input, node.first_input + node.n_inputs):
                slot = self.a.input_slots[j]
                assert slot in written, f"{where} reads slot {slot} before it is written"
                assert slot not in released, f"{where} reads slot {slot} after its release"
            for slot in range(node.first_output, node.first_output + node.n_outputs):
                assert slot not in written, f"{where} writes slot {slot} a second time"
                written.add(slot)
            for j in range(node.first_release, node.first_release + node.n_releases):
                slot = self.a.releases[j]
                assert slot in written and slot not in released, f"{where} releases slot {slot} wrongly"
                released.add(slot)
            for j in range(node.first_consumer, node.first_consumer + node.n_consumers):
                assert self.a.consumers[j] > i, f"{where} has consumer {self.a.consumers[j]} that stands before it"
        for j in range(self.a.n_fetches):
            assert self.a.fetch_slots[j] in written and self.a.fetch_slots[j] not in released, "a fetched slot is not kept"

    def describe(self):
        """The nodes in order, one line each, for people."""
        cdef int i
        lines = []
        for i in range(self.a.n_nodes):
            node = self.a.nodes[i]
            inputs = [self.a.input_slots[j] for j in range(node.first_input, node.first_input + node.n_inputs)]
            frees = [self.a.releases[j] for j in range(node.first_release, node.first_release + node.n_releases)]
            op = self.ops[i]
            lines.append(f"{i:4} {op.type} {op.name} {inputs} -> {node.first_output}+{node.n_outputs} frees {frees} {node.ns:.0f} ns")
        return "\n".join(lines)

    def times(self):
        """For each node the ns it took in the runs that were measured, 0 before the second run."""
        return [self.a.nodes[i].ns for i in range(self.a.n_nodes)]

    @property
    def num_nodes(self):
        return self.a.n_nodes


cdef void free_state(StepState *s) noexcept:
    free(s.slots)
    free(s.inputs)
    free(s.pending)
    free(s.uses)
    free(s)
