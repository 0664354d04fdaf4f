"""RNNCell, the base class of recurrent cells."""

import copy

from tfcore.framework.graph.graph import Graph, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.base import Layer
from tfcore.layers.settings import ACTIVATIONS
from tfcore.ops.array import array, constants
from tfcore.ops.array import join as array_join
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variable_scope import VariableScope, get_variable_scope, variable_scope
from tfcore.variables.variables import Variable


class RNNCell(Layer):
    """Base class of recurrent cells.

    `cell(inputs, state)` returns (output, new state) of one step. Subclasses override `state_size`, `output_size` and
    `call`.

    Args:
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: Further arguments of `Layer`.
    """

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_tf_rnn_cell = True
        self._entered_scope = None

    def __call__(self, inputs, state, scope=None):
        """Computes one step.

        Args:
          inputs: [batch, input_size], or whatever the cell takes.
          state: [batch, size] for each size in `state_size`, nested in the same way.
          scope: VariableScope or name for the variables; default: the name of the class.

        Returns:
          The output, [batch, output_size], and the new state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._note_variable) as scope:
                return super().__call__(inputs, state, scope=scope)
        if self._entered_scope is None:
            self._entered_scope = variable_scope(get_variable_scope(), custom_getter=self._note_variable)
        with self._entered_scope:
            return super().__call__(inputs, state)

    def __deepcopy__(self, memo):
        """A cell with the same settings. Variables, tensors and graphs that it refers to are not copied."""
        made = memo[id(self)] = type(self).__new__(type(self))
        for value in vars(self).values():
            memo.update((id(one), one) for one in _parts(value) if _stays_with_graph(one))
        vars(made).update(copy.deepcopy({**vars(self), "_entered_scope": None}, memo))
        return made

    def _convert(self, inputs):
        return nest.map_structure(
            lambda x: x if hasattr(x, "dtype") and hasattr(x, "op") else convert_to_tensor(x), inputs
        )

    def _note_variable(self, getter, *args, **kwargs):
        variable = getter(*args, **kwargs)
        self._add_variable(variable)
        return variable

    @property
    def state_size(self):
        """Size of the state: an int, a TensorShape, or a nest of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        """Size of the output: an int, a TensorShape, or a nest of them."""
        raise NotImplementedError("Abstract method")

    def build(self, _):
        """Does nothing: `call` may create variables itself."""

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Returns `zero_state` for a batch of inputs.

        Args:
          inputs: A `Tensor` of shape [batch, ...], from which batch size and type are taken.
          batch_size: An int or an int32 scalar `Tensor`; needed without `inputs`.
          dtype: The type of the state; needed without `inputs`.

        Returns:
          A `Tensor` or a nest of them, as `zero_state` returns.

        Raises:
          ValueError: Neither `inputs` nor both of `batch_size` and `dtype` are given, or they contradict each other.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            batch_size, dtype = _checked_batch(inputs, batch_size, dtype)
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """A state of zeros.

        Args:
          batch_size: An int or an int32 scalar `Tensor`.
          dtype: The type of the state.

        Returns:
          A `Tensor` of shape [batch_size, size] for each size in `state_size`, in its structure.
        """
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return nest.map_structure(lambda size: zeros_of(batch_size, size, dtype), self.state_size)


def _parts(value):
    """A value, and what the lists, tuples and dicts in it hold."""
    if isinstance(value, (list, tuple, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _parts(one)
    yield value


def _stays_with_graph(value):
    return isinstance(value, (Graph, Tensor, Variable, PartitionedVariable, VariableScope))


def _checked_batch(inputs, batch_size, dtype):
    """Batch size and dtype of the inputs; the given ones must be equal."""
    known = inputs.shape[0].value
    if batch_size is not None:
        given = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
        if known != given:
            raise ValueError(
                "batch size from input tensor is different from the input param. Input tensor batch: "
                f"{known}, batch_size: {batch_size}"
            )
    if dtype is not None and inputs.dtype != dtype:
        raise ValueError(
            "dtype from input tensor is different from the input param. Input tensor dtype: "
            f"{inputs.dtype}, dtype: {dtype}"
        )
    return known or array.shape(inputs)[0], inputs.dtype


class LayerRNNCell(RNNCell):
    """A cell that creates its variables once, in `build`, like other layers."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


# ---- Partially known shapes


def _vector(size):
    """A size as an int32 vector (None if unknown), and its static value as a list; see `joined_shape`."""
    if isinstance(size, Tensor):
        if size.shape.ndims == 0:
            known = constant_value(size)
            return array.expand_dims(size, 0), [None if known is None else int(known)]
        if size.shape.ndims != 1:
            raise ValueError(f"prefix tensor must be either a scalar or vector, but saw tensor: {size}")
        known = constant_value(size)
        return size, None if known is None else known.tolist()
    known = TensorShape(size)
    if not known.is_fully_defined():
        return None, None if known.ndims is None else known.as_list()
    return constant(known.as_list(), dtype=dtypes.int32), known.as_list()


def joined_shape(prefix, suffix):
    """A shape as a tensor: prefix and suffix are each an int, a TensorShape, or an int32 scalar or vector.

    Raises:
      ValueError: one of them is None.
    """
    first, second = _vector(prefix)[0], _vector(suffix)[0]
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    return array_join.concat([first, second], 0)


def static_shape(prefix, suffix):
    """What is known statically about the same shape, as a TensorShape."""
    parts = []
    for size in (prefix, suffix):
        if isinstance(size, Tensor):
            known = constant_value(size)
            parts.append(
                TensorShape([None] if size.shape.ndims == 0 else None) if known is None else TensorShape(known)
            )
        else:
            parts.append(TensorShape(size))
    return parts[0].concatenate(parts[1])


def zeros_of(batch_size, size, dtype):
    """Zeros of shape [batch_size, size]; both may be tensors."""
    zeros = constants.zeros(joined_shape(batch_size, size), dtype=dtype)
    zeros.set_shape(static_shape(batch_size, size))
    return zeros


# ---- Checks


def assert_like_rnncell(name, cell):
    """Raises TypeError unless `cell` has the interface of a recurrent cell."""
    missing = [
        text
        for text, found in (
            ("'output_size' property is missing", _has(cell, "output_size")),
            ("'state_size' property is missing", _has(cell, "state_size")),
            (
                "either 'zero_state' or 'get_initial_state' method is required",
                _has(cell, "get_initial_state") or _has(cell, "zero_state"),
            ),
            ("is not callable", callable(cell)),
        )
        if not found
    ]
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def _has(value, name):
    """Like hasattr, but true for properties that raise anything but AttributeError."""
    try:
        return hasattr(value, name)
    except NotImplementedError:
        return True


def check_float(dtype):
    """Raises ValueError unless it is a floating-point or complex type, or None."""
    if dtype is None:
        return
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {dtype!r}")


def check_float_inputs(*values):
    for value in nest.flatten(values):
        check_float(value.dtype)


def activation_function(activation, default):
    """The activation function: `activation` or the function of that name; `default` for None."""
    if not activation:
        return default
    if callable(activation):
        return activation
    if activation in ACTIVATIONS:
        return ACTIVATIONS[activation]
    raise ValueError(f"Unknown activation function:{activation}")


def input_depth(shape):
    """The last dimension of the inputs of a cell, which must be known."""
    depth = shape[-1].value
    if depth is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {shape}")
    return depth
