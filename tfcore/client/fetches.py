"""Flattens the structures of fetches and feeds, and rebuilds fetch structures from values."""

import collections

import numpy as np

from tfcore.compiler.devices import has_own_memory
from tfcore.framework import errors, protos
from tfcore.framework.device import parse
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.run_conversions import conversion_of, conversions, converted_feed
from tfcore.framework.values.sparse_tensor import SparseTensorValue


class FetchPlan:
    """A fetch structure over unique graph elements. session: for handles of tensors that it keeps.

    tensors: unique Tensors to fetch, in order. targets: unique Operations to run. rebuild(values): the result in the
    requested structure, from the values of `tensors`. as_is: whether the result has these values and no others.
    """

    __slots__ = ("tensors", "targets", "rebuild", "session", "as_is")

    def __init__(self, graph, fetches, session=None):
        self.session, self.as_is = session, True
        self.tensors = []
        self.targets = []
        positions = {}
        self.rebuild = self._enter(graph, fetches, positions)

    def _enter(self, graph, fetch, positions):
        if fetch is None:
            raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)}")
        if isinstance(fetch, (list, tuple)) and type(fetch).__name__ not in _STRUCTURED:
            return self._enter_sequence(graph, fetch, positions)
        conversion = conversion_of(fetch) if conversions else None
        if conversion is not None:
            return self._enter_converted(graph, fetch, conversion, positions)
        if isinstance(fetch, dict) or hasattr(fetch, "keys") and hasattr(fetch, "__getitem__"):
            builders = [(k, self._enter(graph, fetch[k], positions)) for k in fetch.keys()]
            kind = type(fetch) if isinstance(fetch, dict) else dict
            if kind.__name__ == "defaultdict":
                return lambda v: type(fetch)(fetch.default_factory, [(k, b(v)) for k, b in builders])
            return lambda v: kind([(k, b(v)) for k, b in builders])
        if type(fetch).__name__ in _STRUCTURED:
            return self._enter_parts(graph, fetch, positions)
        return self._enter_element(graph, fetch, positions)

    def _enter_sequence(self, graph, fetch, positions):
        builders = [self._enter(graph, f, positions) for f in fetch]
        kind = type(fetch)
        if hasattr(fetch, "_fields"):
            return lambda v: kind(*[b(v) for b in builders])
        if kind is list:
            return lambda v: [b(v) for b in builders]
        return lambda v: kind([b(v) for b in builders])

    def _enter_converted(self, graph, fetch, conversion, positions):
        elements, combine = conversion.fetch(fetch)
        builders = [self._enter_element(graph, element, positions) for element in elements]
        self.as_is = False
        return lambda v: combine([b(v) for b in builders]) if builders else None

    def _enter_parts(self, graph, fetch, positions):
        """Enters IndexedSlices and SparseTensors, which are returned as values with the same fields."""
        names, result = _STRUCTURED[type(fetch).__name__]
        parts = [getattr(fetch, n) for n in names]
        builders = [None if p is None else self._enter(graph, p, positions) for p in parts]
        return lambda v: result(*[None if b is None else b(v) for b in builders])

    def _enter_element(self, graph, fetch, positions):
        try:
            element = graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a string or Tensor. ({error})"
            ) from None
        except ValueError as error:
            raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})") from None
        except KeyError as error:
            raise ValueError(f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})") from None
        if not graph.is_fetchable(element):
            name = element.name if isinstance(element, Operation) else element.op.name
            raise ValueError(f"Operation {name!r} has been marked as not fetchable.")
        if isinstance(element, Operation):
            return self._enter_operation(element)
        is_kept = element.op.type in ("GetSessionHandle", "GetSessionHandleV2")
        if element.dtype.base_dtype is dtypes.resource and not is_kept:
            self._enter_operation(element.op)
            self.as_is = False
            return lambda _: _opaque_handle(element)
        position = positions.get(element)
        if position is None:
            position = positions[element] = len(self.tensors)
            self.tensors.append(element)
        if is_kept:
            return self._handle(element.op.inputs[0].dtype.base_dtype, position)
        return lambda values: values[position]

    def _enter_operation(self, op):
        if op not in self.targets:
            self.targets.append(op)
        return _nothing

    def _handle(self, dtype, position):
        from tfcore.client.tensor_handle import TensorHandle  # here, because few programs need it

        self.as_is, session = False, self.session
        return lambda values: TensorHandle(values[position].decode(), dtype, session)


def _nothing(_):
    return None


def _opaque_handle(tensor):
    """What a fetched handle of a queue, table, variable ... is outside of the graph: bytes that name it.

    Like TensorFlow's, the array can't be fed: the object stays where it is.
    """
    op = tensor.op
    handle = protos.ResourceHandleProto(device=op.device, name=op.name, maybe_type_name=op.type)
    return np.frombuffer(bytearray(handle.SerializeToString()), dtypes.np_resource)


IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
IndexedSlicesValue.__doc__ = "The value of an `IndexedSlices`, as returned by sessions. `dense_shape` may be None."

_STRUCTURED = {
    "IndexedSlices": (("values", "indices", "dense_shape"), IndexedSlicesValue),
    "SparseTensor": (("indices", "values", "dense_shape"), SparseTensorValue),
}


def feed_pairs(graph, feed_dict):
    """[(Tensor, value), ...] of a feed dictionary, with structured keys flattened.

    Raises:
      TypeError: a key that can't be fed. ValueError: a tensor that may not be fed, or is given twice.
    """
    pairs = []
    for key, value in feed_dict.items():
        _add_pairs(key, value, pairs)
    found = []
    for key, value in pairs:
        tensor = _feed_tensor(graph, key)
        if any(tensor is t for t, _ in found):
            raise ValueError(f"Tensor {tensor.name} is fed twice.")
        found.append((tensor, value))
    return found


def is_structured(key):
    """Whether a feed key stands for several tensors: a tuple, as LSTM states are, or a sparse tensor."""
    return isinstance(key, tuple) or type(key).__name__ in _STRUCTURED


def _parts(key):
    return key if isinstance(key, tuple) else [p for p in key.components() if p is not None]


def _add_pairs(key, value, pairs):
    """Appends (key, value) to `pairs`; if the key is a structure, the pairs of its parts, at any depth."""
    conversion = conversion_of(key) if conversions else None
    if conversion is not None:
        pairs.extend(converted_feed(conversion, key, value))
        return
    if not is_structured(key):
        pairs.append((key, value))
        return
    parts = _parts(key)
    try:
        values = list(value)
    except TypeError:
        values = [value]
    if not isinstance(key, tuple):
        values = values[: len(parts)]  # an IndexedSlicesValue has a field for the dense shape, which the key may lack
    if len(parts) != len(values):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(parts)} elements, but value had {len(values)} elements. "
            f"Key: {key}, value: {value}."
        )
    for part, part_value in zip(parts, values):
        _add_pairs(part, part_value, pairs)


def feed_tensors(graph, keys):
    """The Tensors of a list of feed keys; raises the same errors as feed_pairs."""
    found = []
    for key in keys:
        conversion = conversion_of(key) if conversions else None
        if conversion is not None:
            found.extend(_feed_tensor(graph, t) for t in converted_feed(conversion, key))
        else:
            found.extend(feed_tensors(graph, _parts(key)) if is_structured(key) else [_feed_tensor(graph, key)])
    return found


def _feed_tensor(graph, key):
    try:
        own = type(key) is Tensor and key.graph is graph
        tensor = key if own else graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0] if error.args else error}") from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor} may not be fed.")
    return tensor


def fetch_places(fetch, wanted, graph, devices):
    """For each tensor of a FetchPlan the full name of the device in whose memory its value stays, or None.

    wanted: the name of a device, or a dict from fetches to names. devices: a `compiler.devices.Devices`.

    Raises:
      ValueError: a key that is not fetched.
      InvalidArgumentError: no such device, or its memory can't have such a value.
    """
    if not isinstance(wanted, dict):
        wanted = dict.fromkeys(fetch.tensors, wanted)
    places = [None] * len(fetch.tensors)
    for key, name in wanted.items():
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        if tensor not in fetch.tensors:
            raise ValueError(f"`fetch_devices` has a device for {tensor.name}, which is not fetched.")
        found = devices.matching(parse(name))
        if not found:
            available = ", ".join(devices.names())
            raise errors.InvalidArgumentError(
                None, None, f"Cannot keep {tensor.name} on {name}: the available devices are {available}."
            )
        if not has_own_memory(found[0]):
            continue
        if tensor.dtype.base_dtype in (dtypes.string, dtypes.variant):
            raise errors.InvalidArgumentError(
                None, None, f"Cannot keep {tensor.name}, of type {tensor.dtype.base_dtype.name}, on {name}."
            )
        places[fetch.tensors.index(tensor)] = found[0]
    return places
