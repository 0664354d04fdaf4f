"""What Cython modules use of plans and steps (step.h)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from tfcore.core.runtime cimport *

cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_mutex_t:
        pass

    int pthread_mutex_init(pthread_mutex_t *, void *)
    int pthread_mutex_destroy(pthread_mutex_t *)

cdef extern from "step/step.h" nogil:
    enum:
        TFC_KERNEL_PYTHON
        TFC_NODE_MAY_WAIT
        TFC_INPUT_LAST_USE
        TFC_INPUT_ONCE
        TFC_TRACE
        TFC_CHECK_NUMERICS
        TFC_WATCH

    ctypedef struct Node "tfc_plan_node":
        tfc_compute_fn compute
        void *state
        int32_t n_inputs
        int32_t n_outputs
        int32_t first_input
        int32_t first_output
        int32_t first_deref
        int32_t n_derefs
        int32_t first_release
        int32_t n_releases
        int32_t first_consumer
        int32_t n_consumers
        int32_t n_pending
        uint32_t flags
        int32_t went_parallel
        tfc_compute_fn checked
        tfc_device *device
        const bool *host_inputs
        const bool *host_outputs
        double ns

    ctypedef struct Deref "tfc_deref":
        int32_t source
        int32_t target
        tfc_device *device

    ctypedef struct Edge "tfc_edge":
        int32_t node
        int32_t output
        int32_t input

    ctypedef struct FlowNode "tfc_flow_node":
        int32_t kind
        int32_t frame
        int32_t first_edge
        int32_t n_edges
        int32_t target
        int32_t number

    ctypedef struct Frame "tfc_frame":
        uint64_t hash
        int32_t parent
        int32_t parallel_iterations
        int32_t first_node
        int32_t n_nodes
        int32_t first_slot
        int32_t n_slots
        int32_t first_input
        int32_t n_inputs
        int32_t n_enters
        int32_t n_nexts
        int32_t first_constant
        int32_t n_constants
        int32_t first_exit
        int32_t n_exits

    enum:
        TFC_PLAIN
        TFC_SWITCH
        TFC_MERGE
        TFC_ENTER
        TFC_EXIT
        TFC_NEXT_ITERATION
        TFC_FORWARD
        TFC_TRIGGER
        TFC_TRANSFER

    ctypedef struct tfc_node_event:
        int64_t start
        int64_t returned
        int64_t done
        int64_t total
        int64_t runs
        int64_t scratch
        int32_t thread
        int32_t parallel

    ctypedef struct tfc_slot_event:
        const tfc_buffer *buffer
        const void *data
        int64_t bytes
        int64_t freed
        int32_t dtype
        int32_t rank
        int64_t dims[TFC_MAX_RANK]
        int32_t fresh
        int32_t gone
        int64_t came

    ctypedef struct StepState "tfc_state":
        tfc_tensor *slots
        const tfc_tensor **inputs
        int32_t *pending
        int32_t *uses
        StepState *next
        tfc_node_event *node_events
        tfc_slot_event *slot_events

    ctypedef struct PlanArrays "tfc_plan":
        Node *nodes
        int32_t *input_slots
        uint8_t *input_flags
        uint8_t *no_flags
        Deref *derefs
        int32_t *releases
        int32_t *consumers
        int32_t *slot_dtypes
        int32_t *slot_uses
        int32_t *slot_nodes
        int32_t *fetch_slots
        int32_t *feed_types
        int64_t *feed_shapes
        int32_t n_nodes
        int32_t n_slots
        int32_t n_inputs
        int32_t n_derefs
        int32_t n_fetches
        int32_t n_feeds
        int64_t number
        int32_t n_frames
        Frame *frames
        FlowNode *flow
        void *part
        uint64_t *first_tokens
        uint64_t *later_tokens
        Edge *edges
        int32_t *members

    ctypedef struct IterationRecord "tfc_iteration_record":
        IterationRecord *next
        tfc_node_event *nodes
        tfc_slot_event *slots
        int64_t number
        int32_t frame

    ctypedef struct DeviceSpan "tfc_device_span":
        DeviceSpan *next
        const char *what
        int64_t bytes
        int64_t start
        int64_t done
        int32_t node

    ctypedef void (*tfc_watch_fn)(void *, int, int, const tfc_tensor *) noexcept

    ctypedef struct Observation "tfc_observer":
        const PlanArrays *plan
        const StepState *state
        tfc_node_event *nodes
        tfc_slot_event *slots
        pthread_mutex_t lock
        IterationRecord *iterations
        int64_t deadline_ns
        int modes
        int bad_node
        int bad_output
        int bad_input
        tfc_tensor before[8]
        int before_input[8]
        int n_before
        tfc_watch_fn watch
        void *watch_arg
        DeviceSpan *spans

    ctypedef struct tfc_holder:
        const tfc_buffer *buffer
        int64_t bytes
        int32_t number

    ctypedef struct tfc_holders:
        tfc_holder *items
        size_t n

    ctypedef struct tfc_step:
        int code
        int node
        char *message
        int out_of_memory
        bool after_cancel
        bool alone
        bool in_background
        int64_t id
        unsigned long caller_id
        void *interrupt
        Observation *observer
        void *shares
        tfc_step *next
        tfc_step *previous

    ctypedef struct tfc_dynamic "struct tfc_dynamic":
        pass

    ctypedef struct tfc_place:
        uint64_t frame
        int64_t iteration

    ctypedef struct tfc_suspended:
        int64_t step
        int64_t plan
        int64_t since
        tfc_place place
        int32_t node

    bool tfc_fits_feed(const PlanArrays *, int, const tfc_tensor *)
    tfc_step *tfc_step_begin(int64_t, int, bool)
    void tfc_step_end(tfc_step *)
    void tfc_step_cancel(tfc_step *, int)
    bool tfc_step_mark(tfc_step *, int)
    void tfc_cancel_waiting(tfc_step *)
    void tfc_set_signal_hook(void (*)(tfc_step *) noexcept nogil)
    void tfc_watch_deadline(tfc_step *, int64_t)
    bool tfc_admission_enter(tfc_step *)
    void tfc_admission_leave()
    void tfc_run_serial(const PlanArrays *, StepState *, tfc_step *)
    void tfc_run_observed(const PlanArrays *, StepState *, tfc_step *)
    void tfc_run_dynamic(const PlanArrays *, StepState *, tfc_step *)
    void tfc_run_pending(const PlanArrays *, StepState *, tfc_step *, int)
    tfc_dynamic *tfc_begin_parkable(const PlanArrays *, StepState *, tfc_step *, void (*)(void *) noexcept nogil,
                                    void *)
    void tfc_hand_over_messages()
    void tfc_find_part(PlanArrays *, bool)
    void tfc_free_part(PlanArrays *)
    void tfc_flow_clear(StepState *)
    void tfc_flow_free(StepState *)
    bool tfc_flow_has_value(const PlanArrays *, const StepState *, int)
    int tfc_list_suspended(tfc_suspended *, int, int64_t, bool)
    void tfc_count_steps(int64_t *, int64_t *)
    void tfc_list_holders(const PlanArrays *, const StepState *, const tfc_step *, tfc_holders *)

cdef extern from "device/device.h" nogil:
    void tfc_finish_devices(tfc_step *)
