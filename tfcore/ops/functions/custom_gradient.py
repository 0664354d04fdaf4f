"""Functions with their own gradient: custom_gradient, grad_pass_through.

The results of the function go through one IdentityN, together with its arguments and the variables that it uses; a
gradient override on that operation calls the user's gradient function and bypasses the operations of the function.
"""

import functools
import inspect
import itertools

from tfcore.framework.definitions.op_def import gradient_function
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity_n

_count = itertools.count()


def custom_gradient(f=None):
    """Decorator of a function that also returns its own gradient.

    `f(*args)` returns a pair (y, grad_fn); y is a `Tensor` or a nest of them. `grad_fn(*dys)` takes a gradient for each
    tensor of y and returns one for each tensor of the arguments. If `f` uses trainable variables that are not
    arguments, `grad_fn` must also take `variables`, a list, and return (gradients, gradients of the variables).
    Derivatives of higher order are those of the operations that `grad_fn` adds.

    Args:
      f: The function.

    Returns:
      The decorated function. It takes only positional arguments and returns y.

    Raises:
      TypeError: `f` is not callable; when called: it does not return a pair, or it uses variables and `grad_fn` does
        not take them.
      ValueError: When called: there are keyword arguments, or the number of gradients is wrong.

    Example:

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    ...
    >>> x = tf.constant(0.0)
    >>> print(sess.run(tf.gradients(log1pexp(x), x)))
    [np.float32(0.5)]
    """
    if f is None:
        return custom_gradient
    if not callable(f):
        raise TypeError(f"custom_gradient needs a function, but got {f!r}")

    return _Decorated(f)


class _Decorated:
    """A function with its own gradient; as an attribute of a class it becomes a method like any function."""

    def __init__(self, f):
        self._f = f
        functools.update_wrapper(self, f)

    def __get__(self, instance, owner):
        return self if instance is None else _Decorated(self._f.__get__(instance, owner))

    def __call__(self, *args, **kwargs):
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when eager execution is "
                "enabled."
            )
        return _call(self._f, args)


def _call(f, args):
    args = _map(convert_to_tensor, args)
    flat_args = _flatten(args)
    outcome = f(*args)
    if not isinstance(outcome, tuple) or len(outcome) != 2 or not callable(outcome[1]):
        name = getattr(f, "__name__", repr(f))
        raise TypeError(
            f"{name}, decorated with custom_gradient, must return (result, grad_fn), but returned {outcome!r}"
        )
    result, grad_fn = outcome
    flat_result = [convert_to_tensor(t) for t in _flatten(result)]
    used = _variables_between(flat_result, flat_args)
    takes_variables = _takes_variables(grad_fn)
    if used and not takes_variables:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
            f"{used}"
        )
    n_results, n_args = len(flat_result), len(flat_args)

    def gradients_of_identity(op, *grads):
        """None for the results, then the gradients that `grad_fn` returns for arguments and variables."""
        dys = grads[:n_results]
        if used:
            for_args, for_variables = grad_fn(*dys, variables=used)
            for_variables = _as_list(for_variables)
            if len(for_variables) != len(used):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            for_args, for_variables = grad_fn(*dys), []
        for_args = _as_list(for_args)
        if len(for_args) != n_args:
            raise ValueError(
                f"The grad_fn of a custom_gradient returned {len(for_args)} gradients, but its function has {n_args} "
                "arguments"
            )
        return [None] * n_results + for_args + for_variables

    name = f"CustomGradient-{next(_count)}"
    graph = get_default_graph() if not flat_result else flat_result[0].graph
    with graph.as_default(), graph.gradient_override_map({"IdentityN": name}):
        outputs = identity_n(flat_result + flat_args + [v.value() for v in used])
    # The graph owns the function: it lives as long as the operation that refers to it.
    graph.gradient_functions[name] = gradients_of_identity
    return _pack(result, iter(outputs[:n_results]))


def _takes_variables(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.kind is p.VAR_KEYWORD or p.name == "variables" for p in parameters)


def _variables_between(results, args):
    """The trainable variables on which `results` depend other than through `args`, in order of creation."""
    seen = set(args)
    todo = [t for t in results if t not in seen]
    reached = set()
    while todo:
        tensor = todo.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        reached.add(tensor.op)
        if gradient_function(tensor.op) is not False:
            todo.extend(tensor.op.inputs)
    if not reached:
        return []
    graph = next(iter(reached)).graph
    return [v for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) if v.op in reached]


def grad_pass_through(f):
    """Wraps a function so that its gradient is that of the identity.

    Args:
      f: A function of one `Tensor`.

    Returns:
      The wrapped function: its result is that of `f`, and gradients pass to its argument unchanged.

    Raises:
      TypeError: `f` is not callable.

    Example:

    >>> x = tf.constant(2.7)
    >>> y = tf.grad_pass_through(tf.floor)(x)
    >>> print(sess.run([y, tf.gradients(y, x)[0]]))
    [np.float32(2.0), np.float32(1.0)]
    """

    if not callable(f):
        raise TypeError(f"f must be a function of one tensor, not {f!r}")

    @custom_gradient
    def wrapped(x):
        def grad(dy, variables=None):
            return dy, [None] * len(variables or ())

        # `variables` is passed only if the function uses some.
        return f(x), lambda dy, variables=None: grad(dy, variables) if variables else dy

    return functools.wraps(f)(wrapped)


# ---- Nested structures: lists, tuples, namedtuples, dictionaries (by sorted key)


def _flatten(structure):
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in _flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in _flatten(item)]
    return [structure]


def _pack(structure, leaves):
    """The structure with its leaves replaced, in the order of _flatten."""
    if isinstance(structure, dict):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        return type(structure)([(key, packed[key]) for key in structure])
    if isinstance(structure, (list, tuple)):
        items = [_pack(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return next(leaves)


def _map(function, structure):
    return _pack(structure, iter([function(leaf) for leaf in _flatten(structure)]))


def _as_list(grads):
    """Gradients as a flat list; None stands for one missing gradient."""
    return _flatten(list(grads) if isinstance(grads, (list, tuple)) else grads)
