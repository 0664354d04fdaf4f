"""How far the values of two libraries may be apart: in units of the last place, from the records of the ops.

A record says by how many units a kernel may miss the exact value (`ulps`), relative to the value or, for sums, to the
sum of the magnitudes (`scale`). Two libraries may both miss it, in opposite directions: the bound is twice that.
"""

import inspect

import numpy as np

import tfcore as tf
from tests.differential import random_graphs
from tfcore.testing.arrays import float_limits
from tfcore.testing.oracle import epsilon, flatten, is_float, widen
from tfcore.testing.records import cases_of


def ratio(actual, expected, ulps, scale=None):
    """The worst distance of two arrays in units of the bound; infinite where types, shapes, NaN or integers differ."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return np.inf
    if not actual.size:
        return 0.0
    if actual.dtype.kind == "c":
        return _complex_ratio(actual, expected, ulps, scale)
    if not is_float(actual.dtype):
        return 0.0 if np.array_equal(actual, expected) else np.inf
    tiny, _, largest = float_limits(actual.dtype)
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        size = np.minimum(_size(a, b, scale), largest)
        allowed = ulps * epsilon(actual.dtype) * size + tiny
        distance = np.abs(a - b) / allowed
        # Infinity beside a number that is the largest one within the bound.
        near = np.isinf(a) ^ np.isinf(b)
        distance = np.where(near & (np.minimum(np.abs(a), np.abs(b)) >= largest - allowed), 1.0, distance)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))
    return float(distance.max())


def _complex_ratio(a, b, ulps, scale):
    part = a.real.dtype
    a, b = a.astype(np.complex128), b.astype(np.complex128)
    tiny, _, largest = float_limits(part)
    with np.errstate(all="ignore"):
        size = _size(np.abs(a), np.abs(b), scale)
        distance = np.abs(a - b) / (ulps * epsilon(part) * size + tiny)
        # Which of NaN and infinity a complex operation gives is not fixed by any standard.
        free = ~np.isfinite(a) & ~np.isfinite(b) | (size >= largest / 4)
        distance = np.where(free, 0.0, np.where(np.isnan(distance), np.inf, distance))
    return float(distance.max())


def _size(a, b, scale):
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(a), np.abs(b))
        size = np.where(np.isfinite(size), size, np.fmin(np.abs(a), np.abs(b)))
        if scale is None:
            return size
        scale = np.abs(np.asarray(scale)).astype(np.float64)
        return np.fmax(size, np.where(np.isfinite(scale), scale, 0))


class Rules:
    """For each op, what its records say about precision."""

    def __init__(self):
        self._records = random_graphs.all_records()

    def record(self, op):
        """The record that holds for the types of a graph's operation, or None."""
        records = self._records.get(op.type, ())
        for record in records:
            for case in cases_of(record):
                if all(op.get_attr(name) == t for name, t in case.types.items()):
                    return record
        return records[0] if records else None

    def ulps(self, op):
        record = self.record(op)
        return record.ulps if record else 4

    def scales(self, op, inputs, run):
        """Magnitudes for the outputs of an operation whose inputs have these values; None where values count.

        run: computes the operation for other inputs.
        """
        record = self.record(op)
        if record is None or record.scale is None:
            return [None] * len(op.outputs)
        if record.scale != "abs":
            try:
                return _called(record.scale, record, op, inputs)
            except TypeError:
                pass  # a scale in terms of arguments that the operation does not have
        return run([np.abs(x) if x.dtype.kind in "fcV" else x for x in inputs])

    def exact(self, op, inputs):
        """What the record's reference says of the outputs, or None."""
        record = self.record(op)
        if record is None or record.reference is None:
            return None
        try:
            return _called(record.reference, record, op, inputs)
        except Exception:  # arguments that only drawn calls have
            return None


def _called(function, record, op, inputs):
    """Calls a record's function with the inputs and attributes of an operation of a graph."""
    grouped = widen(_grouped(op, inputs))
    given = {name: _for_reference(op.get_attr(name)) for name in op.op_def.attrs}
    names = inspect.signature(function).parameters
    takes_all = any(p.kind == p.VAR_KEYWORD for p in names.values())
    inferred = {a.name for a in op.op_def.attrs.values()} - {a.name for a in op.op_def.explicit_attrs}
    chosen = {n: v for n, v in given.items() if n in names or takes_all and n not in inferred}
    with np.errstate(all="ignore"):
        result = flatten(function(*grouped, **chosen))
    return result * len(op.outputs) if len(result) == 1 else result


def _for_reference(value):
    if isinstance(value, tf.DType):
        return np.dtype(value.as_numpy_dtype)
    return value.decode() if isinstance(value, bytes) else value


def _grouped(op, inputs):
    """Inputs as the op's definition has them: lists for list arguments."""
    left, result = list(inputs), []
    for arg in op.op_def.inputs:
        if arg.number_attr:
            n = op.get_attr(arg.number_attr)
        elif arg.type_list_attr:
            n = len(op.get_attr(arg.type_list_attr))
        else:
            result.append(left.pop(0))
            continue
        result.append([left.pop(0) for _ in range(n)])
    return result
