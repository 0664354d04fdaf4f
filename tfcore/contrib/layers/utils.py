"""What the layers have in common: collections of outputs and variables, conditions, sizes."""

from tfcore.contrib.framework.variables import model_variable
from tfcore.framework.graph.graph import add_to_collection, add_to_collections, get_collection
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value as tensor_value
from tfcore.ops.control_flow.cond import cond
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.variables import Variable


def collect_named_outputs(collections, alias, outputs):
    """Adds a tensor to collections and notes another name for it.

    Args:
      collections: A collection or a list of them; None for none.
      alias: The other name, which is added to the list `outputs.aliases`.
      outputs: A `Tensor`.

    Returns:
      `outputs`, a `Tensor`.

    Raises:
      Nothing.
    """
    if collections:
        outputs.aliases = [*getattr(outputs, "aliases", ()), alias.removesuffix("/")]
        add_to_collections(collections, outputs)
    return outputs


def constant_value(value_or_tensor_or_var, dtype=None):
    """The value if it is known while the graph is built.

    Args:
      value_or_tensor_or_var: A value, `Tensor` or `Variable`.
      dtype: The `DType` that a tensor or variable must have (optional).

    Returns:
      The value itself, that of a constant tensor, or None.

    Raises:
      ValueError: It is None or has another type.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, (Tensor, Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if isinstance(value, Variable) else tensor_value(value)


def static_cond(pred, fn1, fn2):
    """Calls one of two functions.

    Args:
      pred: A condition, known while the graph is built.
      fn1: A function without arguments for a true condition.
      fn2: A function without arguments for a false one.

    Returns:
      What the function returns.

    Raises:
      TypeError: A function can't be called.
    """
    if not callable(fn1):
        raise TypeError("fn1 must be callable.")
    if not callable(fn2):
        raise TypeError("fn2 must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
    """`tf.cond`, or only one of the functions if the condition is known while the graph is built.

    Args:
      pred: A bool, or a scalar `Tensor` or `Variable` of type bool.
      fn1: A function without arguments for a true condition.
      fn2: A function without arguments for a false one.
      name: Prefix of the names of the operations.

    Returns:
      What the function returns.

    Raises:
      TypeError: A function can't be called.
    """
    value = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if value is None else static_cond(value, fn1, fn2)


def get_variable_collections(variables_collections, name):
    """The collections for one kind of variable.

    Args:
      variables_collections: A list of collections, or a dict from kinds of variables to such lists.
      name: The kind of variable, such as "weights".

    Returns:
      A list of collections, or None.

    Raises:
      Nothing.
    """
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def _dimension(shape, index, min_rank):
    if shape.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.ndims}")
    size = shape.as_list()[index]
    if size is None:
        raise ValueError(f"dimension {index} of shape must be known but is None: {shape}")
    return size


def channel_dimension(shape, data_format, min_rank=1):
    """The number of channels.

    Args:
      shape: A `TensorShape`.
      data_format: "channels_last" or "channels_first".
      min_rank: The least rank.

    Returns:
      An int.

    Raises:
      ValueError: The rank is too small or the size is not known.
    """
    return _dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape, min_rank=1):
    """The size of the last dimension.

    Args:
      shape: A `TensorShape`.
      min_rank: The least rank.

    Returns:
      An int.

    Raises:
      ValueError: The rank is too small or the size is not known.
    """
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple):
    """(n, n) for an int; two ints are unchanged.

    Args:
      int_or_tuple: An int, or a list, tuple or `TensorShape` of two.

    Returns:
      A tuple of two ints.

    Raises:
      ValueError: It is none of these.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, TensorShape) and len(int_or_tuple) == 2:
        return int_or_tuple[0], int_or_tuple[1]
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n, value):
    """(value, ...) n times for an int; n ints are unchanged.

    Args:
      n: A positive int.
      value: A positive int or a sequence of n of them.

    Returns:
      A tuple of n ints.

    Raises:
      ValueError: A number is not positive, or the sequence has another length.
    """
    if int(n) < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * int(n)
    except (TypeError, ValueError):
        text = f"Expected sequence of {n} positive integers, but received {value!r}"
        if len(value) != n:
            raise ValueError(text) from None
        try:
            values = tuple(int(x) for x in value)
        except (TypeError, ValueError):
            raise ValueError(text) from None
    for x in values:
        if x < 1:
            raise ValueError(f"expected positive integer, but received {x}")
    return values


# ---- Not public


def channels_name(data_format, known=("NHWC", "NCHW")):
    """channels_first or channels_last for a layout of TensorFlow's operations."""
    if data_format not in known:
        names = " or ".join(sorted(known))
        raise ValueError(f"data_format has to be either {names}.")
    return "channels_first" if data_format.startswith("NC") else "channels_last"


def variable_getter(rename=None):
    """A custom getter that makes model variables; `rename` maps the names of tf.layers to those of contrib."""

    def get(getter, name, shape=None, dtype=None, constraint=None, **kwargs):
        head, slash, last = name.rpartition("/")
        name = head + slash + (rename or {}).get(last, last)
        kwargs = {k: v for k, v in kwargs.items() if k in _PASSED}
        return model_variable(name, shape=shape, dtype=dtype, custom_getter=getter, **kwargs)

    return get


_PASSED = frozenset(
    "initializer regularizer trainable collections caching_device partitioner use_resource synchronization "
    "aggregation".split()
)


def collect_variable(variable, variables_collections, name):
    """Adds a variable of a layer, or its parts, to the collections for its kind."""
    for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
        for collection in get_variable_collections(variables_collections, name) or ():
            if all(part is not known for known in get_collection(collection)):
                add_to_collection(collection, part)


def normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn):
    """The last two steps of most layers."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)
