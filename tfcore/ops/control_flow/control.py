"""Ops that only order other ops: no_op, group, tuple, with_dependencies."""

import contextlib

from tfcore.framework.definitions.op_def import define_op, get_op_def
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import control_dependencies, device, get_default_graph, name_scope
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices

NoOp = define_op("NoOp", doc="Does nothing; its control inputs run before it.")

_python_tuple = tuple


@described(
    NoOp,
    example="""
    >>> step = tf.Variable(0)
    >>> sess.run(step.initializer)
    >>> with tf.control_dependencies([step.assign_add(1)]):
    ...     done = tf.no_op()
    ...
    >>> sess.run(done)
    >>> print(sess.run(step))
    1
    """,
)
def no_op(name=None):
    """Does nothing: a target that runs its control inputs."""
    return NoOp(name=name)


def group(*inputs, **kwargs):
    """Makes an operation that runs after all `inputs`.

    Args:
      *inputs: Operations, tensors, variables, or nests of them.
      **kwargs: Only `name`, the name of the operation.

    Returns:
      The `Operation`; it has no outputs.

    Raises:
      TypeError: An input is neither a tensor nor an operation.
      ValueError: There is a keyword argument other than `name`.

    Example:

    >>> x, y = tf.Variable(1.0), tf.Variable(2.0)
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(tf.group(x.assign_add(10.0), y.assign_add(10.0)))
    >>> print(sess.run([x, y]))
    [np.float32(11.0), np.float32(12.0)]
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    flat = list(_flatten(inputs))
    for item in flat:
        if not hasattr(item, "device"):
            raise TypeError(
                f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type '{type(item)}'."
            )
    with name_scope(name, "group_deps", flat) as scope:
        by_device = {}
        for item in flat:
            by_device.setdefault(item.device or "", []).append(item)
        if len(by_device) <= 1:
            return _after(flat, next(iter(by_device), ""), scope)
        # One gate for each device, so that each pair of devices needs at most one control edge.
        gates = [_after(items, name) for name, items in sorted(by_device.items())]
        return _after(gates, "", scope)


def _after(inputs, device_name, name=None):
    placed = device(device_name) if device_name else contextlib.nullcontext()
    with control_dependencies(inputs), placed:
        return no_op(name=name)


def _flatten(values):
    """The leaves of nested lists, tuples and dicts; IndexedSlices and variables are leaves."""
    for value in values:
        if isinstance(value, dict):
            yield from _flatten([value[key] for key in sorted(value)])
        elif isinstance(value, (list, _python_tuple)):
            yield from _flatten(value)
        else:
            yield value


def tuple(tensors, name=None, control_inputs=None):
    """Passes tensors on once all of them, and all of `control_inputs`, are computed.

    Args:
      tensors: A list of `Tensor`s, `IndexedSlices`, `Operation`s or None.
      name: Prefix of the names of the operations (optional).
      control_inputs: A list of `Operation`s and `Tensor`s that must also have run.

    Returns:
      A list with an equal `Tensor` (or `IndexedSlices`, `Operation`, None) for each of `tensors`.

    Raises:
      ValueError: There is no tensor or operation in `tensors`.
      TypeError: `control_inputs` contains something else.

    Example:

    >>> a, b = tf.tuple([tf.constant(1.0), tf.constant(2.0)])
    >>> print(sess.run(a + b))
    3.0
    """
    with name_scope(name, "tuple", [t for t in tensors if t is not None]):
        tensors = [t if t is None or _is_element(t) else convert_to_tensor(t) for t in tensors]
        gating = [_op_of(t) for t in tensors if t is not None]
        for item in control_inputs or ():
            if not isinstance(item, (Tensor, Operation)):
                raise TypeError(f"'control_inputs' must only contain Operation or Tensor. Received: {type(item)}")
            gating.append(_op_of(item))
        gating = sorted(set(gating), key=lambda op: op._id)
        if not gating:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*gating)
        return [_behind(gate, t) for t in tensors]


def _is_element(value):
    return isinstance(value, (Tensor, Operation, IndexedSlices))


def _op_of(value):
    return value if isinstance(value, Operation) else value.op


def _behind(gate, value):
    if value is None:
        return None
    if isinstance(value, Operation):
        return group(gate, value)
    return with_dependencies([gate], value)


def with_dependencies(dependencies, output_tensor, name=None):
    """`output_tensor` (a tensor or IndexedSlices), available only after the dependencies ran."""
    dependencies = list(dependencies)
    with name_scope(name, "control_dependency", [*dependencies, output_tensor]) as scope:
        colocated = output_tensor.op if _is_element(output_tensor) else None
        graph = get_default_graph()
        with control_dependencies(dependencies):
            if colocated is None:
                return _identity(convert_to_tensor(output_tensor), scope)
            with graph.colocate_with(colocated):
                if isinstance(output_tensor, IndexedSlices):
                    values = _identity(output_tensor.values, scope)
                    return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
                return _identity(output_tensor, scope)


def _identity(tensor, name):
    kind = "RefIdentity" if tensor.dtype._is_ref_dtype else "Identity"
    return get_op_def(kind)(tensor, name=name)
