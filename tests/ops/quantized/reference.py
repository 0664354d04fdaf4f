"""Quantized arithmetic in NumPy, step by step in the precision of the kernels, and a run at every level."""

import numpy as np

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels
from tfcore.testing.kernels import split_loops

F = np.float32
TYPES = {t: t.as_numpy_dtype[0] for t in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32)}


def limits(np_type):
    info = np.iinfo(np_type)
    return int(info.min), int(info.max)


def round_away(x):
    """Halves away from zero, as C's round()."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole).astype(np.asarray(x).dtype)


def read(q, low, high, np_type):
    """Numbers in float32, as most layers read them."""
    least, most = limits(np_type)
    scale = F(np.float64(F(high) - F(low)) / (most - least))
    first = F(low) if low == high else F(round_away(F(low) / scale) * scale)
    return F(first - F(least) * scale) + q.astype(F) * scale


def write(x, low, high, np_type):
    least, most = limits(np_type)
    scale = F(0) if low == high else F((most - least) / np.float64(F(high) - F(low)))
    offset = F(round_away(F(low) * scale) - F(least))
    top = min(F(most), F(2147483520))
    return np.clip(round_away(x * scale) - offset, F(least), top).astype(np.int64).astype(np_type)


def integer_of(number, low, high, np_type):
    """The integer of a number, which may be outside of the type's limits."""
    least, most = limits(np_type)
    if low == high:
        return least
    steps = most - least + 1
    scale = steps / (np.float64(F(high) - F(low)) * (steps / (steps - 1)))
    return int(round_away(np.float64(number) * scale)) - int(round_away(np.float64(F(low)) * scale)) + least


def zero_of(low, high, np_type):
    return integer_of(0, low, high, np_type)


def run_at_all_levels(build, feeds):
    """The values of `build`'s tensors, which are the same bits at every level and with any number of threads.

    Args:
      build: A function of placeholders.
      feeds: A list of (DType, array).
    """
    found = []
    with tf.Graph().as_default() as graph:
        placeholders = [tf.placeholder(t, np.shape(a)) for t, a in feeds]
        tensors = build(*placeholders)
    feed = dict(zip(placeholders, [a for _, a in feeds]))
    for level in cpu_levels():
        with cpu_level(level), tf.Session(graph=graph) as session:
            found.append(session.run(tensors, feed))
    with split_loops(), tf.Session(graph=graph, config=tf.ConfigProto(intra_op_parallelism_threads=3)) as session:
        found.append(session.run(tensors, feed))
    for other in found[1:]:
        for a, b in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(a, b)
    return found[0]
