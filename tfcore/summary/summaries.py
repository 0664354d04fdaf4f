"""Functions that add summary operations to a graph: tf.summary.scalar and the like."""

import contextlib
import re

from tfcore.framework import protos
from tfcore.framework.graph.graph import GraphKeys, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.summary.audio import AudioSummaryV2
from tfcore.ops.summary.image import ImageSummary
from tfcore.ops.summary.summary import HistogramSummary, MergeSummary, ScalarSummary, TensorSummaryV2
from tfcore.platform import tf_logging


def scalar(name, tensor, collections=None, family=None):
    """Summarizes a number.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard.
      tensor: A scalar `Tensor` of a real type.
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].
      family: Prefix of the tag, by which TensorBoard groups (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary.

    Raises:
      TypeError: `tensor` is not of a real type.

    Example:

    >>> loss = tf.constant(0.5)
    >>> summary = tf.summary.scalar("loss", loss)
    >>> value = tf.Summary.FromString(sess.run(summary)).value[0]
    >>> print(value.tag, value.simple_value)
    loss 0.5
    """
    with _summary_scope(name, family, [tensor]) as (tag, scope):
        result = ScalarSummary(tags=tag, values=tensor, name=scope)
    return _collected(result, collections, [GraphKeys.SUMMARIES])


def input_pipeline(iterator, name="iterator", collections=None):
    """Summarizes how well a `tf.data.Iterator` keeps up with the steps.

    The summaries are `iterator/fraction_full`, how full the buffer of the last `prefetch` or other stage with threads
    of its own is, and `iterator/seconds_waited`, for how long all steps so far have taken elements. A buffer that is
    empty means that training waits, like an empty queue.

    Args:
      iterator: A `tf.data.Iterator`.
      name: Name scope of the summaries, and so the beginning of their tags.
      collections: List of the collections to add the summaries to; by default [GraphKeys.SUMMARIES].

    Returns:
      A list of two scalar `Tensor`s of type string, serialized Summaries.

    Raises:
      Nothing.
    """
    with name_scope(name):
        full, seconds = iterator.statistics()
        return [scalar("fraction_full", full, collections), scalar("seconds_waited", seconds, collections)]


def histogram(name, values, collections=None, family=None):
    """Summarizes how values are distributed.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard.
      values: A `Tensor` of a real type, of any shape.
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].
      family: Prefix of the tag, by which TensorBoard groups (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary. Its operation fails with InvalidArgumentError if a value
      is NaN or infinite.

    Raises:
      TypeError: `values` are not of a real type.
    """
    with _summary_scope(name, family, [values], "HistogramSummary") as (tag, scope):
        result = HistogramSummary(tag=tag, values=values, name=scope)
    return _collected(result, collections, [GraphKeys.SUMMARIES])


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Summarizes images, as PNG files.

    Bytes are taken as they are. Other types are scaled, each image for itself: if no value is negative, so that the
    largest is 255; else so that 0 becomes 128 and the largest absolute value 127 more or less than that. Pixels that
    are not finite become red, those of gray images white.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard, followed by "/image" or,
        if `max_outputs` is not 1, by "/image/0", "/image/1" and so on.
      tensor: A `Tensor` of type uint8, float16, float32 or float64, [batch, height, width, channels], with 1 channel
        (gray), 3 (red, green, blue) or 4 (with alpha).
      max_outputs: How many images of the batch are summarized at most.
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].
      family: Prefix of the tag, by which TensorBoard groups (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary. Its operation fails with InvalidArgumentError if the
      shape is another one, or without pixels.

    Raises:
      TypeError: `tensor` is not of one of these types.
      ValueError: `max_outputs` is less than 1.

    Example:

    >>> summary = tf.summary.image("ramp", tf.reshape(tf.range(12.0), [1, 3, 4, 1]), max_outputs=1)
    >>> value = tf.Summary.FromString(sess.run(summary)).value[0]
    >>> print(value.tag, value.image.height, value.image.width, value.image.encoded_image_string[1:4])
    ramp/image 3 4 b'PNG'
    """
    with _summary_scope(name, family, [tensor]) as (tag, scope):
        result = ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=scope)
    return _collected(result, collections, [GraphKeys.SUMMARIES])


def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """Summarizes sounds, as WAV files with 16 bits a sample.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard, followed by "/audio" or,
        if `max_outputs` is not 1, by "/audio/0", "/audio/1" and so on.
      tensor: A `Tensor` of type float32, [batch, frames, channels] or [batch, frames], from -1 to 1; what lies outside
        is cut off.
      sample_rate: Frames a second, in Hz: a scalar `Tensor` of type float32.
      max_outputs: How many sounds of the batch are summarized at most.
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].
      family: Prefix of the tag, by which TensorBoard groups (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary. Its operation fails with InvalidArgumentError if there
      are no frames or channels, or more than a file can have, or if the rate is not positive.

    Raises:
      TypeError: `tensor` is not of type float32.
      ValueError: `max_outputs` is less than 1.
    """
    with _summary_scope(name, family, [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        result = AudioSummaryV2(tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope)
    return _collected(result, collections, [GraphKeys.SUMMARIES])


def text(name, tensor, collections=None):
    """Summarizes strings, which TensorBoard shows as Markdown.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard.
      tensor: A `Tensor` of type string.
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].

    Returns:
      A scalar `Tensor` of type string, a serialized Summary.

    Raises:
      ValueError: The tensor is of another type.
    """
    if tensor.dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    plugin = protos.SummaryMetadata.PluginData(plugin_name="text")
    return tensor_summary(name, tensor, None, collections, protos.SummaryMetadata(plugin_data=plugin))


def tensor_summary(
    name,
    tensor,
    summary_description=None,
    collections=None,
    summary_metadata=None,
    family=None,
    display_name=None,
):
    """Summarizes a tensor for a plugin of TensorBoard.

    Args:
      name: Name of the operation, which with the name scopes is also the tag in TensorBoard.
      tensor: A `Tensor`.
      summary_description: Text that describes the tensor (optional).
      collections: List of the collections to add the summary to; by default [GraphKeys.SUMMARIES].
      summary_metadata: A SummaryMetadata, which says which plugin shows the tensor (optional).
      family: Prefix of the tag, by which TensorBoard groups (optional).
      display_name: Name that TensorBoard shows (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary.

    Raises:
      TypeError: `tensor` is not convertible to a `Tensor`, or `summary_metadata` is not a SummaryMetadata.
    """
    metadata = protos.SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(protos.as_message(protos.SummaryMetadata, summary_metadata))
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with _summary_scope(name, family, [tensor]) as (tag, scope):
        result = TensorSummaryV2(
            tag=tag, tensor=tensor, serialized_summary_metadata=metadata.SerializeToString(), name=scope
        )
    return _collected(result, collections, [GraphKeys.SUMMARIES])


def merge(inputs, collections=None, name=None):
    """Merges summaries.

    Args:
      inputs: List of `Tensor`s of type string, serialized Summaries.
      collections: List of the collections to add the result to; by default none.
      name: Name of the operation (optional).

    Returns:
      A scalar `Tensor` of type string, a serialized Summary with all values. Its operation fails with
      InvalidArgumentError if a tag occurs twice.

    Raises:
      TypeError: A tensor is not of type string.
      ValueError: There are no tensors.
    """
    inputs = [convert_to_tensor(x) for x in inputs]
    name = _clean_tag(name)
    with name_scope(name, "Merge", inputs):
        result = MergeSummary(inputs=inputs, name=name)
    return _collected(result, collections, [])


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """Merges all summaries of a collection of the default graph.

    Args:
      key: Name of the collection.
      scope: Regular expression with which the names of the summaries have to begin (optional).
      name: Name of the operation (optional).

    Returns:
      A scalar `Tensor` of type string; None if there are no summaries.

    Raises:
      re.error: `scope` is not a regular expression.

    Example:

    >>> x = tf.constant([1.0, 2.0])
    >>> summaries = tf.summary.scalar("average", tf.reduce_mean(x)), tf.summary.histogram("x", x)
    >>> summary = tf.Summary.FromString(sess.run(tf.summary.merge_all()))
    >>> [value.tag for value in summary.value]
    ['average', 'x']
    """
    summaries = get_default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def all_v2_summary_ops():
    """The summary operations of TensorFlow 2 in the default graph: there are none.

    Returns:
      An empty list.
    """
    return []


def initialize(graph=None, session=None):
    """Raises an error: only writers of TensorFlow 2 need it. A `FileWriter` takes a graph when it is made.

    Args:
      graph: A `Graph` (optional).
      session: A `Session` (optional).

    Raises:
      RuntimeError: In any case.
    """
    raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")


def get_summary_description(node_def):
    """What a summary operation says of its summary.

    Args:
      node_def: The NodeDef of an operation of type TensorSummary.

    Returns:
      A SummaryDescription.

    Raises:
      ValueError: The operation is of another type.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format  # here: few programs need it

    return json_format.Parse(node_def.attr["description"].s.decode(), protos.SummaryDescription())


def _collected(summary, collections, default):
    for key in default if collections is None else collections:
        get_default_graph().add_to_collection(key, summary)
    return summary


_NOT_IN_TAGS = re.compile(r"[^-/\w.]")


def _clean_tag(name):
    """A name that an operation can have, too."""
    if name is None:
        return None
    cleaned = _NOT_IN_TAGS.sub("_", name).lstrip("/")
    if cleaned != name:
        tf_logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextlib.contextmanager
def _summary_scope(name, family, values, default_name=None):
    """A name scope; yields the tag, and the scope, which is the name of the operation."""
    name, family = _clean_tag(name), _clean_tag(family)
    with name_scope(name if family is None else f"{family}/{name}", default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope
