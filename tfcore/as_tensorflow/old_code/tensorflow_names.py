"""Names of TensorFlow 0.5 to 0.12 that TensorFlow 1 took away or gave another order of arguments.

A function that still exists takes both orders: what tells them apart is the type of an argument that would be an error
in TensorFlow 1, such as an axis in place of the tensors.
"""

import functools
import numbers

import tfcore as tf
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.summary.image import ImageSummary
from tfcore.ops.summary.summary import HistogramSummary, MergeSummary, ScalarSummary

_BATCH = """
    cholesky cholesky_solve matrix_band_part matrix_determinant matrix_diag matrix_diag_part matrix_inverse
    matrix_set_diag matrix_solve matrix_solve_ls matrix_transpose matrix_triangular_solve self_adjoint_eig
    self_adjoint_eigvals svd fft fft2d fft3d ifft ifft2d ifft3d
"""
_RNN = {
    "bidirectional_rnn": "static_bidirectional_rnn",
    "rnn": "static_rnn",
    "state_saving_rnn": "static_state_saving_rnn",
}

# Module below `tensorflow` -> name -> name in tf, or, with "." before it, in this module.
NAMES = {
    "": {
        **{f"batch_{name}": name for name in _BATCH.split()},
        **{name: f".{name}" for name in ("audio_summary", "histogram_summary", "image_summary", "scalar_summary")},
        **{name: f".{name}" for name in ("batch_matmul", "concat", "merge_summary", "split")},
        "complex_abs": "abs",
        "inv": "reciprocal",
        "listdiff": "setdiff1d",
        "merge_all_summaries": "summary.merge_all",
        "mul": "multiply",
        "neg": "negative",
        "ones": ".ones",
        "pack": "stack",
        "select": "where",
        "sub": "subtract",
        "unpack": "unstack",
        "zeros": ".zeros",
    },
    "image": {
        "per_image_whitening": "image.per_image_standardization",
        "random_crop": "random_crop",
        "resize_images": ".resize_images",
        "saturate_cast": "saturate_cast",
    },
    "nn": {
        **{name: f"nn.{now}" for name, now in _RNN.items()},
        **{name: f".{name}" for name in ("nce_loss", "sampled_softmax_loss")},
        "seq2seq": "contrib.legacy_seq2seq",
        "sigmoid_cross_entropy_with_logits": ".sigmoid_cross_entropy_with_logits",
        "softmax_cross_entropy_with_logits": ".softmax_cross_entropy_with_logits",
        "sparse_softmax_cross_entropy_with_logits": ".sparse_softmax_cross_entropy_with_logits",
    },
    "python.ops.rnn": {name: f"nn.{now}" for name, now in _RNN.items()},
    "train": {"SummaryWriter": "summary.FileWriter"},
}


# Modules that are gone -> the module that stands for them; "" is a package.
MODULES = {
    "models": "",
    "models.rnn": "",
    "models.rnn.rnn": "python.ops.rnn",
    "models.rnn.rnn_cell": "python.ops.rnn_cell",
    "models.rnn.seq2seq": "contrib.legacy_seq2seq",
    "python.ops.seq2seq": "contrib.legacy_seq2seq",
}


# ---- Functions with another order of arguments


def _is_number(value):
    """Whether it is one number, also as a tensor."""
    rank = value.shape.ndims if isinstance(value, tf.Tensor) else getattr(value, "ndim", None)
    return isinstance(value, numbers.Integral) or rank == 0


def _in_old_order(args, named, name, place):
    """Whether a dimension comes first, and the tensors at `place` or by their name."""
    if not args or not _is_number(args[0]):
        return False
    return name in named or (len(args) > place and not _is_number(args[place]))


def _new_concat(values=None, axis=None, name="concat", *, concat_dim=None):
    return tf.concat(values, concat_dim if axis is None else axis, name=name)


def _old_concat(concat_dim, values, name="concat"):
    return tf.concat(values, concat_dim, name=name)


def concat(*args, **named):
    """tf.concat, also as concat(concat_dim, values, name)."""
    old = _in_old_order(args, named, "values", 1)
    return (_old_concat if old else _new_concat)(*args, **named)


def _new_split(
    value=None, num_or_size_splits=None, axis=None, num=None, name="split", *, split_dim=None, num_split=None
):
    sizes = num_split if num_or_size_splits is None else num_or_size_splits
    if axis is None:
        axis = 0 if split_dim is None else split_dim
    return tf.split(value, sizes, axis, num=num, name=name)


def _old_split(split_dim, num_split, value, name="split"):
    return tf.split(value, num_split, split_dim, name=name)


def split(*args, **named):
    """tf.split, also as split(split_dim, num_split, value, name)."""
    old = _in_old_order(args, named, "value", 2)
    return (_old_split if old else _new_split)(*args, **named)


def batch_matmul(x, y, adj_x=False, adj_y=False, name=None):
    """tf.matmul, by its older name and with the older names of its arguments."""
    return tf.matmul(x, y, adjoint_a=adj_x, adjoint_b=adj_y, name=name)


def resize_images(images, *size, new_height=None, new_width=None, **options):
    """tf.image.resize_images, also as resize_images(images, new_height, new_width)."""
    sizes = [new_height, new_width]
    rest = list(size)
    while rest and None in sizes and _is_number(rest[0]):
        sizes[sizes.index(None)] = rest.pop(0)
    if None not in sizes:
        options["size"] = sizes
        options.update(zip(("method", "align_corners"), rest))
        return tf.image.resize_images(images, **options)
    return tf.image.resize_images(images, *size, **options)


def _with_whole_floats(function):
    @functools.wraps(function)
    def of_any_numbers(shape, *args, **options):
        """The function of this name in tf, also with dimensions such as 1e4."""
        if isinstance(shape, (list, tuple)):
            shape = [int(d) if isinstance(d, float) and d.is_integer() else d for d in shape]
        return function(shape, *args, **options)

    return of_any_numbers


ones = _with_whole_floats(tf.ones)
zeros = _with_whole_floats(tf.zeros)


def _with_logits_first(function):
    def with_either_order(*args, labels=None, logits=None, targets=None, **options):
        """The function of this name in tf.nn, also with logits and labels that are not named, in this order."""
        if "_sentinel" in options or (args and args[0] is None):  # in TensorFlow 1 the first argument is the sentinel
            options.pop("_sentinel", None)
            given = {**dict(zip(("labels", "logits"), args[1:])), **options}
            return function(**{"labels": labels, "logits": logits, **given})
        for value in args[2:]:
            if value is not None:
                options["name" if isinstance(value, str) else "dim"] = value
        logits = args[0] if args else logits
        labels = args[1] if len(args) > 1 else targets if labels is None else labels
        return function(labels=labels, logits=logits, **options)

    with_either_order.__name__ = function.__name__
    return with_either_order


sigmoid_cross_entropy_with_logits = _with_logits_first(tf.nn.sigmoid_cross_entropy_with_logits)
softmax_cross_entropy_with_logits = _with_logits_first(tf.nn.softmax_cross_entropy_with_logits)
sparse_softmax_cross_entropy_with_logits = _with_logits_first(tf.nn.sparse_softmax_cross_entropy_with_logits)


def _with_inputs_first(function):
    def with_either_order(weights, biases, labels, inputs, *args, **options):
        """The function of this name in tf.nn, also with the inputs before the labels, which are integers."""
        labels, inputs = convert_to_tensor(labels), convert_to_tensor(inputs)
        if inputs.dtype.is_integer and labels.dtype.is_floating:
            labels, inputs = inputs, labels
        return function(weights, biases, labels, inputs, *args, **options)

    with_either_order.__name__ = function.__name__
    return with_either_order


nce_loss = _with_inputs_first(tf.nn.nce_loss)
sampled_softmax_loss = _with_inputs_first(tf.nn.sampled_softmax_loss)


# ---- Summaries, whose tags are independent of the names of their operations


def _collected(summary, collections):
    for name in [tf.GraphKeys.SUMMARIES] if collections is None else collections:
        tf.add_to_collection(name, summary)
    return summary


def scalar_summary(tags, values, collections=None, name=None):
    """Numbers, each with a tag."""
    return _collected(ScalarSummary(tags=tags, values=values, name=name), collections)


def histogram_summary(tag, values, collections=None, name=None):
    """How values are distributed."""
    return _collected(HistogramSummary(tag=tag, values=values, name=name), collections)


def image_summary(tag, tensor, max_images=3, collections=None, name=None):
    """Images."""
    return _collected(ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=name), collections)


def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
    """Sounds."""
    rate = convert_to_tensor(sample_rate, dtypes.float32)
    summary = tf.raw_ops.AudioSummaryV2(tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=name)
    return _collected(summary, collections)


def merge_summary(inputs, collections=None, name=None):
    """One summary of several."""
    return _collected(MergeSummary(inputs=inputs, name=name), collections or ())
