"""The kernel of a fused loop (loop.c, compiler/fused_loops.py)."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free

from tfcore.core.registry.kernel cimport KernelInstance
from tfcore.core.step.plan cimport Plan
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *

from tfcore.core.registry.registry import LEVELS

cdef extern from "step/fused_loop.h" nogil:
    enum:
        TFC_LOOP_MOVED
        TFC_LOOP_SAME
        TFC_LOOP_SHARED

    ctypedef struct Guard "tfc_guard":
        int32_t slot
        int32_t side

    ctypedef struct LoopNode "tfc_loop_node":
        bint is_plain
        int32_t kind
        int32_t first_guard
        int32_t n_guards
        int32_t pred
        int32_t if_true

    ctypedef struct Loop "tfc_loop":
        const PlanArrays *plan
        LoopNode *nodes
        Guard *guards
        int32_t *following
        uint8_t *how
        int32_t *exits
        int32_t n_variables
        int32_t first_cond
        int32_t first_body
        int32_t pred
        int32_t cond_node
        int32_t base
        pthread_mutex_t lock

    void tfc_loop_free(Loop *)
    const tfc_kernel_def tfc_loop_kernel



@cython.no_gc_clear
cdef class LoopKernel(KernelInstance):
    """Runs a plan repeatedly. Its arguments are those of compiler.fused_loops.FusedLoop, with slots for values."""

    cdef readonly Plan plan
    cdef Loop loop

    def __init__(self, Plan plan not None, int n_variables, int first_cond, int first_body, int pred, list following,
                 list exits, dict guards, dict merges):
        """guards: node -> list of (slot, side). merges: node -> (slot, input if true)."""
        cdef int i, at = 0
        cdef LoopNode *node
        n_nodes = plan.num_nodes
        self.plan = plan
        self.kernel = &tfc_loop_kernel
        self.state = &self.loop
        pthread_mutex_init(&self.loop.lock, NULL)
        self.loop.plan = &plan.a
        self.loop.nodes = <LoopNode *>calloc(n_nodes + 1, sizeof(LoopNode))
        self.loop.guards = <Guard *>calloc(sum(map(len, guards.values())) + 1, sizeof(Guard))
        self.loop.following = <int32_t *>calloc(n_variables + 1, sizeof(int32_t))
        self.loop.how = <uint8_t *>calloc(n_variables + 1, 1)
        self.loop.exits = <int32_t *>calloc(len(exits) + 1, sizeof(int32_t))
        if not (self.loop.nodes and self.loop.guards and self.loop.following and self.loop.how and self.loop.exits):
            raise MemoryError()
        self.loop.n_variables, self.loop.first_cond, self.loop.first_body = n_variables, first_cond, first_body
        self.loop.pred = pred
        self.loop.cond_node = max(0, plan.a.slot_nodes[pred])
        for i in range(n_nodes):
            node = &self.loop.nodes[i]
            node.kind = {"Merge": TFC_MERGE, "ControlTrigger": TFC_TRIGGER}.get(plan.ops[i].type, TFC_PLAIN)
            node.first_guard = at
            for slot, side in guards.get(i, ()):
                self.loop.guards[at].slot, self.loop.guards[at].side = slot, side
                at += 1
            node.n_guards = at - node.first_guard
            if i in merges:
                node.pred, node.if_true = merges[i]
            node.is_plain = node.kind == TFC_PLAIN and not node.n_guards
        asked = {pred, *[g[0] for mine in guards.values() for g in mine], *[m[0] for m in merges.values()]}
        for i, slot in enumerate(following):
            self.loop.following[i] = slot
            if slot == i:
                self.loop.how[i] = TFC_LOOP_SAME
            elif (slot < plan.a.n_feeds or plan.a.slot_nodes[slot] < first_cond or following.count(slot) > 1
                  or slot in asked):
                self.loop.how[i] = TFC_LOOP_SHARED
            else:
                self.loop.how[i] = TFC_LOOP_MOVED
        for i, variable in enumerate(exits):
            self.loop.exits[i] = variable

    def __dealloc__(self):
        tfc_loop_free(&self.loop)
        pthread_mutex_destroy(&self.loop.lock)
        free(self.loop.nodes)
        free(self.loop.guards)
        free(self.loop.following)
        free(self.loop.how)
        free(self.loop.exits)

    @property
    def level(self):
        """The instruction-set level, if all kernels of the loop are tfcore's own."""
        own = all(k.level in LEVELS for k in self.plan.kernels)
        return LEVELS[0] if own else "internal"

    def set_base(self, int base):
        """Sets the number that errors add to a node's number."""
        self.loop.base = base
