"""Runs plans. Between entering `run_plan` with the values in place and leaving it, nothing needs the GIL.

Two ways to run a plan give the same results:
 - serial: one thread walks the nodes in plan order. No queue, no counters, no atomics: this is what makes small ops
   cheap. Kernels still use all cores through parallel_for. Default.
 - dynamic: nodes whose inputs are there go to a ready list that the caller and helpers of the pool empty together.
   Used where independent nodes can't use the cores by themselves (told by measured times), and where kernels suspend.

Thread safety: a StepState belongs to one running step. In a dynamic step a slot is written by its producer before the
consumers' pending counts drop (release) and read after they reached zero (acquire); the last of the consumers, by the
`uses` count, clears it. The ready list has a lock of its own. An asynchronous kernel keeps a copy of its context;
the caller does not leave before all of them have resumed.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from tfcore.core.plan cimport Deref, Node, Plan, PlanArrays, StepState
from tfcore.core.runtime cimport *
from tfcore.core.tensor cimport feed, tensor_to_numpy

from tfcore.framework import errors

cdef extern from *:
    """
    #include <pthread.h>
    #include <time.h>
    static inline long long tfc_now_ns(void) {
      struct timespec t;
      clock_gettime(CLOCK_MONOTONIC, &t);
      return t.tv_sec * 1000000000LL + t.tv_nsec;
    }
    #define tfc_dec(p) __atomic_sub_fetch((p), 1, __ATOMIC_ACQ_REL)
    #define tfc_inc(p) __atomic_add_fetch((p), 1, __ATOMIC_ACQ_REL)
    #define tfc_load(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
    #define tfc_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
    static inline void tfc_wait_ms(pthread_cond_t *c, pthread_mutex_t *m, int ms) {
      struct timespec t;
      clock_gettime(CLOCK_REALTIME, &t);
      t.tv_nsec += ms * 1000000LL;
      t.tv_sec += t.tv_nsec / 1000000000;
      t.tv_nsec %= 1000000000;
      pthread_cond_timedwait(c, m, &t);
    }
    """
    ctypedef struct pthread_mutex_t:
        pass
    ctypedef struct pthread_cond_t:
        pass
    int pthread_mutex_init(pthread_mutex_t *, void *) nogil
    int pthread_mutex_destroy(pthread_mutex_t *) nogil
    int pthread_mutex_lock(pthread_mutex_t *) nogil
    int pthread_mutex_unlock(pthread_mutex_t *) nogil
    int pthread_cond_init(pthread_cond_t *, void *) nogil
    int pthread_cond_destroy(pthread_cond_t *) nogil
    int pthread_cond_signal(pthread_cond_t *) nogil
    long long tfc_now_ns() nogil
    int tfc_dec(int32_t *) nogil
    int tfc_inc(int32_t *) nogil
    int tfc_load(const int32_t *) nogil
    void tfc_store(int64_t *, int64_t) nogil
    void tfc_wait_ms(pthread_cond_t *, pthread_mutex_t *, int) nogil

cdef const tfc_runtime *rt = runtime()
cdef const tfc_api *api = runtime().api_table()
cdef int64_t next_step = 0

cdef enum:
    MAX_FLAGS = 64       # inputs of a node that a dynamic step looks at for taking over memory
    PROFILED_RUNS = 8    # runs after the first whose nodes are timed to choose between serial and dynamic


# ---- One node

cdef int snapshot(const PlanArrays *plan, StepState *s, const Node *node, tfc_step *step, int i) noexcept nogil:
    """Reads the variables behind the node's reference inputs."""
    cdef int j
    cdef const Deref *d
    cdef tfc_variable *v
    for j in range(node.first_deref, node.first_deref + node.n_derefs):
        d = &plan.derefs[j]
        v = <tfc_variable *>s.slots[d.source].data
        if not rt.variable_read(v, &s.slots[d.target]):
            with gil:
                text = b"Attempting to use uninitialized value " + v.name
                rt.step_fail(step, i, TFC_FAILED_PRECONDITION, text)
            return TFC_FAILED_PRECONDITION
    return TFC_OK


cdef inline int compute(tfc_node_context *ctx, const PlanArrays *plan, StepState *s, const Node *node, int i) noexcept nogil:
    ctx.pub.inputs = &s.inputs[node.first_input]
    ctx.pub.outputs = &s.slots[node.first_output]
    ctx.pub.state = node.state
    ctx.pub.n_inputs = node.n_inputs
    ctx.pub.n_outputs = node.n_outputs
    ctx.node = i
    cdef int code
    if node.n_derefs:
        code = snapshot(plan, s, node, ctx.step, i)
        if code:
            return code
    code = node.compute(&ctx.pub)
    if ctx.scratch != NULL:
        rt.free_scratch(ctx)
    if ctx.n_locked:
        rt.unlock_all(ctx)
    return code


cdef void init_context(tfc_node_context *ctx, tfc_step *step) noexcept nogil:
    memset(ctx, 0, sizeof(tfc_node_context))
    ctx.pub.api = api
    ctx.pub.step_id = step.id
    ctx.step = step


# ---- Serial

cdef void run_serial(const PlanArrays *plan, StepState *s, tfc_step *step) noexcept nogil:
    cdef tfc_node_context ctx
    cdef Node *node
    cdef int i, j, code
    init_context(&ctx, step)
    for i in range(plan.n_nodes):
        node = &plan.nodes[i]
        ctx.input_flags = &plan.input_flags[node.first_input]
        code = compute(&ctx, plan, s, node, i)
        if code:
            rt.step_fail(step, i, code, b"the kernel failed without a message")
            return
        for j in range(node.first_release, node.first_release + node.n_releases):
            tfc_tensor_clear(&s.slots[plan.releases[j]])


cdef void run_profiled(const PlanArrays *plan, StepState *s, tfc_step *step) noexcept nogil:
    """Serial, with the time of each node taken."""
    cdef tfc_node_context ctx
    cdef Node *node
    cdef int i, j, code
    cdef long long before, after
    init_context(&ctx, step)
    before = tfc_now_ns()
    for i in range(plan.n_nodes):
        node = &plan.nodes[i]
        ctx.input_flags = &plan.input_flags[node.first_input]
        ctx.parallel = False
        code = compute(&ctx, plan, s, node, i)
        if code:
            rt.step_fail(step, i, code, b"the kernel failed without a message")
            return
        after = tfc_now_ns()
        node.ns = <double>(after - before) if node.ns == 0 else 0.75 * node.ns + 0.25 * <double>(after - before)
        if ctx.parallel:
            node.flags |= WENT_PARALLEL
        for j in range(node.first_release, node.first_release + node.n_releases):
            tfc_tensor_clear(&s.slots[plan.releases[j]])
        before = tfc_now_ns()


cdef enum:
    WENT_PARALLEL = 1 << 16


cdef bint went_parallel(const PlanArrays *plan) noexcept:
    cdef int i
    for i in range(plan.n_nodes):
        if plan.nodes[i].flags & WENT_PARALLEL:
            return True
    return False


cdef bint would_gain(const PlanArrays *plan, int threads):
    """Whether running independent nodes at the same time would save a quarter of the step, by measured times."""
    cdef double total = 0, alone = 0, longest = 0
    cdef int i, j
    cdef double *finish
    if threads < 2 or plan.n_nodes < 4:
        return False
    finish = <double *>calloc(plan.n_nodes, sizeof(double))
    for i in range(plan.n_nodes):
        total += plan.nodes[i].ns
        if not plan.nodes[i].flags & WENT_PARALLEL:
            alone += plan.nodes[i].ns
        finish[i] += plan.nodes[i].ns
        longest = max(longest, finish[i])
        for j in range(plan.nodes[i].first_consumer, plan.nodes[i].first_consumer + plan.nodes[i].n_consumers):
            finish[plan.consumers[j]] = max(finish[plan.consumers[j]], finish[i])
    free(finish)
    # Nodes that use all cores already can't overlap; each hand-over costs about half a microsecond.
    overlapped = max(longest, total - alone + alone / threads) + 500.0 * plan.n_nodes / threads
    return overlapped < 0.75 * total


# ---- Dynamic

cdef struct Dynamic:
    tfc_step *step
    StepState *state
    const PlanArrays *plan
    tfc_team team
    pthread_mutex_t lock
    pthread_cond_t wake
    int32_t *ready        # stack of nodes, under lock
    int64_t available     # atomic: its height
    int32_t remaining     # atomic: nodes not yet done
    int32_t suspended     # atomic: asynchronous kernels that have not resumed
    int sleeping          # under lock: the caller waits on `wake`

cdef struct Suspended:
    tfc_node_context ctx
    Dynamic *dynamic
    uint8_t flags[MAX_FLAGS]


cdef void push(Dynamic *d, int i) noexcept nogil:
    pthread_mutex_lock(&d.lock)
    d.ready[d.available] = i
    tfc_store(&d.available, d.available + 1)
    if d.sleeping:
        pthread_cond_signal(&d.wake)
    pthread_mutex_unlock(&d.lock)
    rt.team_wake(&d.team)


cdef int pop(Dynamic *d) noexcept nogil:
    cdef int i = -1
    pthread_mutex_lock(&d.lock)
    if d.available > 0 and d.step.code == 0:
        tfc_store(&d.available, d.available - 1)
        i = d.ready[d.available]
    pthread_mutex_unlock(&d.lock)
    return i


cdef void let_go(StepState *s, int slot) noexcept nogil:
    if tfc_dec(&s.uses[slot]) == 0:
        tfc_tensor_clear(&s.slots[slot])


cdef int finish_node(Dynamic *d, const Node *node) noexcept nogil:
    """Clears what nobody needs any more, counts consumers down; returns one that became ready, or -1."""
    cdef const PlanArrays *plan = d.plan
    cdef StepState *s = d.state
    cdef int j, k, slot, consumer
    cdef int following = -1
    for j in range(node.first_input, node.first_input + node.n_inputs):
        slot = plan.input_slots[j]
        for k in range(node.first_input, j):
            if plan.input_slots[k] == slot:
                break
        else:
            let_go(s, slot)
    for slot in range(node.first_output, node.first_output + node.n_outputs):
        if plan.slot_uses[slot] == 0:
            tfc_tensor_clear(&s.slots[slot])
    for j in range(node.first_consumer, node.first_consumer + node.n_consumers):
        consumer = plan.consumers[j]
        if tfc_dec(&s.pending[consumer]) == 0:
            if following < 0:
                following = consumer
            else:
                push(d, consumer)
    tfc_dec(&d.remaining)
    return following


cdef int run_node(Dynamic *d, tfc_node_context *ctx, uint8_t *flags, int i) noexcept nogil:
    """Runs node i; returns a node to go on with, or -1."""
    cdef const PlanArrays *plan = d.plan
    cdef Node *node = &plan.nodes[i]
    cdef int j, code
    if node.n_inputs <= MAX_FLAGS:
        for j in range(node.n_inputs):
            flags[j] = 0
            if plan.input_flags[node.first_input + j] & 2 and tfc_load(&d.state.uses[plan.input_slots[node.first_input + j]]) == 1:
                flags[j] = TFC_INPUT_LAST_USE
        ctx.input_flags = flags
    else:
        ctx.input_flags = no_flags(node.n_inputs)
        if ctx.input_flags == NULL:
            rt.step_fail(d.step, i, TFC_RESOURCE_EXHAUSTED, b"out of memory")
            return -1
    code = compute(ctx, plan, d.state, node, i)
    if node.n_inputs > MAX_FLAGS:
        free(<void *>ctx.input_flags)
    if code == TFC_PENDING:
        return -1
    if code:
        rt.step_fail(d.step, i, code, b"the kernel failed without a message")
        return -1
    return finish_node(d, node)


cdef const uint8_t *no_flags(int n) noexcept nogil:
    return <const uint8_t *>calloc(n, 1)


cdef void join(void *arg) noexcept nogil:
    """Runs ready nodes until there is none."""
    cdef Dynamic *d = <Dynamic *>arg
    cdef tfc_node_context ctx
    cdef uint8_t flags[MAX_FLAGS]
    cdef int i
    init_context(&ctx, d.step)
    ctx.dynamic = d
    while True:
        i = pop(d)
        if i < 0:
            return
        while i >= 0 and d.step.code == 0:
            i = run_node(d, &ctx, flags, i)


cdef void run_dynamic(const PlanArrays *plan, StepState *s, tfc_step *step) noexcept nogil:
    cdef int i
    memcpy(s.uses, plan.slot_uses, plan.n_slots * sizeof(int32_t))
    for i in range(plan.n_nodes):
        s.pending[i] = plan.nodes[i].n_pending
    run_pending(plan, s, step, plan.n_nodes)


cdef void run_pending(const PlanArrays *plan, StepState *s, tfc_step *step, int n_nodes) noexcept nogil:
    """Runs the nodes whose `pending` count is zero or becomes zero: there are n_nodes. `uses` is set as well."""
    cdef Dynamic d
    cdef int i, spins = 0
    memset(&d, 0, sizeof(d))
    d.step = step
    d.state = s
    d.plan = plan
    d.remaining = n_nodes
    d.ready = <int32_t *>malloc((n_nodes + 1) * sizeof(int32_t))
    if d.ready == NULL:
        rt.step_fail(step, 0, TFC_RESOURCE_EXHAUSTED, b"out of memory")
        return
    pthread_mutex_init(&d.lock, NULL)
    pthread_cond_init(&d.wake, NULL)
    for i in range(plan.n_nodes - 1, -1, -1):
        if s.pending[i] == 0:
            d.ready[d.available] = i
            d.available += 1
    d.team.join = join
    d.team.arg = &d
    d.team.available = &d.available
    d.team.max_helpers = (step.max_threads if step.max_threads > 0 else rt.pool_threads()) - 1
    if d.team.max_helpers > 0:
        rt.pool_reserve(d.team.max_helpers + 1)
    rt.team_open(&d.team)
    rt.team_wake(&d.team)
    while True:
        join(&d)
        # A kernel that resumes still uses `d` after its node has finished.
        if tfc_load(&d.suspended) == 0 and (tfc_load(&d.remaining) == 0 or step.code != 0):
            break
        if rt.pool_help():
            continue
        spins += 1
        if spins < 2000:
            tfc_pause()
            continue
        wait_for_work(&d)
    rt.team_close(&d.team)
    pthread_mutex_destroy(&d.lock)
    pthread_cond_destroy(&d.wake)
    free(d.ready)


cdef void wait_for_work(Dynamic *d) noexcept nogil:
    pthread_mutex_lock(&d.lock)
    if d.available == 0:
        d.sleeping = 1
        # Helpers finish nodes without a signal to the caller, so it looks again by itself.
        tfc_wait_ms(&d.wake, &d.lock, 1)
        d.sleeping = 0
    pthread_mutex_unlock(&d.lock)


cdef tfc_async *suspend(tfc_context *ctx) noexcept nogil:
    """Keeps the context of a kernel that will resume later, maybe on a foreign thread."""
    cdef Suspended *held = <Suspended *>malloc(sizeof(Suspended))
    if held == NULL:
        return NULL
    memcpy(&held.ctx, ctx, sizeof(tfc_node_context))
    held.dynamic = <Dynamic *>(<tfc_node_context *>ctx).dynamic
    memset(held.flags, 0, sizeof(held.flags))
    held.ctx.input_flags = held.flags
    tfc_inc(&held.dynamic.suspended)
    return <tfc_async *>held


cdef void resume(tfc_async *async_, int code) noexcept nogil:
    cdef Suspended *held = <Suspended *>async_
    cdef Dynamic *d = held.dynamic
    cdef const PlanArrays *plan = d.plan
    cdef int following = -1
    if code:
        rt.step_fail(d.step, held.ctx.node, code, b"the kernel failed without a message")
    else:
        following = finish_node(d, &plan.nodes[held.ctx.node])
        if following >= 0:
            push(d, following)
    free(held)
    tfc_dec(&d.suspended)


# ---- Steps

cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil:
    cdef int i
    for i in range(first, last):
        tfc_tensor_clear(&s.slots[i])


cdef void new_step(tfc_step *step, int max_threads) noexcept:
    global next_step
    memset(step, 0, sizeof(tfc_step))
    step.max_threads = max_threads
    next_step += 1
    step.id = next_step


cdef int feed_slot(Plan plan, StepState *s, int i, value) except -1:
    feed(value, <int>plan.a.feed_types[i], plan.feed_np_dtypes[i], &s.slots[i])
    if not fits(&s.slots[i], &plan.a.feed_shapes[9 * i]):
        raise ValueError(misfit(plan, i, &s.slots[i]))
    return 0


def run_plan(Plan plan not None, feeds, int max_threads=0, int inter_op_threads=0):
    """Runs one step.

    Args:
      feeds: a value for each fed slot, in order; converted to the slots' types.
      max_threads: threads that kernels and nodes may use (0: one for each core).
      inter_op_threads: 1 keeps independent nodes from running at the same time.

    Returns: list of the fetched values, as arrays or NumPy scalars.
    Raises: the OpError of the first kernel that failed.
    """
    cdef tfc_step step
    cdef StepState *s = plan.acquire()
    cdef int i, runs
    cdef bint profile, dynamic
    new_step(&step, max_threads)
    result = None
    if plan.uses_threads and max_threads != 1:
        rt.pool_wake()  # a helper takes longer to get up than the values take to be fed
    try:
        i = 0
        for value in feeds:
            if i == plan.a.n_feeds:
                raise RuntimeError("feed_dict changed during the call")
            feed_slot(plan, s, i, value)
            i += 1
        if i < plan.a.n_feeds:
            raise RuntimeError("feed_dict changed during the call")
        plan.runs += 1
        runs = plan.runs
        profile = 1 < runs <= 1 + PROFILED_RUNS
        dynamic = plan.dynamic  # other threads may change it during the step
        with nogil:
            if dynamic:
                run_dynamic(&plan.a, s, &step)
            elif profile:
                run_profiled(&plan.a, s, &step)
            else:
                run_serial(&plan.a, s, &step)
        if step.code:
            raise step_error(plan, &step)
        if runs == 1 + PROFILED_RUNS:
            plan.uses_threads = went_parallel(&plan.a)
            if inter_op_threads != 1 and not plan.dynamic:
                plan.dynamic = would_gain(&plan.a, max_threads or rt.pool_threads())
        result = fetch(plan, s)
    finally:
        if result is None:
            clear_slots(&plan.a, s, 0, plan.a.n_slots)
        else:
            clear_slots(&plan.a, s, 0, plan.a.n_feeds)
        plan.release(s)
    return result


cdef bint fits(const tfc_tensor *t, const int64_t *shape) noexcept:
    cdef int j
    if shape[0] < 0:
        return True
    if t.rank != shape[0]:
        return False
    for j in range(t.rank):
        if shape[1 + j] >= 0 and t.dims[j] != shape[1 + j]:
            return False
    return True


cdef str misfit(Plan plan, int i, const tfc_tensor *t):
    shape = tuple([t.dims[j] for j in range(t.rank)])
    wanted = ["?" if d is None else str(d) for d in plan.feed_dims[i]]
    text = f"({wanted[0]},)" if len(wanted) == 1 else f"({', '.join(wanted)})"
    return f"Cannot feed value of shape {shape} for Tensor {plan.feed_names[i]!r}, which has shape {text!r}"


cdef list fetch(Plan plan, StepState *s):
    cdef list out = []
    cdef int i, j, slot
    cdef bint again
    for i in range(plan.a.n_fetches):
        slot = plan.a.fetch_slots[i]
        if plan.fetch_reads[i]:
            out.append(read_variable(plan, s, slot))
            continue
        again = False
        for j in range(i + 1, plan.a.n_fetches):
            again = again or plan.a.fetch_slots[j] == slot
        out.append(tensor_to_numpy(&s.slots[slot], not again and slot >= plan.a.n_feeds))
        if not again:
            tfc_tensor_clear(&s.slots[slot])
    return out


cdef object read_variable(Plan plan, StepState *s, int slot):
    cdef tfc_variable *v = <tfc_variable *>s.slots[slot].data
    cdef tfc_tensor held
    cdef bint ok
    with nogil:
        ok = rt.variable_read(v, &held)
    if not ok:
        op = plan.ops[plan.a.slot_nodes[slot]]
        raise errors.FailedPreconditionError(
            None, op.original, f"Attempting to use uninitialized value {v.name.decode()}{location_of(op)}"
        )
    try:
        return tensor_to_numpy(&held, False)
    finally:
        tfc_tensor_clear(&held)


cdef object step_error(Plan plan, tfc_step *step):
    message = step.message.decode(errors="replace") if step.message != NULL else ""
    free(step.message)
    op = plan.ops[step.node]
    return errors.from_code(step.code, op.original, message + location_of(op))


cdef str location_of(op):
    where = op.creation_line
    defined = f" (defined at {where})" if where else ""
    return f"\n\t [[node {op.name} (op: {op.type}){defined}]]"


rt.set_async_hooks(suspend, resume)
