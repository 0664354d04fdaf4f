"""A wrapper that skips gradients of zero: those of tasks without examples in the batch."""

from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.constants import zeros
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.control import no_op
from tfcore.ops.cwise.clip import clip_by_global_norm, global_norm
from tfcore.ops.cwise.compare import equal
from tfcore.ops.reduce.reduce import count_nonzero
from tfcore.train.optimizers.optimizer import Optimizer

_UPDATES = ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse")


def _is_all_zeros(grad):
    return equal(count_nonzero(grad.values if isinstance(grad, IndexedSlices) else grad), 0)


def _unless_zero(update):
    def run(grad, *args, **kwargs):
        return cond(_is_all_zeros(grad), no_op, lambda: update(grad, *args, **kwargs))

    return run


class MultitaskOptimizerWrapper:
    """Makes an optimizer skip gradients that are all zeros, so that they do not change its slots.

    In a batch without examples of a task, the gradient of that task's loss is zero, but means nothing.

    Args:
      opt: The `Optimizer`, which is changed; all its attributes are those of the wrapper, too.

    Raises:
      TypeError: `opt` is not an `Optimizer`.

    Example:

    >>> optimizer = tf.contrib.opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.9))
    >>> pairs = optimizer.compute_gradients(tf.Variable(1.0) ** 2)
    >>> pairs, _ = tf.contrib.opt.clip_gradients_by_global_norm(pairs, 15.0)
    >>> train = optimizer.apply_gradients(pairs)
    """

    def __init__(self, opt):
        if not isinstance(opt, Optimizer):
            raise TypeError(f"Supplied optimizer must be an instance of tf.train.Optimizer: {opt}")
        self._opt = opt
        for name in _UPDATES:
            if getattr(type(opt), name) is not getattr(Optimizer, name):  # those of Optimizer call one of the others
                setattr(opt, name, _unless_zero(getattr(opt, name)))

    def __getattr__(self, name):
        return getattr(self._opt, name)


def clip_gradients_by_global_norm(gradients_variables, clip_norm=20.0):
    """Limits the global norm of gradients.

    Args:
      gradients_variables: A list of pairs (gradient, variable).
      clip_norm: The largest norm, a float or a scalar `Tensor`.

    Returns:
      A list of such pairs, and the norm, a scalar `Tensor`.

    Raises:
      ValueError: There are no pairs.
    """
    gradients, variables = zip(*gradients_variables)
    norm = global_norm([grad if grad is None else _zero_or(grad) for grad in gradients])
    return list(zip(clip_by_global_norm(gradients, clip_norm, use_norm=norm)[0], variables)), norm


def _zero_or(grad):
    """A scalar zero instead of a gradient of zeros, whose norm need not be computed."""
    values = grad.values if isinstance(grad, IndexedSlices) else grad
    return cond(_is_all_zeros(grad), lambda: zeros([], values.dtype), lambda: values)
