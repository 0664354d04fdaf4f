"""The loss of connectionist temporal classification (CTC): labels of sequences without their places."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.conv.conv import one_of
from tfcore.ops.cwise.cast import cast


def _loss_shape(op):
    inputs = with_rank(op.inputs[0].dims, 3)
    indices, values = with_rank(op.inputs[1].dims, 2), with_rank(op.inputs[2].dims, 1)
    merge_dim(indices[0], values[0])
    batch = merge_dim(inputs[1], with_rank(op.inputs[3].dims, 1)[0])
    return [(batch,), (inputs[0], batch, inputs[2])]


CTCLoss = define_op(
    "CTCLoss",
    inputs=["inputs: T", "labels_indices: int64", "labels_values: int32", "sequence_length: int32"],
    outputs=["loss: T", "gradient: T"],
    attrs=[
        "preprocess_collapse_repeated: bool = false",
        "ctc_merge_repeated: bool = true",
        "ignore_longer_outputs_than_inputs: bool = false",
        "T: {float, double} = DT_FLOAT",
    ],
    shape=_loss_shape,
    doc="The CTC loss of each sequence of logits, and its gradient.",
)


@gradient("CTCLoss")
def _loss_grad(op, grad, _):
    once = array_ops.PreventGradient(
        op.outputs[1], message="ctc_loss has no second derivative, since the op computes the first one itself"
    )
    return [array_ops.reshape(grad, [1, -1, 1]) * once, None, None, None]


def ctc_loss(
    labels,
    inputs=None,
    sequence_length=None,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
    time_major=True,
    logits=None,
):
    """The CTC loss: the negative log probability of labels that are not aligned with the steps.

    Source: A. Graves et al., "Connectionist Temporal Classification: Labelling Unsegmented Sequence Data with Recurrent
    Neural Networks", ICML 2006. The last class is the blank: no label in this step.

    Args:
      labels: An int32 `SparseTensor` [batch, most labels], at least one label for each sequence.
      inputs: Logits, a `Tensor` of a floating-point type and shape [time, batch, classes].
      sequence_length: The steps of each sequence, an int32 `Tensor` [batch].
      preprocess_collapse_repeated: Whether adjacent equal labels are merged before the loss is computed.
      ctc_merge_repeated: Whether a class in several steps, without a blank between them, is one label.
      ignore_longer_outputs_than_inputs: Whether the loss of a sequence with more labels than steps is 0, not an error.
      time_major: Whether the first dimension of `inputs` is the time, not the batch.
      logits: Other name of `inputs`.

    Returns:
      A `Tensor` of the type of `inputs` and shape [batch].

    Raises:
      TypeError: `labels` is not a `SparseTensor`.
      ValueError: The shapes don't fit together, or `inputs` is given by both names.

    Example:

    >>> logits = np.zeros([4, 1, 3], np.float32)
    >>> labels = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 0]), [1, 2])
    >>> print(sess.run(tf.nn.ctc_loss(labels, logits, [4])))
    [1.686399]
    """
    if not isinstance(labels, (SparseTensor, SparseTensorValue)):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: "
            f"{type(labels).__name__}"
        )
    labels = SparseTensor.from_value(labels)
    inputs = convert_to_tensor(one_of("logits", logits, "inputs", inputs), name="logits")
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    given = inputs.dtype
    if given in (dtypes.float16, dtypes.bfloat16):
        inputs = cast(inputs, dtypes.float32)
    loss, _ = CTCLoss(
        inputs,
        labels.indices,
        labels.values,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return cast(loss, given)
