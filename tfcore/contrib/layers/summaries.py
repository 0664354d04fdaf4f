"""tf.contrib.layers.summarize_*: summaries of tensors, and of those in a collection."""

import functools
import re

from tfcore.framework.graph.graph import GraphKeys, get_collection
from tfcore.framework.types import dtypes
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import greater, less
from tfcore.ops.reduce.reduce import reduce_mean
from tfcore.summary import summaries


def summarize_activation(op):
    """A summary of the output of a layer; for a ReLU or a softplus also of how many of its inputs are below 0.

    Args:
      op: The `Tensor`.

    Returns:
      The summary of the values: a string `Tensor`. For ReLU6 there is also one of how many of its inputs are above 6.

    Raises:
      AttributeError: `op` is not a `Tensor`.
    """
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        _share(less, op, 0.0, "zeros")
    if op.op.type == "Relu6":
        _share(greater, op, 6.0, "sixes")
    return summaries.histogram(f"{op.op.name}/activation", op)


def _share(compare, op, limit, name):
    inputs = op.op.inputs[0]
    share = reduce_mean(cast(compare(inputs, cast(limit, inputs.dtype)), dtypes.float32))
    summaries.scalar(f"{op.op.name}/{name}", share)


def summarize_tensor(tensor, tag=None):
    """A summary of a tensor: of its value for a scalar, else a histogram.

    Args:
      tensor: The `Tensor` or `Variable`.
      tag: Name of the summary, by default that of the tensor and "_summary".

    Returns:
      A string `Tensor`; None for strings and booleans, which have no summaries.

    Raises:
      AttributeError: `tensor` is neither.
    """
    if tensor.dtype.base_dtype in (dtypes.string, dtypes.bool):
        return None
    add = summaries.scalar if tensor.shape.ndims == 0 else summaries.histogram
    return add(tag or f"{tensor.op.name}_summary", tensor)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    """Summaries of several tensors.

    Args:
      tensors: A list of `Tensor`s.
      summarizer: The function that makes the summary of one.

    Returns:
      A list of what `summarizer` returns.

    Raises:
      TypeError: `tensors` cannot be iterated over.
    """
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summaries of the tensors in a collection of the default graph.

    Args:
      collection: Name of the collection.
      name_filter: A regular expression; only tensors whose names match it from the start have summaries (optional).
      summarizer: The function that makes the summary of one.

    Returns:
      A list of what `summarizer` returns.

    Raises:
      re.error: `name_filter` is not a regular expression.
    """
    found = get_collection(collection)
    if name_filter is not None:
        found = [item for item in found if re.match(name_filter, item.op.name)]
    return summarize_tensors(found, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Summaries of the tensors in the collection ACTIVATIONS.

    Args:
      name_filter: A regular expression; only tensors whose names match it from the start have summaries (optional).
      summarizer: The function that makes the summary of one.

    Returns:
      A list of what `summarizer` returns.

    Raises:
      re.error: `name_filter` is not a regular expression.
    """
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
