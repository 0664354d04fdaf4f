"""Datasets of what Python functions yield."""

import itertools
import threading

import numpy as np

from tfcore.data import elements
from tfcore.data.functions import TracedFunction
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.ops.functions.py_func import py_func


def from_generator(generator, output_types, output_shapes, args, output_signature, name):
    """(Tensor, spec) for `Dataset.from_generator`, which describes the arguments."""
    if not callable(generator):
        raise TypeError(f"`generator` must be a Python callable, but is {generator!r}")
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError("`output_types` and `output_shapes` cannot be set together with `output_signature`")
        spec = output_signature
        if elements.has_sparse(spec):
            raise TypeError("`generator` can't yield SparseTensors: yield their indices, values and dense shapes")
    elif output_types is None:
        raise TypeError("`output_types` or `output_signature` must be given")
    else:
        spec = elements.make_spec(elements.map_leaves(dtypes.as_dtype, output_types), output_shapes)
    running = _Running(generator, spec)
    inputs = [convert_to_tensor(a) for a in args or ()]
    begin = TracedFunction(
        lambda *values: py_func(running.begin, values, dtypes.int64), elements.spec_of(tuple(inputs))
    )
    state = TensorSpec(None, dtypes.int64)
    following = TracedFunction(running.next_op, state)
    end = TracedFunction(lambda number: py_func(running.end, [number], dtypes.int64), state)
    variant = get_op_def("GeneratorDataset")(
        inputs,
        [],
        [],
        init_func=begin.function,
        next_func=following.function,
        finalize_func=end.function,
        name=name,
        **elements.attributes_of(spec),
    )
    return variant, spec


class _Running:
    """The iterations of a generator that have not ended, by number."""

    def __init__(self, generator, spec):
        self._generator, self._spec = generator, spec
        self._flat = elements.flatten(spec)
        self._numbers = itertools.count()
        self._iterators = {}
        self._lock = fork_safe(threading.Lock())

    def begin(self, *args):
        iterator = iter(self._generator(*args))
        with self._lock:
            number = next(self._numbers)
            self._iterators[number] = iterator
        return np.int64(number)

    def next(self, number):
        return self._converted(next(self._iterators[int(number)]))

    def next_op(self, number):
        values = py_func(self.next, [number], [s.dtype for s in self._flat])
        for value, spec in zip(values, self._flat):
            value.set_shape(spec.shape)
        return elements.pack(self._spec, values)

    def end(self, number):
        with self._lock:
            iterator = self._iterators.pop(int(number), None)
        del iterator  # a generator's `finally` runs without the lock
        return np.int64(0)

    def _converted(self, item):
        try:
            leaves = self._leaves(self._spec, item)
        except (TypeError, KeyError, ValueError):
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The expected structure was "
                f"{elements.types_of(self._spec)}, but the yielded element was {item!r}."
            ) from None
        return [self._leaf(value, spec) for value, spec in zip(leaves, self._flat)]

    def _leaves(self, spec, item):
        if isinstance(spec, tuple):
            if isinstance(item, (str, bytes)) or len(item) != len(spec):
                raise ValueError
            return [leaf for s, i in zip(spec, item) for leaf in self._leaves(s, i)]
        if isinstance(spec, dict):
            return [leaf for key in sorted(spec) for leaf in self._leaves(spec[key], item[key])]
        return [item]

    def _leaf(self, value, spec):
        if spec.dtype is dtypes.string:
            array = np.array(value, object)
        else:
            try:
                array = np.asarray(value, spec.dtype.as_numpy_dtype)
            except (TypeError, ValueError):
                raise TypeError(
                    f"`generator` yielded an element that could not be converted to the expected type. The expected "
                    f"type was {spec.dtype.name}, but the yielded element was {value!r}."
                ) from None
        if not spec.shape.is_compatible_with(array.shape):
            raise ValueError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
                "expected."
            )
        return array
