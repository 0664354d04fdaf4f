"""Runs a metric over batches."""

import numpy as np

import tfcore as tf


def run_metric(metric, batches, known=True):
    """The values of a metric after each batch: (what the updates return, the values read after them).

    Args:
      metric: A function of tensors that returns a pair of a value and an update.
      batches: A list of tuples of arrays, the arguments of `metric`; None stays None.
      known: Whether the static shapes are known.

    Returns:
      A pair of lists.
    """
    with tf.Graph().as_default(), tf.Session() as sess:
        arguments = [
            None if a is None else tf.placeholder(a.dtype, a.shape if known else None) for a in map(_array, batches[0])
        ]
        value, update = metric(*arguments)
        sess.run(tf.local_variables_initializer())
        assert not tf.global_variables() and not tf.trainable_variables()
        assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()
        updates, values = [], []
        for batch in batches:
            feeds = {t: a for t, a in zip(arguments, batch) if t is not None}
            updates.append(sess.run(update, feeds))
            values.append(sess.run(value, feeds))
    return updates, values


def _array(value):
    if value is None:
        return None
    value = np.asarray(value)
    return value.astype(np.float32) if value.dtype == np.float64 else value


def weights_for(rng, shape, kind):
    """Weights of a kind for values of a shape: None, or "scalar", "full", "column", "row", "zero"."""
    shapes = {"scalar": (), "full": shape, "column": (shape[0], *(1,) * (len(shape) - 1)), "row": (1, *shape[1:])}
    if kind is None:
        return None
    if kind == "zero":
        return np.zeros(shape, np.float32)
    shape = shapes[kind]
    return np.asarray(rng.uniform(0.5, 2, shape) * (rng.uniform(size=shape) > 0.3), np.float32)


def joined(batches):
    """Labels, predictions and weights of all batches, flat; weights in the shape of the labels."""
    parts = []
    for labels, predictions, weights in batches:
        weights = np.broadcast_to(1.0 if weights is None else weights, np.shape(labels))
        parts.append([np.ravel(x) for x in (labels, predictions, weights)])
    return [np.concatenate(column) for column in zip(*parts)]
