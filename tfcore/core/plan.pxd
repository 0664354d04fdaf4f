from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tfcore.core.runtime cimport *

cdef struct Node:
    tfc_compute_fn compute
    void *state
    int32_t n_inputs
    int32_t n_outputs
    int32_t first_input      # into input_slots, input_flags and a StepState's inputs
    int32_t first_output     # slot
    int32_t first_deref      # into derefs
    int32_t n_derefs
    int32_t first_release    # into releases (serial order only)
    int32_t n_releases
    int32_t first_consumer   # into consumers (dynamic order)
    int32_t n_consumers
    int32_t n_pending        # how many edges a node waits for
    uint32_t flags
    double ns                # measured time, moving average

cdef struct Deref:
    int32_t source           # slot of the reference
    int32_t target           # slot that gets the snapshot

cdef struct StepState:
    tfc_tensor *slots
    const tfc_tensor **inputs
    int32_t *pending         # atomic, dynamic order
    int32_t *uses            # atomic, dynamic order: consumers of a slot that have not run yet
    StepState *next

cdef struct PlanArrays:
    Node *nodes
    int32_t *input_slots
    uint8_t *input_flags
    Deref *derefs
    int32_t *releases
    int32_t *consumers
    int32_t *slot_dtypes
    int32_t *slot_uses
    int32_t *slot_nodes      # who writes a slot, -1: fed
    int32_t *fetch_slots
    int32_t *feed_types
    int64_t *feed_shapes     # 9 a feed: rank, sizes; -1 unknown
    int32_t n_nodes
    int32_t n_slots
    int32_t n_inputs
    int32_t n_derefs
    int32_t n_fetches
    int32_t n_feeds

cdef class Plan:
    cdef PlanArrays a
    cdef StepState *free_states
    cdef public bint dynamic
    cdef public int runs
    cdef public bint uses_threads   # some kernel offered work to other threads while it was timed
    cdef readonly list fetch_reads
    cdef readonly list ops          # per node: what errors name
    cdef readonly list kernels      # keeps kernel instances alive
    cdef readonly list feed_names
    cdef readonly list feed_dims
    cdef readonly list feed_dtypes
    cdef readonly list feed_np_dtypes
    cdef StepState *acquire(self) except NULL
    cdef void release(self, StepState *s) noexcept
