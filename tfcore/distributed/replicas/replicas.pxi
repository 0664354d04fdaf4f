"""Replicas of variables (replica.h), for Python: part of steps.pyx."""

cdef extern from "replicas/replica.h" nogil:
    enum:
        TFC_REPLICA_OFF
        TFC_REPLICA_COPYING
        TFC_REPLICA_ON
    ctypedef struct tfc_replica_counts:
        int state
        int64_t variables
        int64_t changes
        int64_t acknowledged
        int64_t replicas
        bint complete
        int64_t applied
        int64_t sent_bytes
        int64_t whole
        int64_t row_parts
    ctypedef struct tfc_given:
        uint64_t number
        char *label
        size_t label_size
        int32_t dtype
        tfc_tensor value
        tfc_given *next
    void tfc_replica_primary_open(int backup)
    bint tfc_replica_track(tfc_variable *, const char *label, size_t size, uint64_t number)
    bint tfc_replica_copy()
    void tfc_replica_go_on(int64_t changes, uint32_t incarnation)
    bint tfc_replica_await_loss(int64_t ns)
    void tfc_replica_wake()
    void tfc_replica_primary_close()
    void tfc_replica_primary_count(tfc_replica_counts *)
    void tfc_replica_primary_after_fork()
    void tfc_replica_backup_open(int primary, int backup)
    int64_t tfc_replica_give(uint32_t incarnation, int64_t *changes)
    bint tfc_replica_list(tfc_given **)
    void tfc_replica_backup_count(tfc_replica_counts *)
    void tfc_replica_backup_after_fork()
    bint tfc_replica_take_given(tfc_given **)
    void tfc_replica_free_given(tfc_given *)

_REPLICATION = {TFC_REPLICA_OFF: "off", TFC_REPLICA_COPYING: "copying", TFC_REPLICA_ON: "on"}


def open_replicas(ResourceManager resources not None, int backup, int primary):
    """Begins to keep the variables of `resources` in the task of rank `backup`, and those of `primary` here.

    To be called before the fabric starts.
    """
    tfc_replica_primary_open(backup)
    tfc_replica_backup_open(primary, backup)
    resources.watch = _track


def _track(size_t address, container, kind, name, uint64_t number=0):
    cdef bytes label = "\0".join([kind, container, name]).encode("utf-8", "surrogateescape")
    cdef const char *text = label
    cdef size_t size = len(label)
    cdef bint ok
    with nogil:
        ok = tfc_replica_track(<tfc_variable *>address, text, size, number)
    if not ok:
        raise MemoryError(f"no memory for variable {name}")


def copy_variables():
    """Makes a full copy of the tracked variables in the backup; whether that was possible. Steps run meanwhile."""
    cdef bint ok
    with nogil:
        ok = tfc_replica_copy()
    return ok


def await_loss(double seconds):
    """Waits until the backup is lost or can't follow (True), for `wake_replicas`, or for so long."""
    cdef bint found
    cdef int64_t ns = <int64_t>(seconds * 1e9)
    with nogil:
        found = tfc_replica_await_loss(ns)
    return found


def wake_replicas():
    """Ends `await_loss`."""
    tfc_replica_wake()


def close_replicas():
    """Lets steps end that wait for the backup."""
    with nogil:
        tfc_replica_primary_close()


def give_replicas(uint32_t incarnation):
    """Hands the replicas to the process that has taken the primary's place.

    Returns: (how many, number of the last change); -1: they are not complete, -2: they can't be sent.
    """
    cdef int64_t given, changes = 0
    with nogil:
        given = tfc_replica_give(incarnation, &changes)
    return given, changes


cdef class _Given:
    """Owns what the backup has handed out."""

    cdef tfc_given *first

    def __dealloc__(self):
        tfc_replica_free_given(self.first)


def take_replicas(ResourceManager resources not None, count, int64_t changes, uint32_t incarnation):
    """Makes what the backup has handed out the variables of `resources`, which steps then use.

    Args:
      count: how many there are. changes: number of the last change that they have. incarnation: of the backup.

    Returns: how many variables have a value; None: some were lost on the way, and there are none.
    """
    cdef _Given given = _Given()
    cdef tfc_given *g
    cdef bint ok = tfc_replica_take_given(&given.first)
    g = given.first
    found = {}
    while g != NULL and ok:
        ok = own_memory(&g.value)
        found[g.number] = <size_t>g
        g = g.next
    if not ok or len(found) != count:
        return None
    taken = 0
    for number in sorted(found):  # of two variables of a name, the later one
        g = <tfc_given *><size_t>found[number]
        kind, container, name = g.label[:g.label_size].decode("utf-8", "surrogateescape").split("\0", 2)
        taken += g.value.buffer != NULL
        watch = lambda address, *names, number=number: _track(address, *names, number)
        resources.add_variable(container, kind, name, g.dtype, &g.value, watch)
    with nogil:
        tfc_replica_go_on(changes, incarnation)
    return taken


def forget_given():
    """Drops the variables that a backup has handed out before it failed to hand out the rest."""
    cdef _Given given = _Given()
    tfc_replica_take_given(&given.first)


cdef bint own_memory(tfc_tensor *t) noexcept:
    """Makes a value that lies in another task's memory one of this task. False: there is no memory."""
    cdef tfc_tensor copy
    cdef bint ok = True
    if t.buffer != NULL and not tfc_buffer_exclusive(buffer_of(t)):
        with nogil:
            ok = tfc_tensor_copy(&copy, t)
            if ok:
                tfc_tensor_clear(t)
                t[0] = copy
    return ok


def held_replicas():
    """What is kept for the primary, if it is complete: dict from (kind, container, name) to arrays; None: no value."""
    cdef _Given given = _Given()
    cdef tfc_given *g
    cdef TensorValue value
    cdef bint ok
    with nogil:
        ok = tfc_replica_list(&given.first)
    if not ok:
        raise MemoryError()
    found = {}
    g = given.first
    while g != NULL:
        value = None
        if g.value.buffer != NULL:
            value = TensorValue.__new__(TensorValue)
            value.t = g.value
            g.value.buffer = NULL
        label = tuple(g.label[:g.label_size].decode("utf-8", "surrogateescape").split("\0", 2))
        found[label] = None if value is None else value.numpy()
        g = g.next
    return found


def replica_counts():
    """How far the replicas are: a dict.

    state: of the own variables' replica: "on" (steps wait for it), "copying", or "off". variables: how many there are.
    changes, acknowledged: numbers of the last change, and of the last one that outlives this process, so that no step
    waits for it. sent_bytes, whole, row_parts:
    what was sent of values: bytes, whole ones, parts with only some rows. replicas, complete, applied: how many
    variables are kept for another task, whether these are all, and the number of their last change.
    """
    cdef tfc_replica_counts counts
    with nogil:
        tfc_replica_primary_count(&counts)
        tfc_replica_backup_count(&counts)
    return {**counts, "state": _REPLICATION[counts.state]}
