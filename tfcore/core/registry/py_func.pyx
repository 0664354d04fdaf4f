"""The kernel of tf.py_func: calls a Python function within a step. Kernels of functions on GPUs share its parts.

A step runs without the GIL; this kernel takes it for the call. Its state is only the function's token: the graph owns
the function, and a reference from here, invisible to the garbage collector, would keep functions that use their own
session alive for ever.
"""

import traceback
import weakref

from cpython.ref cimport PyObject, Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t, uint8_t

from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.runtime cimport *
from tfcore.core.memory.tensor cimport dtype_number_of, tensor_from_numpy, tensor_to_numpy

import numpy

from tfcore.core.threads import progress
from tfcore.framework.types import dtypes
from tfcore.framework import errors

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() nogil
    int PyThreadState_SetAsyncExc(unsigned long, PyObject *)

cdef extern from "step/step.h" nogil:
    ctypedef struct tfc_node_context:
        const uint8_t *input_flags
        int node

    int TFC_INPUT_LAST_USE
    int tfc_error(tfc_context *, int, const char *, ...)

functions = weakref.WeakValueDictionary()  # token -> PyFunction
_python_code = eval("lambda: None")  # compiled by Python: functions of this file are not
_calls = {}  # address of the kernel's context -> _Call, while the function runs


cdef class _Call:
    """A function that runs in a step."""

    cdef readonly int64_t step
    cdef readonly unsigned long thread
    cdef readonly object func
    cdef bint interrupted

    def __init__(self, step, thread, func):
        self.step, self.thread, self.func = step, thread, func


class PyFunction:
    """A registered function; its token, which the graph uses, is valid as long as this object lives."""

    count = 0

    def __init__(self, func):
        self.func = func
        self.token = f"pyfunc_{PyFunction.count}"
        PyFunction.count += 1
        functions[self.token] = self


def running(int64_t step_id):
    """The Python functions in which a step is: list of (thread, text that names the function)."""
    return [(call.thread, _where(call.func)) for call in list(_calls.values()) if call.step == step_id]


def interrupt(int64_t step_id):
    """Raises KeyboardInterrupt in the step's functions on other threads, and says which ones the step waits for.

    Each function is interrupted once, as it may be cleaning up afterwards. One that waits in C notices it later, or
    never.
    """
    cdef _Call call
    cdef unsigned long me = PyThread_get_thread_ident()
    interrupted = []
    for call in list(_calls.values()):  # does not release the GIL: all of these still run
        if call.step == step_id and call.thread != me and not call.interrupted:
            call.interrupted = True
            PyThreadState_SetAsyncExc(call.thread, <PyObject *>KeyboardInterrupt)
            interrupted.append(call.func)
    if interrupted:
        names = list(dict.fromkeys(map(_where, interrupted)))
        ends = "returns" if len(names) == 1 else "return"
        progress.write(f"Interrupted. The step ends when {', '.join(names)} {ends}.\n")


def _notice():
    """Takes an interrupt that the function has not noticed, so that it is not raised in other code of the thread.

    Python raises it in its own code only. Taking it back by PyThreadState_SetAsyncExc(thread, NULL) would leave the
    interpreter's flag set: all threads would look for exceptions at each call, for ever, and under a tracer Python 3.11
    would not get beyond a call.
    """
    try:
        _python_code()
    except KeyboardInterrupt:
        pass


def _where(func):
    """The function's name and the place of its definition."""
    name = getattr(func, "__qualname__", None) or repr(func)
    code = getattr(func, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name


class BadResult(Exception):
    """The function's result does not match the op; code and text are TensorFlow's."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


cdef int create(tfc_construction *c, void **state) noexcept:
    cdef const char *data = NULL
    cdef size_t size = 0
    cdef int code = c.api.attr_string(c, b"token", &data, &size)
    if code:
        return code
    token = data[:size].decode(errors="replace")
    Py_INCREF(token)
    state[0] = <void *>token
    return TFC_OK


cdef void destroy(void *state) noexcept:
    Py_DECREF(<object>state)


cdef int compute(tfc_context *ctx) noexcept nogil:
    return compute_in_python(ctx, call)


cdef int compute_in_python(tfc_context *ctx, int (*call)(tfc_context *, str) except -1) noexcept nogil:
    """Runs call(ctx, token) with the GIL; what it raises becomes the step's error."""
    cdef int paused = tfc_pool_pause()
    cdef int code = TFC_OK
    with gil:
        try:
            call(ctx, <str>ctx.state)
        except BaseException as error:
            code = report(ctx, error)
    tfc_pool_resume(paused)
    return code


cdef int call(tfc_context *ctx, str token) except -1:
    cdef tfc_node_context *node = <tfc_node_context *>ctx
    cdef int i
    function = function_of(token)
    args = []
    for i in range(ctx.n_inputs):
        # The function may write to its arguments: they are copies, or memory that has no other reader.
        args.append(tensor_to_numpy(<tfc_tensor *>ctx.inputs[i], (node.input_flags[i] & TFC_INPUT_LAST_USE) != 0))
    result = call_function(ctx, function, args, {})
    for i in range(ctx.n_outputs):
        set_output(&ctx.outputs[i], i, result[i], token)
    return 0


cdef object function_of(str token):
    """The PyFunction of a token."""
    function = functions.get(token)
    if function is None:
        raise BadResult(
            TFC_INVALID_ARGUMENT,
            f"callback {token} is not found: its function lived in another graph or another process",
        )
    return function


cdef object call_function(tfc_context *ctx, function, list args, dict keywords):
    """Calls a PyFunction. Returns its results, a list or tuple with one for each output of the op."""
    cdef _Call running
    running = _calls[<size_t>ctx] = _Call(ctx.step_id, PyThread_get_thread_ident(), function.func)
    try:
        result = function.func(*args, **keywords)
    finally:
        del _calls[<size_t>ctx]
        if running.interrupted:
            _notice()
    if result is None:
        result = ()
    elif not isinstance(result, (list, tuple)):
        result = (result,)
    if len(result) != ctx.n_outputs:
        raise BadResult(
            TFC_INVALID_ARGUMENT,
            f"{function.token} returns {len(result)} values, but expects to see {ctx.n_outputs} values.",
        )
    return result


cdef int set_output(tfc_tensor *out, int i, value, str token) except -1:
    cdef int expected = out.dtype
    cdef int found
    array = numpy.asarray(value, order="C")
    if array.dtype.kind == "S":  # NumPy's byte strings lose trailing zeros
        array = array.astype(object) if array is value else numpy.asarray(value, dtype=object)
    if array.dtype.kind in "UO":
        found = TFC_STRING
        for item in array.ravel():
            if not isinstance(item, (bytes, str)):
                raise BadResult(TFC_INTERNAL, f"Unsupported object type {type(item).__name__}")
    else:
        found = dtype_number_of(array)
        if dtypes.as_dtype(expected).is_quantized and dtypes.fed_dtype(dtypes.as_dtype(expected)) == array.dtype:
            found = expected  # functions get and return the integers
    check_type(i, found, expected, token)
    tfc_tensor_clear(out)
    tensor_from_numpy(array, found, out, False)
    return 0


cdef int check_type(int i, int found, int expected, str token) except -1:
    """Raises an error unless result i has the type that the op's output has."""
    if found != expected:
        raise BadResult(
            TFC_INVALID_ARGUMENT,
            f"{i}-th value returned by {token} is {_name(found)}, but expects {_name(expected)}",
        )
    return 0


def _name(int number):
    return dtypes.SHORT_NAMES[dtypes.as_dtype(number)]


cdef int report(tfc_context *ctx, error) noexcept:
    """Makes the exception the step's error."""
    try:
        return note(ctx, error)
    except BaseException:  # a second Ctrl-C, for example
        return tfc_error(ctx, TFC_UNKNOWN, b"a Python function failed")


cdef int note(tfc_context *ctx, error) except -1:
    if isinstance(error, BadResult):
        text = str(error).encode(errors="replace")
        return tfc_error(ctx, error.code, b"%s", <const char *>text)
    if isinstance(error, KeyboardInterrupt):
        interrupt(ctx.step_id)
    # Its text may be longer than a kernel's message: the code that makes the step's exception finds it by step and
    # node.
    errors.note_cause(ctx.step_id, (<tfc_node_context *>ctx).node, error, describe(error))
    return tfc_error(ctx, code_of(error), b"a Python function failed")


cdef str describe(error):
    try:
        summary = f"{type(error).__name__}: {error}"
    except Exception:
        summary = f"{type(error).__name__}: <str() of it failed>"
    frames = error.__traceback__
    while frames.tb_next is not None and frames.tb_frame.f_code.co_filename.endswith(_OWN_FILES):
        frames = frames.tb_next  # skip tfcore's own frames
    trace = "".join(traceback.format_exception(type(error), error, frames))
    return f"{summary}\n{trace}"


_OWN_FILES = ("py_func.pyx", "cuda_func.pyx")


def code_of(error):
    """TensorFlow's status code for an exception; those of tf.errors keep their own code."""
    if isinstance(error, errors.OpError):
        return error.error_code or TFC_UNKNOWN
    for kinds, code in codes:
        if isinstance(error, kinds):
            return code
    return TFC_UNKNOWN


codes = [
    ((ValueError, TypeError), TFC_INVALID_ARGUMENT),
    (StopIteration, TFC_OUT_OF_RANGE),
    (MemoryError, TFC_RESOURCE_EXHAUSTED),
    (NotImplementedError, TFC_UNIMPLEMENTED),
]

cdef void add_kernels(tfc_kernel_def *two, const char *device, const char *op, const char *stateless,
                      int (*compute)(tfc_context *) noexcept nogil):
    """Registers the kernels of two op types that call functions by their tokens. `two` stays as long as the process."""
    for i in range(2):
        two[i].op = stateless if i else op
        two[i].device = device
        two[i].types = ""
        two[i].compute = compute
        two[i].create = create
        two[i].destroy = destroy
        two[i].flags = TFC_KERNEL_PYTHON
        two[i].host_args = NULL
        add_internal_kernel(&two[i])


cdef tfc_kernel_def kernels[2]
add_kernels(kernels, "CPU", "PyFunc", "PyFuncStateless", compute)
