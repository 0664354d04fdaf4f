"""check_kernel: compares a kernel with a reference."""

import contextlib
import functools

import numpy as np

import tfcore as tf
from tfcore.core import runtime
from tfcore.core.registry import registry
from tfcore.testing.calls import calls_of, plain_call
from tfcore.testing.drawing import example_settings, given
from tfcore.testing.oracle import call_reference, check_identical, check_values
from tfcore.testing.records import OpRecord, cases_of
from tfcore.testing.report import explained

EXAMPLES_PER_RECORD = 120
EXAMPLES_PER_CASE = (3, 8)


def check_kernel(op, reference=None, inputs=None, **options):
    """Tests the CPU kernels of an op, built-in and from users' libraries, on drawn examples.

    For every type that a kernel is registered for, at every instruction-set level of this machine, it checks: values;
    type and shape, also against the shape function for partly unknown shapes; empty tensors; that inputs are not
    modified; that results are bitwise the same when loops are split among threads and when the kernel may reuse its
    inputs' memory. New memory is poisoned: an output that is not written is NaN.

    Args:
      op: an op type (or an OpDef), or an OpRecord, which has the other arguments already.
      reference: function of NumPy arrays and attributes: the expected outputs in float64 (see records.py).
      inputs: function `(draw, case)` that draws inputs, or (inputs, attributes); default: from the op's definition.
      options: `ulps`, `scale`, `domain`, `special`, `types`, `attrs`, `build`, `examples` as in an OpRecord.

    Raises:
      AssertionError: a check failed. The message has the smallest failing call found, with types, level, shapes, the
        first wrong elements, and a program that reproduces it.
      ValueError: there is no kernel for this op (and these types). KeyError: no such op type is defined.
      TypeError: the reference is not a function.
    """
    record = op if isinstance(op, OpRecord) else OpRecord(op, reference, inputs, **options)
    if not callable(record.reference):
        raise TypeError(f"reference must be a function of NumPy arrays and attributes, not {record.reference!r}")
    cases = cases_of(record)
    if not cases:
        raise ValueError(
            f"No CPU kernel is registered for op type {record.op} with types {record.types or 'of any kind'}"
        )
    for case in cases:
        check_case(case)


def check_case(case):
    """check_kernel for one of a record's cases."""
    record = case.record
    low, high = EXAMPLES_PER_CASE
    share = EXAMPLES_PER_RECORD // max(1, len(cases_of(record)))

    @example_settings(record.examples or min(high, max(low, share)))
    @given(calls_of(case, record.inputs))
    def test(call):
        check_call(call)

    with poisoned():
        test()


def check_call(call):
    """Runs a call at every level in each of the ways described in check_kernel."""
    record = call.case.record
    types = {n: t.as_numpy_dtype for n, t in call.explicit_types().items()}
    expected, scales = call_reference(record, call.inputs, {**call.attrs, **types})
    with tf.Graph().as_default() as graph:
        tensors, feeds = call.tensors()
        first, outputs = call.outputs(tensors)
        with tf.control_dependencies([t.op for t in outputs]):
            after = [tf.raw_ops.DeepCopy(x=t) for t in feeds]
    assert len(outputs) == len(expected), f"{len(outputs)} outputs, {len(expected)} references"
    run_otherwise = _other_ways(call) if record.repeatable else None
    for level in cpu_levels():
        with cpu_level(level), explained(call, level):
            values, left = _run(graph, first, [outputs, after], feeds)
            _check_outputs(record, outputs, values, expected, scales)
            _check_unmodified(feeds, left)
            for how, again in run_otherwise(level) if run_otherwise else ():
                _check_same(values, again, how)


def _run(graph, first, fetches, feeds, threads=0):
    config = tf.ConfigProto(intra_op_parallelism_threads=threads) if threads else None
    with tf.Session(graph=graph, config=config) as session:
        if first:
            session.run(first, feeds)
        return session.run(fetches, feeds)


def _check_outputs(record, outputs, values, expected, scales):
    for i, (tensor, value) in enumerate(zip(outputs, values, strict=True)):
        with explained(f"output {i}"):
            value = _as_array(value)
            assert tensor.shape.is_compatible_with(value.shape), (
                f"inferred shape {tensor.shape}, computed {value.shape}"
            )
            check_values(value, expected[i], _numpy_type(tensor), record.ulps, scales[i])


def _check_unmodified(feeds, left):
    for i, (array, value) in enumerate(zip(feeds.values(), left, strict=True)):
        with explained(f"fed input {i} was modified by the kernel, which does not own it"):
            check_identical(_as_array(value), array.astype(object) if array.dtype.kind in "OS" else array)


def _other_ways(call):
    """A function of a level that yields (how the call was run, output values); all values must be bitwise the same."""
    with tf.Graph().as_default() as graph:
        tensors, feeds = call.tensors()
        first, outputs = call.outputs(_own(tensors, feeds))
    items = 1 + sum(array.size for array in feeds.values()) % 13

    def run(level):
        with cut_loops(items):
            values = _run(graph, first, outputs, feeds)
        yield "when loops run in pieces and the memory of inputs may be reused", values
        if level == cpu_levels()[-1]:
            with split_loops():
                values = _run(graph, first, outputs, feeds, threads=3)
            yield "with 3 threads", values

    return run


def _check_same(values, again, how):
    for i, (value, other) in enumerate(zip(values, again, strict=True)):
        with explained(f"output {i} is different {how}"):
            check_identical(_as_array(other), _as_array(value))


def _own(tensors, feeds):
    """The tensors, with fed ones replaced by copies, whose memory the kernel may reuse."""
    return [_own(t, feeds) if isinstance(t, list) else tf.raw_ops.DeepCopy(x=t) if t in feeds else t for t in tensors]


def _as_array(value):
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def _numpy_type(tensor):
    return np.dtype(tensor.dtype.base_dtype.as_numpy_dtype)


def evaluate(op, *inputs, at_levels=None, **attrs):
    """Runs one op on arrays at several instruction-set levels, whose results must agree to 16 units in the last place.

    Args:
      op: An op type or `OpDef`.
      *inputs: Arrays, the inputs of the op.
      at_levels: The levels; all that this machine supports by default.
      **attrs: The attributes of the op.

    Returns:
      An array, or a list of arrays for an op with several outputs: the results at the last level.

    Raises:
      AssertionError: Results of two levels differ.
    """
    call = plain_call(op, inputs, attrs)
    with tf.Graph().as_default() as graph:
        tensors, feeds = call.tensors()
        first, outputs = call.outputs(tensors)
    results = None
    for level in at_levels or cpu_levels():
        with cpu_level(level):
            values = _run(graph, first, outputs, feeds)
        for i, tensor in enumerate(outputs if results else ()):
            with explained(f"{op} at level {level}, compared with the previous level"):
                check_values(values[i], results[i], _numpy_type(tensor), ulps=16)
        results = values
    return results[0] if len(results) == 1 else results


# ---- Settings of the process


@functools.cache
def cpu_levels():
    """The instruction-set levels that this machine supports.

    Returns:
      A list of strings, from the lowest level to the highest.
    """
    return registry.available_levels()


@contextlib.contextmanager
def cpu_level(level):
    """A context manager: sessions created in it use kernels of one instruction-set level.

    Args:
      level: One of `cpu_levels()`.

    Yields:
      None.

    Raises:
      ValueError: There is no such level.
    """
    before = registry.cpu_level()
    registry.set_cpu_level(level)
    try:
        yield
    finally:
        registry.set_cpu_level(before)


@contextlib.contextmanager
def poisoned():
    """Fills new memory with NaN (integers: -1)."""
    before = runtime.set_poison(True)
    try:
        yield
    finally:
        runtime.set_poison(before)


@contextlib.contextmanager
def cut_loops(items):
    """Runs parallel loops in pieces of `items` items, the last one first."""
    runtime.cut_loops(items)
    try:
        yield
    finally:
        runtime.cut_loops(0)


@contextlib.contextmanager
def split_loops():
    """Splits parallel loops among threads, however small they are."""
    before = runtime.set_parallel_grain(0)
    try:
        yield
    finally:
        runtime.set_parallel_grain(before)
