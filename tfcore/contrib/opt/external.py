"""Minimization by algorithms outside of the graph, such as SciPy's."""

import numpy as np

from tfcore.framework.graph.default_session import get_default_session
from tfcore.ops.array.array import reshape
from tfcore.ops.array.constants import placeholder, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.gradients.gradients import gradients
from tfcore.platform import tf_logging as logging
from tfcore.variables.resource_variable import is_resource_variable
from tfcore.variables.variable_collections import trainable_variables


class ExternalOptimizerInterface:
    """Base class of minimizers outside of the graph: subclasses define `_minimize`.

    Args:
      loss: The scalar `Tensor` to minimize.
      var_list: A list of variables; the trainable ones by default.
      equalities: A list of scalar `Tensor`s that are to be 0 (optional).
      inequalities: A list of scalar `Tensor`s that are to be at least 0 (optional).
      var_to_bounds: A dict from variables to pairs (low, high), each a number or an array that can be broadcast to the
        shape of the variable (optional).
      **optimizer_kwargs: Arguments for `_minimize`.
    """

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None, var_to_bounds=None, **optimizer_kwargs):
        self._loss = loss
        self._equalities, self._inequalities = equalities or [], inequalities or []
        self._vars = trainable_variables() if var_list is None else list(var_list)
        self._shapes = [tuple(var.shape.as_list()) for var in self._vars]
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        self._placeholders = [placeholder(var.dtype.base_dtype, shape) for var, shape in zip(self._vars, self._shapes)]
        self._updates = [var.assign(value) for var, value in zip(self._vars, self._placeholders)]
        self._packed_var = _packed([var.read_value() for var in self._vars])
        self._packed_loss_grad = self._gradient(loss)
        self._packed_equality_grads = [self._gradient(value) for value in self._equalities]
        self._packed_inequality_grads = [self._gradient(value) for value in self._inequalities]
        self._ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])
        self.optimizer_kwargs = optimizer_kwargs

    def _bounds(self, var_to_bounds):
        bounds = {id(var): pair for var, pair in var_to_bounds.items()}
        packed = []
        for var, shape in zip(self._vars, self._shapes):
            low, high = bounds.get(id(var), (-np.inf, np.inf))
            packed += zip(np.broadcast_to(low, shape).flat, np.broadcast_to(high, shape).flat)
        return packed

    def _gradient(self, value):
        found = gradients(value, self._vars)
        return _packed([zeros_like(v.read_value()) if g is None else g for v, g in zip(self._vars, found)])

    def _unpacked(self, vector):
        return [part.reshape(shape) for part, shape in zip(np.split(vector, self._ends[:-1]), self._shapes)]

    def _set(self, session, x):
        """What to feed for the variables. What reads resource variables cannot be fed: they are assigned."""
        parts = list(zip(self._vars, self._placeholders, self._updates, self._unpacked(x)))
        assigned = [(update, value, part) for var, value, update, part in parts if is_resource_variable(var)]
        if assigned:
            updates, values, found = zip(*assigned)
            session.run(updates, dict(zip(values, found)))
        return {var: part for var, _, _, part in parts if not is_resource_variable(var)}

    def minimize(
        self, session=None, feed_dict=None, fetches=None, step_callback=None, loss_callback=None, **run_kwargs
    ):
        """Minimizes the loss, and assigns what was found to the variables.

        Args:
          session: The `Session`; the default one by default.
          feed_dict: What to feed to each run (optional).
          fetches: A list of `Tensor`s for `loss_callback` (optional).
          step_callback: A function that is called after each step with the values of all variables, a vector
            (optional).
          loss_callback: A function that is called with the fetched values whenever the loss is computed (optional).
          **run_kwargs: Arguments of `Session.run` for the assignment.
        """
        session = session or get_default_session()
        feed_dict, fetches = feed_dict or {}, fetches or []

        def function(tensors, callback=None):
            """The values of tensors as a function of the vector of all variables."""

            def evaluate(x):
                feeds = {**self._set(session, x), **feed_dict}
                found = session.run([*tensors, *fetches], feed_dict=feeds)
                if callback is not None:
                    callback(*found[len(tensors) :])
                return found[: len(tensors)]

            return evaluate

        found = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[function([value]) for value in self._equalities],
            equality_grad_funcs=[function([value]) for value in self._packed_equality_grads],
            inequality_funcs=[function([value]) for value in self._inequalities],
            inequality_grad_funcs=[function([value]) for value in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda vector: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        feeds = dict(zip(self._placeholders, self._unpacked(found)))
        session.run(self._updates, feed_dict=feeds, **run_kwargs)

    def _minimize(
        self,
        initial_val,
        loss_grad_func,
        equality_funcs,
        equality_grad_funcs,
        inequality_funcs,
        inequality_grad_funcs,
        packed_bounds,
        step_callback,
        optimizer_kwargs,
    ):
        """The vector of all variables at which the loss is smallest."""
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method."
        )


def _packed(tensors):
    """One vector."""
    return concat([reshape(tensor, [-1]) for tensor in tensors], 0)


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes by `scipy.optimize.minimize`; needs SciPy (`pip install scipy`).

    Args:
      loss: The scalar `Tensor` to minimize.
      var_list: A list of variables; the trainable ones by default.
      equalities: A list of scalar `Tensor`s that are to be 0 (optional).
      inequalities: A list of scalar `Tensor`s that are to be at least 0 (optional).
      var_to_bounds: A dict from variables to pairs (low, high), each a number or an array that can be broadcast to the
        shape of the variable (optional).
      **optimizer_kwargs: Arguments of `scipy.optimize.minimize`, such as `method` ("L-BFGS-B" by default) and
        `options`.

    Example:

    >>> vector = tf.Variable([7.0, 7.0])
    >>> optimizer = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(vector**2), options={"maxiter": 100})
    >>> sess.run(tf.global_variables_initializer())
    >>> optimizer.minimize(sess)
    >>> print(np.abs(np.round(sess.run(vector), 3)))
    [0. 0.]
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val,
        loss_grad_func,
        equality_funcs,
        equality_grad_funcs,
        inequality_funcs,
        inequality_grad_funcs,
        packed_bounds,
        step_callback,
        optimizer_kwargs,
    ):
        # SciPy's algorithms take no other type than float64.
        def loss_and_gradient(x):
            loss, gradient = loss_grad_func(x)
            return loss, gradient.astype(np.float64)

        def in_doubles(function):
            return lambda x: np.asarray(function(x), np.float64)

        arguments = dict(optimizer_kwargs)
        method = arguments.pop("method", self._DEFAULT_METHOD)
        kinds = ("eq", equality_funcs, equality_grad_funcs), ("ineq", inequality_funcs, inequality_grad_funcs)
        constraints = [
            {"type": kind, "fun": in_doubles(value), "jac": in_doubles(gradient)}
            for kind, values, grads in kinds
            for value, gradient in zip(values, grads)
        ]
        own = {
            "jac": True,
            "callback": step_callback,
            "method": method,
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        if "bounds" in arguments:
            raise ValueError("Bounds must be set using the var_to_bounds argument")
        for name in own.keys() & arguments.keys():
            raise ValueError(f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually")
        result = _scipy_optimize().minimize(loss_and_gradient, initial_val.astype(np.float64), **own, **arguments)
        logging.info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n  Number of iterations: %s\n"
            "  Number of functions evaluations: %s",
            result.message,
            result.fun,
            getattr(result, "nit", "not known"),
            getattr(result, "nfev", "not known"),
        )
        return result.x


def _scipy_optimize():
    try:
        import scipy.optimize
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error}: ScipyOptimizerInterface needs SciPy: pip install scipy") from error
    return scipy.optimize
