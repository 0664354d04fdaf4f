"""A plan: the pruned, simplified graph of one run signature, flattened into arrays.

Nodes are in the order in which one thread runs them. Every value has a slot. A StepState holds the slots of one
running step, with input pointers resolved, and is reused by later steps, so that a step allocates nothing but tensors.
Reading a variable (a reference that flows into a value input) takes another slot for the snapshot.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from posix.stdlib cimport posix_memalign

from tfcore.core.registry.kernel cimport KernelInstance
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *

import itertools
import weakref

import numpy

from tfcore.framework.types import dtypes

from tfcore.core.registry.registry import LEVELS



by_number = weakref.WeakValueDictionary()  # the plans with kernels that suspend
_numbers = itertools.count(1)

cdef enum:
    LAST_USE = TFC_INPUT_LAST_USE  # in serial order, no later node reads the value
    ONCE = TFC_INPUT_ONCE          # read by one input of this node, not fetched: the last reader may reuse its memory
    QUICK_NODES = 64
    QUICK_NS = 3000


cdef tfc_tensor *new_slots(size_t count) noexcept:
    """Zeroed tensors, aligned to cache lines, so that tensors of up to four dimensions take one line each."""
    cdef void *slots = NULL
    if posix_memalign(&slots, 64, count * sizeof(tfc_tensor)):
        return NULL
    return <tfc_tensor *>memset(slots, 0, count * sizeof(tfc_tensor))


cdef int32_t *int_array(list values) except? NULL:
    cdef int32_t *out = <int32_t *>PyMem_Calloc(len(values) + 1, sizeof(int32_t))
    cdef int i
    if out == NULL:
        raise MemoryError()
    for i in range(len(values)):
        out[i] = values[i]
    return out


MAY_WAIT = TFC_NODE_MAY_WAIT  # a flag, for the compiler
MERGES = frozenset(["Merge", "RefMerge"])
SAVES = frozenset(["SaveV2", "Save", "SaveSlices"])
KINDS = {
    **dict.fromkeys(MERGES, TFC_MERGE),
    **dict.fromkeys(["Switch", "RefSwitch"], TFC_SWITCH),
    **dict.fromkeys(["Enter", "RefEnter"], TFC_ENTER),
    **dict.fromkeys(["Exit", "RefExit"], TFC_EXIT),
    **dict.fromkeys(["NextIteration", "RefNextIteration"], TFC_NEXT_ITERATION),
    **dict.fromkeys(["_Send", "_Recv"], TFC_TRANSFER),
    "LoopCond": TFC_FORWARD,
    "ControlTrigger": TFC_TRIGGER,
}


def in_order(values, new):
    """`values` reordered: values[i] moves to position new[i]."""
    out = [None] * len(values)
    for value, i in zip(values, new):
        out[i] = value
    return out


class PlanNode:
    """The compiler's description of one node; the nodes of a plan are listed in execution order.

    Attributes:
      op: the operation that errors name; has name, type, attrs and creation_line. kernel: a KernelInstance.
      inputs: the slot of each input. deref: for each input, whether it reads a variable through a reference.
      output_dtypes: type numbers, plus 100 for references. controls: indices of nodes that must run before.
      first_slot: the slot of the first output; set by Plan.
      flags: the kernel's; the compiler adds TFC_NODE_MAY_WAIT.
      frame, out_frame: with control flow, the numbers of the frame in which the node runs and of its outputs' frame.
    """

    __slots__ = (
        "op", "kernel", "flags", "inputs", "deref", "output_dtypes", "controls", "first_slot", "frame", "out_frame"
    )

    def __init__(self, op, kernel, inputs, deref, output_dtypes, controls, frame=0, out_frame=0):
        self.op = op
        self.kernel = kernel
        self.flags = kernel.flags
        self.inputs = inputs
        self.deref = deref
        self.output_dtypes = output_dtypes
        self.controls = controls
        self.frame = frame
        self.out_frame = out_frame


def _has_state(node):
    """Whether its kernel has state that belongs to a session. The state of a fused loop is that of its nodes."""
    if node.op.type == "_Loop":
        return node.kernel.plan.has_state
    return node.kernel.flags & TFC_KERNEL_STATEFUL != 0


def frame_hash(name):
    """The 64-bit number that stands for a frame's name in the keys of messages between tasks."""
    import hashlib  # here, because importing it takes 3 ms and only loops need it

    return int.from_bytes(hashlib.blake2b(name.encode(errors="surrogateescape"), digest_size=8).digest(), "little")


cdef class Plan:
    """Made from a list of PlanNodes. Slots 0..n_feeds-1 hold fed values; each node's outputs follow in order."""

    def __init__(self, list nodes, list feeds, list fetch_slots, bint dynamic=False, fetch_reads=(), list frames=None,
                 loop=None, fetch_keeps=()):
        """
        Args:
          feeds: for each fed value (name, DType, dims, Operation).
          fetch_slots: slots of the values to return.
          fetch_reads: indices of those that are references, read when the step ends. fetch_keeps: of those that stay
            on their devices.
          frames: with control flow, for each frame (name, parent, parallel_iterations), the outermost first; the nodes
            are then in the order of their frames.
          loop: for a fused loop, (number of variables among the feeds, first node of the body); the fetches are then
            the values that outlive an iteration.
        """
        taken = {slot for n in nodes if n.op.type != "_Send" for slot in n.inputs}
        self.feed_stays = [i not in taken for i in range(len(feeds))]
        self.waits = any(n.flags & (TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING | TFC_NODE_MAY_WAIT) for n in nodes)
        self.flows = frames is not None
        self.dynamic = dynamic or self.waits or self.flows
        self.offers = self.waits and not self.flows  # until times are known
        self.peers = [n.op.attrs["peer"] for n in nodes if n.op.type == "_RunPartition"]
        self.meets = any(n.op.type in ("_Send", "_Recv", "_RunPartition") for n in nodes)
        own = all(n.kernel.level in LEVELS for n in nodes)
        self.needs_admission = own and not self.waits
        self.has_state = any(_has_state(n) for n in nodes)
        self.all_own = own and not any(n.kernel.flags & TFC_KERNEL_STATEFUL for n in nodes)
        self.a.n_nodes = len(nodes)
        self.a.n_feeds = len(feeds)
        self.feed_names = [name for name, _, _, _ in feeds]
        self.feed_ops = [op for _, _, _, op in feeds]
        self.feed_dims = [dims for _, _, dims, _ in feeds]
        self.feed_dtypes = [t.as_datatype_enum for _, t, _, _ in feeds]
        self.a.feed_types = int_array(self.feed_dtypes)
        self.feed_np_dtypes = [dtypes.fed_dtype(t) for _, t, _, _ in feeds]
        self.ops = [n.op for n in nodes]
        self.kernels = [n.kernel for n in nodes]
        self.inner_ops = []
        for n in nodes:
            if n.op.type == "_Loop":
                n.kernel.set_base(len(nodes) + len(self.inner_ops))
                self.inner_ops += n.kernel.plan.ops + n.kernel.plan.inner_ops
        slot_dtypes = list(self.feed_dtypes)
        producer = [-1] * self.a.n_feeds
        for i, n in enumerate(nodes):
            n.first_slot = len(slot_dtypes)
            slot_dtypes.extend(n.output_dtypes)
            producer.extend([i] * len(n.output_dtypes))
        inputs, derefs = self._resolve_inputs(nodes, slot_dtypes)
        producer += [-1] * (len(slot_dtypes) - len(producer))
        if self.flows:
            new = self._slots_by_frame(nodes, derefs, producer)
            slot_dtypes, producer = in_order(slot_dtypes, new), in_order(producer, new)
            fetch_slots = [new[s] for s in fetch_slots]
            inputs = [[new[s] for s in mine] for mine in inputs]
            derefs = [[(new[a], new[b]) for a, b in mine] for mine in derefs]
        self._set_arrays(nodes, inputs, derefs, slot_dtypes, fetch_slots, producer, loop)
        if self.flows:
            self._set_flow(nodes, frames, inputs)
        self._set_fetch_kinds(fetch_slots, fetch_reads, fetch_keeps)
        self._set_feed_shapes()
        if self.waits:
            self.a.number = next(_numbers)
            by_number[self.a.number] = self

    def _slots_by_frame(self, nodes, derefs, producer):
        """Renumbers slots so that those of a frame are contiguous; returns the new number of each."""
        frames = [0 if i < 0 else nodes[i].out_frame for i in producer]
        for n, mine in zip(nodes, derefs):
            for _, slot in mine:
                frames[slot] = n.frame
        order = sorted(range(len(frames)), key=frames.__getitem__)
        new = [0] * len(order)
        for i, slot in enumerate(order):
            new[slot] = i
        for n in nodes:
            n.inputs = [new[s] for s in n.inputs]
            if n.output_dtypes:
                n.first_slot = new[n.first_slot]
        self.slot_frames = sorted(frames)
        return new

    def _set_flow(self, nodes, frames, inputs):
        """Fills in the frames, the nodes' roles in them, and the edges along which tokens go."""
        cdef int i, k
        cdef FlowNode *flow
        cdef Frame *frame
        self.frame_names = [name for name, _, _ in frames]
        self.a.n_frames = len(frames)
        self.a.frames = <Frame *>PyMem_Calloc(len(frames), sizeof(Frame))
        self.a.flow = <FlowNode *>PyMem_Calloc(len(nodes) + 1, sizeof(FlowNode))
        self.a.first_tokens = <uint64_t *>PyMem_Calloc(len(nodes) + 1, sizeof(uint64_t))
        self.a.later_tokens = <uint64_t *>PyMem_Calloc(len(nodes) + 1, sizeof(uint64_t))
        if self.a.frames == NULL or self.a.flow == NULL or self.a.first_tokens == NULL or self.a.later_tokens == NULL:
            raise MemoryError()
        kinds = [KINDS.get(n.op.type, TFC_PLAIN) for n in nodes]
        edges = self._edges(nodes, inputs, kinds)
        constants, exits = [[] for _ in frames], [[] for _ in frames]
        for i, n in enumerate(nodes):
            flow = &self.a.flow[i]
            flow.kind = kinds[i]
            flow.frame = n.frame
            flow.target = n.out_frame
            flow.number = -1
            if kinds[i] == TFC_ENTER:
                self.a.frames[n.out_frame].n_enters += 1
                if n.op.attrs["is_constant"]:
                    flow.number = len(constants[n.out_frame])
                    constants[n.out_frame].append(i)
            elif kinds[i] == TFC_EXIT:
                flow.number = len(exits[n.frame])
                exits[n.frame].append(i)
            elif kinds[i] == TFC_NEXT_ITERATION:
                self.a.frames[n.frame].n_nexts += 1
        for k, (name, parent, parallel) in enumerate(frames):
            frame = &self.a.frames[k]
            frame.hash = frame_hash(name)
            frame.parent = parent
            frame.parallel_iterations = parallel
            mine = [i for i, n in enumerate(nodes) if n.frame == k]
            slots = [s for s, f in enumerate(self.slot_frames) if f == k]
            frame.first_node, frame.n_nodes = mine[0] if mine else 0, len(mine)
            frame.first_slot, frame.n_slots = slots[0] if slots else 0, len(slots)
            frame.first_input = self.a.nodes[mine[0]].first_input if mine else 0
            frame.n_inputs = sum([len(inputs[i]) for i in mine])
        members = []
        for k in range(len(frames)):
            self.a.frames[k].first_constant, self.a.frames[k].n_constants = len(members), len(constants[k])
            members += constants[k]
            self.a.frames[k].first_exit, self.a.frames[k].n_exits = len(members), len(exits[k])
            members += exits[k]
        self.a.members = int_array(members)
        self._flatten_edges(nodes, edges, kinds)

    def _edges(self, nodes, inputs, kinds):
        """For each node, its edges: (consumer, output, input). output: -1 for a control edge; input: of a Merge.

        A consumer has one edge for each output that it uses, a Merge one for each of its inputs.
        """
        cdef int i
        producer, first = {}, [n.first_slot for n in nodes]
        for i, n in enumerate(nodes):
            for k in range(len(n.output_dtypes)):
                producer[n.first_slot + k] = i
        edges = [[] for _ in nodes]
        for i, n in enumerate(nodes):
            slots = n.inputs if kinds[i] == TFC_MERGE else dict.fromkeys(n.inputs)
            for k, slot in enumerate(slots):
                if slot in producer:
                    edges[producer[slot]].append((i, slot - first[producer[slot]], k))
            for j in dict.fromkeys(n.controls):
                edges[j].append((i, -1, 0))
        return edges

    def _flatten_edges(self, nodes, edges, kinds):
        """Stores the edges as one array and sets the token counters with which iterations start."""
        cdef int i, at = 0
        cdef Edge *e
        dead = <uint64_t>1 << 32
        self.a.edges = <Edge *>PyMem_Calloc(sum(map(len, edges)) + 1, sizeof(Edge))
        if self.a.edges == NULL:
            raise MemoryError()
        for i in range(len(nodes)):
            if kinds[i] == TFC_MERGE:
                self.a.first_tokens[i] = self.a.later_tokens[i] = 1
        for i, mine in enumerate(edges):
            self.a.flow[i].first_edge, self.a.flow[i].n_edges = at, len(mine)
            for consumer, output, k in mine:
                e = &self.a.edges[at]
                e.node, e.output, e.input = consumer, output, k
                at += 1
                if kinds[consumer] != TFC_MERGE or output < 0:
                    count = 2 if kinds[consumer] == TFC_MERGE else 1
                    self.a.first_tokens[consumer] += count
                    self.a.later_tokens[consumer] += count
                elif kinds[i] == TFC_NEXT_ITERATION:
                    self.a.first_tokens[consumer] += dead
                elif kinds[i] == TFC_ENTER and self.a.flow[i].number < 0:
                    self.a.later_tokens[consumer] += dead

    def _set_fetch_kinds(self, fetch_slots, reads, keeps):
        self.fetch_kinds = <uint8_t *>PyMem_Calloc(len(fetch_slots) + 1, 1)
        if self.fetch_kinds == NULL:
            raise MemoryError()
        last = {slot: i for i, slot in enumerate(fetch_slots)}
        for i, slot in enumerate(fetch_slots):
            again, fed = last[slot] != i, slot < self.a.n_feeds
            self.fetch_kinds[i] = (TFC_FETCH_READ * (i in reads) | TFC_FETCH_KEEP * (i in keeps)
                                   | TFC_FETCH_AGAIN * again | TFC_FETCH_FED * fed)

    def _set_feed_shapes(self):
        """Stores for each feed its rank (-1: unknown) and TFC_MAX_RANK sizes (-1: unknown)."""
        self.a.feed_shapes = <int64_t *>PyMem_Calloc((TFC_MAX_RANK + 1) * self.a.n_feeds + 1, sizeof(int64_t))
        cdef int64_t *shape
        for i, dims in enumerate(self.feed_dims):
            shape = &self.a.feed_shapes[(TFC_MAX_RANK + 1) * i]
            shape[0] = -1 if dims is None else len(dims)
            for j, d in enumerate((dims or ())[:TFC_MAX_RANK]):
                shape[1 + j] = -1 if d is None else d

    def _resolve_inputs(self, nodes, slot_dtypes):
        """For each node, its input slots and the (reference, snapshot) slots of what it reads.

        Inputs that read references use the snapshot slots, whose types are appended to slot_dtypes.
        """
        inputs, derefs = [], []
        for n in nodes:
            mine, snapshots = [], []
            for slot, deref in zip(n.inputs, n.deref):
                if deref:
                    snapshots.append((slot, len(slot_dtypes)))
                    slot = len(slot_dtypes)
                    slot_dtypes.append(slot_dtypes[snapshots[-1][0]] - TFC_REF)
                mine.append(slot)
            inputs.append(mine)
            derefs.append(snapshots)
        return inputs, derefs

    def op(self, int i):
        """The operation to name in errors for a node number that the executor reports."""
        return self.ops[i] if i < len(self.ops) else self.inner_ops[i - len(self.ops)]

    def _set_arrays(self, nodes, inputs, derefs, slot_dtypes, fetch_slots, producer, loop):
        """Fills in the nodes and the arrays that both orders of running use."""
        kept = set(fetch_slots)
        variables, body = (0, 0) if loop is None else loop
        n_slots = len(slot_dtypes)
        last_user = [-1] * n_slots
        uses = [0] * n_slots
        for i, mine in enumerate(inputs):
            # A Merge takes its inputs one by one.
            each = mine if nodes[i].op.type in MERGES and self.flows else set(mine)
            for slot in each:
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
            if kernel.level == "user":
                node.checked = node.compute
                node.compute = tfc_checked_compute
            elif n.op.type in SAVES:
                node.checked = node.compute
                node.compute = tfc_saving_compute
            node.state = kernel.state
            if kernel.device is not None:
                node.device = <tfc_device *><size_t>kernel.device.pointer
                node.host_inputs = <const bool *><const char *>kernel.host_inputs  # `kernels` keeps them
                node.host_outputs = <const bool *><const char *>kernel.host_outputs
            node.flags = n.flags
            node.n_inputs = len(inputs[i])
            node.n_outputs = len(n.output_dtypes)
            node.first_input = len(input_slots)
            node.first_output = n.first_slot
            node.first_deref = len(flat_derefs)
            node.n_derefs = len(derefs[i])
            node.first_release = len(releases)
            node.first_consumer = len(consumers)
            for slot in inputs[i]:
                # Fetched values must stay, and a node must not overwrite a value that it reads twice. The caller's
                # memory is protected by its reference count or by TFC_BUFFER_BORROWED.
                alone = slot not in kept and inputs[i].count(slot) == 1
                if loop is not None and slot < self.a.n_feeds:
                    alone = alone and i >= body and slot < variables  # the condition, before the body, may end the loop
                input_flags.append((LAST_USE if alone and last_user[slot] == i else 0) | (ONCE if alone else 0))
                input_slots.append(slot)
            # Fed values are released at the end of the step, with the GIL held. With control flow there is no serial
            # order.
            if not self.flows:
                mine = [s for s in dict.fromkeys(inputs[i]) if last_user[s] == i and s not in kept]
                releases.extend(s for s in mine if s >= self.a.n_feeds or s < variables and i >= body)
                outputs = range(n.first_slot, n.first_slot + node.n_outputs)
                releases.extend(s for s in outputs if last_user[s] < 0 and s not in kept)
            for source, target in derefs[i]:
                on_host = node.device == NULL or kernel.host_inputs[inputs[i].index(target)]
                flat_derefs.append((source, target, 0 if on_host else <size_t>node.device))
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
        self.a.slot_nodes = int_array(producer)
        self.a.derefs = <Deref *>PyMem_Calloc(self.a.n_derefs + 1, sizeof(Deref))
        for i, (source, target, device) in enumerate(flat_derefs):
            self.a.derefs[i].source = source
            self.a.derefs[i].target = target
            self.a.derefs[i].device = <tfc_device *><size_t>device

    def _consumers(self, nodes, inputs, producer):
        """For each node, the nodes that wait for it and the number of nodes that it waits for."""
        waits = []
        for i, n in enumerate(nodes):
            before = {producer[s] for s in n.inputs}  # n.inputs has the references, not their snapshots
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
        with nogil:  # it may wait for a GPU
            tfc_free_part(&self.a)
        while self.free_states != NULL:
            s = self.free_states
            self.free_states = s.next
            free_state(s)
        for p in (<size_t>self.a.nodes, <size_t>self.a.input_slots, <size_t>self.a.input_flags,
                  <size_t>self.a.no_flags, <size_t>self.a.derefs, <size_t>self.a.releases, <size_t>self.a.consumers,
                  <size_t>self.a.slot_dtypes, <size_t>self.a.slot_uses, <size_t>self.a.fetch_slots,
                  <size_t>self.a.feed_types, <size_t>self.a.feed_shapes, <size_t>self.fetch_kinds,
                  <size_t>self.a.slot_nodes, <size_t>self.a.frames, <size_t>self.a.flow, <size_t>self.a.first_tokens,
                  <size_t>self.a.later_tokens, <size_t>self.a.edges, <size_t>self.a.members):
            PyMem_Free(<void *><size_t>p)

    # The GIL protects the list: it is held wherever states are acquired and released.
    cdef StepState *acquire(self) except NULL:
        cdef StepState *s = self.free_states
        if s != NULL:
            self.free_states = s.next
            return s
        s = <StepState *>calloc(1, sizeof(StepState))
        if s == NULL:
            raise MemoryError()
        s.slots = new_slots(self.a.n_slots + 1)
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
        if self.flows:
            tfc_flow_clear(s)
        s.next = self.free_states
        self.free_states = s

    cdef bint is_quick(self) noexcept:
        """Whether, by measured times, releasing the GIL costs more than it gains.

        Only for plans of the package's own kernels: a user's kernel may wait for a thread that needs the GIL. Own
        kernels never take the GIL while they hold a variable's lock, for which such a step may wait.
        """
        cdef int i
        cdef double total = 0
        for i in range(self.a.n_nodes):
            total += self.a.nodes[i].ns
        return self.all_own and self.a.n_nodes <= QUICK_NODES and total < QUICK_NS

    def verify(self):
        """Checks the invariants that the executor relies on; an AssertionError names the one that is broken."""
        cdef int i, j, slot
        written = set(range(self.a.n_feeds))
        released = set()
        for i in range(self.a.n_nodes):
            node = self.a.nodes[i]
            where = f"node {i} ({self.ops[i].name})"
            for j in range(node.first_deref, node.first_deref + node.n_derefs):
                slot = self.a.derefs[j].source
                assert slot in written, f"{where} reads reference slot {slot} before it is written"
                assert self.a.slot_dtypes[slot] > TFC_REF, f"{where} takes a snapshot of slot {slot}, not a reference"
                written.add(self.a.derefs[j].target)
            for j in range(node.first_input, node.first_input + node.n_inputs):
                slot = self.a.input_slots[j]
                # With control flow, values from other frames may be written by later nodes.
                assert slot in written or self.flows, f"{where} reads slot {slot} before it is written"
                assert slot not in released, f"{where} reads slot {slot} after its release"
            for slot in range(node.first_output, node.first_output + node.n_outputs):
                assert slot not in written, f"{where} writes slot {slot} a second time"
                written.add(slot)
            for j in range(node.first_release, node.first_release + node.n_releases):
                slot = self.a.releases[j]
                assert slot in written, f"{where} releases slot {slot} before it is written"
                assert slot not in released, f"{where} releases slot {slot} a second time"
                released.add(slot)
            for j in range(node.first_consumer, node.first_consumer + node.n_consumers):
                consumer = self.a.consumers[j]
                assert self.flows or consumer > i, f"{where} has consumer {consumer}, which comes before it"
        for j in range(self.a.n_fetches):
            slot = self.a.fetch_slots[j]
            assert slot in written, f"fetched slot {slot} is never written"
            assert slot not in released, f"fetched slot {slot} is released"
        if self.flows:
            self._verify_flow()

    def _verify_flow(self):
        """Checks the invariants of frames, edges and token counters."""
        cdef int i, j, k
        first = [0] * self.a.n_nodes
        node = slot = taken = 0
        for k in range(self.a.n_frames):
            frame = self.a.frames[k]
            where = f"frame {k} ({self.frame_names[k]})"
            assert frame.parent < k and (k == 0) == (frame.parent < 0), f"{where} comes before its parent"
            assert not frame.n_nodes or frame.first_node == node, f"{where} has no separate range of nodes"
            assert not frame.n_slots or frame.first_slot == slot, f"{where} has no separate range of slots"
            assert not frame.n_inputs or frame.first_input == taken, f"{where} has no separate range of inputs"
            node, slot, taken = node + frame.n_nodes, slot + frame.n_slots, taken + frame.n_inputs
        everything = (self.a.n_nodes, self.a.n_slots, self.a.n_inputs)
        assert (node, slot, taken) == everything, "nodes, slots or inputs are in no frame"
        for i in range(self.a.n_nodes):
            flow, where = self.a.flow[i], f"node {i} ({self.ops[i].name})"
            frame = self.a.frames[flow.frame]
            assert frame.first_node <= i < frame.first_node + frame.n_nodes, f"{where} is not in its frame"
            for j in range(self.a.nodes[i].first_input, self.a.nodes[i].first_input + self.a.nodes[i].n_inputs):
                assert self.slot_frames[self.a.input_slots[j]] == flow.frame, f"{where} has an input in another frame"
            for j in range(self.a.nodes[i].first_output, self.a.nodes[i].first_output + self.a.nodes[i].n_outputs):
                assert self.slot_frames[j] == flow.target, f"{where} has an output in another frame"
            for j in range(flow.first_edge, flow.first_edge + flow.n_edges):
                edge = self.a.edges[j]
                assert self.a.flow[edge.node].frame == flow.target, f"{where} sends a token to another frame"
                first[edge.node] += 2 if edge.output < 0 and self.a.flow[edge.node].kind == TFC_MERGE else 1
        for i in range(self.a.n_nodes):
            merge = self.a.flow[i].kind == TFC_MERGE
            wanted = first[i] - self.a.nodes[i].n_inputs + 1 if merge else first[i]
            tokens, where = self.a.first_tokens[i] & 0xFFFFFFFF, f"node {i} ({self.ops[i].name})"
            assert tokens == wanted, f"{where} waits for {tokens} tokens instead of {wanted}"

    def describe(self):
        """A listing of the nodes for people, in order, one per line."""
        cdef int i
        lines = []
        for i in range(self.a.n_nodes):
            node = self.a.nodes[i]
            inputs = [self.a.input_slots[j] for j in range(node.first_input, node.first_input + node.n_inputs)]
            frees = [self.a.releases[j] for j in range(node.first_release, node.first_release + node.n_releases)]
            op = self.ops[i]
            outputs = f"{node.first_output}+{node.n_outputs}"
            lines.append(f"{i:4} {op.type} {op.name} {inputs} -> {outputs} frees {frees} {node.ns:.0f} ns")
        return "\n".join(lines)

    def times(self):
        """For each node, the average ns it took in measured runs; 0 before the second run."""
        return [self.a.nodes[i].ns for i in range(self.a.n_nodes)]

    @property
    def num_nodes(self):
        return self.a.n_nodes


cdef void free_state(StepState *s) noexcept:
    tfc_flow_free(s)
    free(s.slots)
    free(s.inputs)
    free(s.pending)
    free(s.uses)
    free(s)
