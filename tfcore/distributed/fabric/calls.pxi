"""Calls of Python functions between tasks: part of fabric.pyx."""

def serve(str method, fn):
    """Lets other tasks call fn(source rank, payload bytes) -> bytes. It runs on a separate thread and may wait."""
    _methods[method] = fn


cdef int _pack(bytes head, bytes body, tfc_tensor *out) except -1:
    """Makes a tensor of bytes: the head, then the body."""
    cdef size_t before = PyBytes_GET_SIZE(head)
    cdef int64_t n = before + PyBytes_GET_SIZE(body)
    cdef const char *text = PyBytes_AS_STRING(body)
    out.dtype = 4
    out.buffer = NULL
    if not tfc_tensor_new(out, 1, &n):
        raise errors.ResourceExhaustedError(None, None, f"OOM when sending {n} bytes")
    memcpy(out.data, PyBytes_AS_STRING(head), before)
    with nogil:
        memcpy(<char *>out.data + before, text, n - before)
    return 0


cdef int _send_call(int peer, uint32_t incarnation, uint64_t id, str method, bytes payload) except -1:
    """Sends a request. Its payload: the length of the method's name, the name, what the method gets."""
    cdef tfc_message m
    cdef tfc_tensor t
    cdef int problem
    cdef bytes name = method.encode()
    _pack(len(name).to_bytes(4, "little") + name, payload, &t)
    memset(&m, 0, sizeof(m))
    m.kind = TFC_MSG_CALL
    m.edge = id
    with nogil:
        problem = tfc_send_to(peer, incarnation, &m, &t)
        tfc_tensor_clear(&t)
    return _sent(problem, peer)


cdef bytes _bytes(tfc_tensor *t):
    return PyBytes_FromStringAndSize(<char *>t.data, t.n) if t.dtype else b""


def call(int peer, str method, bytes payload=b"", timeout_s=None, incarnation=None):
    """Calls what the task serves as `method`, waits for it and returns its result.

    Args:
      timeout_s: how long it waits, in seconds; None: without a limit.
      incarnation: of the process that is meant; another one in its place is not called. None: whichever is there.

    Raises:
      UnavailableError: the task failed before it answered. AbortedError: this task was excluded from the cluster.
      DeadlineExceededError: there was no answer in `timeout_s` seconds.
      OpError: what the method raised, with its class and text; other exceptions of it are an UnknownError with their
        traceback.
    """
    _check()
    _peer(peer)
    cdef tfc_call c
    cdef int64_t until = -1 if timeout_s is None else tfc_now_monotonic() + <int64_t>(timeout_s * 1e9)
    tfc_call_begin(&c, peer, incarnation or 0)
    try:
        _send_call(peer, c.incarnation, c.id, method, payload)
        _await_answer(&c, until, method, peer, timeout_s)
        if c.code == tfc_failure_code() and not c.reply.dtype:  # `description` may be that of the next process
            raise errors.from_code(c.code, None, f"{description(peer)}. It did not answer '{method}'.")
        if c.code:
            text = _bytes(&c.reply).decode(errors="replace")
            text = text or f"{description(peer)} has no memory to answer '{method}'."
            raise errors.from_code(c.code, None, text)
        return _bytes(&c.reply)
    finally:
        tfc_call_end(&c)
        tfc_tensor_clear(&c.reply)


def notify(int peer, str method, bytes payload=b""):
    """Calls what the task serves as `method`, and does not wait for it. Its result, or error, is dropped. Never blocks.

    Raises: UnavailableError, AbortedError, ResourceExhaustedError: it was not sent.
    """
    _check()
    _peer(peer)
    _send_call(peer, _peer(peer).incarnation, 0, method, payload)  # a number that no call has


cdef int _await_answer(tfc_call *c, int64_t until, method, peer, timeout_s) except -1:
    cdef int64_t left = LOOK_NS
    cdef bint spin = True, done = False
    while not done:
        with nogil:
            if until >= 0:
                left = min(<int64_t>LOOK_NS, until - tfc_now_monotonic())
            done = tfc_wait_word(&c.done, left if left > 0 else 0, spin)
            spin = False
        if done:
            break
        PyErr_CheckSignals()
        if left <= 0:
            raise errors.DeadlineExceededError(
                None, None, f"{description(peer)} did not answer '{method}' within {timeout_s:g} s."
            )
        if not tfc_running():
            raise errors.CancelledError(None, None, f"The fabric was closed while '{method}' waited for an answer.")
    return 0


def _work():
    """Serves calls. There is always one more thread than there are calls running: it waits for one that the others do
    not get to soon.
    """
    cdef tfc_request request
    cdef bool there = False, alone
    cdef int64_t idle = <int64_t>(IDLE_SECONDS * 1e9)
    while True:
        with nogil:
            there = tfc_request_take(&request, idle, there, &alone)
        if not there:
            if not tfc_running() or not alone:
                return
            continue
        if alone:
            try:
                _Thread(_work, "tfcore-calls").start()
            except RuntimeError:
                _print_exception()  # no more threads: the calls that come wait for those that run
        if request.failed:
            _tell(request.source, request.incarnation)
        elif tfc_incarnation_of(request.source) == request.incarnation:
            _answer(&request)
        else:
            tfc_tensor_clear(&request.payload)  # nobody waits for the answer any more


cdef void _answer(tfc_request *request):
    """Answers a call, whatever happens: the caller may wait without a limit."""
    cdef tfc_message m
    cdef tfc_tensor t
    cdef int peer = request.source
    memset(&m, 0, sizeof(m))
    memset(&t, 0, sizeof(t))
    m.kind = TFC_MSG_REPLY
    m.edge = request.id
    try:
        _serving.incarnation = request.incarnation
        data = _bytes(&request.payload)
        tfc_tensor_clear(&request.payload)
        m.code, result = _run_method(peer, data)
        _pack(b"", result, &t)
    except BaseException:  # there is no memory, not even for the error
        m.code = TFC_RESOURCE_EXHAUSTED
        t.dtype = 0
    tfc_tensor_clear(&request.payload)
    with nogil:
        tfc_answer(peer, request.incarnation, &m, &t if t.dtype else NULL)  # it may be gone
        tfc_tensor_clear(&t)


def _run_method(source, bytes data):
    """(code, result or text of the error)"""
    length = int.from_bytes(data[:4], "little")
    method = data[4 : 4 + length].decode()
    fn = _methods.get(method)
    try:
        if fn is None:
            raise errors.NotFoundError(None, None, f"Rank {rank()} serves no method '{method}'.")
        result = fn(source, data[4 + length :])
        if not isinstance(result, bytes):
            raise TypeError(f"The method '{method}' returned {type(result).__name__} instead of bytes.")
        return 0, result
    except errors.OpError as error:
        return error.error_code, str(error).encode(errors="replace")
    except BaseException:
        return errors.UNKNOWN, f"Rank {rank()}, method '{method}':\n{traceback.format_exc()}".encode(errors="replace")
