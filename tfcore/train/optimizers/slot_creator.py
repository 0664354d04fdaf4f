"""Variables that accompany others: the accumulators of optimizers, moving averages.

The slot NAME of variable `w` is named `w/NAME`, is on the device of `w` and is not trained.
"""

import functools

import tfcore.variables.initializers as init_ops
from tfcore.framework.graph.graph import colocate_with, control_dependencies
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array import array, constants
from tfcore.variables.resource_variable import is_resource_variable
from tfcore.variables.variable_scope import get_variable_scope
from tfcore.variables.variables import Variable


def _make(primary, initial, dtype, name, validate_shape, colocate_with_primary):
    graph, scope = primary.op.graph, get_variable_scope().name
    make = functools.partial(_new, graph, scope, primary, initial, dtype, name, validate_shape, colocate_with_primary)
    mode = graph.scopes.strategy_mode
    return make() if mode is None else mode.slot(primary, f"{scope}/{name}", make)


def _new(graph, scope, primary, initial, dtype, name, validate_shape, colocate_with_primary):
    prefix = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    slot = Variable._new_slot(
        graph,
        initial,
        f"{scope}/{prefix}/{name}" if scope else f"{prefix}/{name}",
        dtype,
        validate_shape,
        primary.op if colocate_with_primary else None,
        is_resource_variable(primary) if isinstance(primary, Variable) else None,
    )
    info = getattr(primary, "_save_slice_info", None)
    rank = slot.shape.ndims
    if info is not None and rank != 0:
        slot._set_save_slice_info(
            Variable.SaveSliceInfo(
                info.full_name + "/" + slot.op.name[len(primary.op.name) + 1 :],
                info.full_shape[:rank],
                info.var_offset[:rank],
                info.var_shape[:rank],
            )
        )
    return slot


def create_slot(primary, val, name, colocate_with_primary=True):
    """A slot whose initial value is the Tensor `val`."""
    return _make(primary, val, None, name, val.shape.is_fully_defined(), colocate_with_primary)


def create_slot_with_initializer(primary, initializer, shape, dtype, name, colocate_with_primary=True):
    """A slot whose initial value is initializer(shape, dtype), or initializer() if the shape is not known."""
    shape = TensorShape(shape)
    dtype = dtype.base_dtype
    if isinstance(initializer, Tensor):
        return _make(primary, initializer, dtype, name, shape.is_fully_defined(), colocate_with_primary)
    if shape.is_fully_defined():
        dims = shape.as_list()
        return _make(primary, lambda: initializer(dims, dtype=dtype), dtype, name, True, colocate_with_primary)
    return _make(primary, initializer, dtype, name, False, colocate_with_primary)


_zeros = init_ops.Zeros()


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """A slot of the shape and type of `primary`, initialized to zero."""
    dtype = (primary.dtype if dtype is None else dtype).base_dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, _zeros, shape, dtype, name, colocate_with_primary)
    with colocate_with(primary.op), control_dependencies(None):
        value = primary.initialized_value() if isinstance(primary, Variable) else primary
        zeros = constants.zeros(array.shape(value), dtype)
    return create_slot(primary, zeros, name, colocate_with_primary)
