"""Functions that are computed again for their gradients, so that the tensors inside need not be kept."""

import contextlib
import functools

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import nest
from tfcore.ops.array.array import identity
from tfcore.ops.functions.custom_gradient import custom_gradient
from tfcore.ops.gradients.gradients import UnconnectedGradients, gradients
from tfcore.variables.variable_scope import get_variable_scope, variable_scope


def recompute_grad(f):
    """Wraps a function: its gradient computes it again, instead of keeping the tensors inside until then.

    Source: T. Chen, B. Xu, C. Zhang and C. Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016.

    Args:
      f: A function of `Tensor`s that returns one or a nested structure of them. It may use variables.

    Returns:
      The wrapped function; `f` is its attribute `__wrapped__`.

    Raises:
      TypeError: `f` is not callable.

    Example:

    >>> x = tf.constant(2.0)
    >>> y = tf.recompute_grad(lambda x: tf.exp(tf.sin(x)))(x)
    >>> print("%.4f %.4f" % tuple(sess.run([y, tf.gradients(y, x)[0]])))
    2.4826 -1.0331
    """
    if not callable(f):
        raise TypeError(f"recompute_grad needs a function, but got {f!r}")

    @functools.wraps(f)
    def wrapped(*args, **kwargs):
        return recomputed(lambda args, again: f(*args, **kwargs), args)

    return wrapped


def recomputed(call, args, surroundings=contextlib.nullcontext, finish=None):
    """The result of `call(args, False)`; its gradients are those of `call(args, True)`.

    Args:
      call: A function of a sequence of tensors and of a bool: whether it is called again.
      args: A sequence of `Tensor`s.
      surroundings: Makes the context manager in which `call` is called again.
      finish: A function of the gradients (a list: of the arguments, then of the variables) and the number of
        arguments; it returns the gradients to use. By default those that are None are zeros.

    Returns:
      What `call` returns.
    """
    scope = get_variable_scope()

    @custom_gradient
    def function(*args):
        outputs = call(args, False)

        def grad_fn(*output_grads, variables=None):
            # Not before the gradients are there: otherwise nothing would be saved.
            with control_dependencies([g for g in output_grads if g is not None]):
                inputs = [identity(x) for x in args]
                with surroundings(), variable_scope(scope, reuse=True):
                    results = nest.flatten(call(inputs, True))
            unconnected = UnconnectedGradients.NONE if finish else UnconnectedGradients.ZERO
            xs = [*inputs, *(variables or ())]
            grads = gradients(results, xs, list(output_grads), unconnected_gradients=unconnected)
            if finish:
                grads = finish(grads, len(inputs))
            return grads if variables is None else (grads[: len(inputs)], grads[len(inputs) :])

        return outputs, grad_fn

    return function(*args)
