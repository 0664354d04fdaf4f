"""Exponential moving averages of variables and tensors."""

import functools

from tfcore.framework.graph.graph import (
    GraphKeys,
    add_to_collection,
    colocate_with,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise import binary as cwise_binary
from tfcore.ops.cwise.cast import cast
from tfcore.ops.state.state import assign, assign_sub
from tfcore.train.optimizers import slot_creator
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_collections import global_variables, moving_average_variables, trainable_variables
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from tfcore.variables.variables import Variable


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Assigns `decay * variable + (1 - decay) * value` to the variable and returns the result.

    zero_debias: for a variable that starts at zero: divide by the sum of the weights of all values so far.
    Replicas of a tf.distribute strategy make one assignment, of the mean of their values.
    """
    mode = variable.op.graph.scopes.strategy_mode
    update = functools.partial(_assign, variable, decay, zero_debias, name)
    return update(value) if mode is None else mode.updated_with_mean(update, value, variable)


def _assign(variable, decay, zero_debias, name, value):
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        with colocate_with(variable.op):
            rest = convert_to_tensor(1.0 - decay, name="decay")
            dtype = variable.dtype.base_dtype
            if rest.dtype.base_dtype is not dtype:
                rest = cast(rest, dtype)
            if zero_debias:
                return assign(variable, _debiased(variable, value, rest), name=scope)
            return assign_sub(variable, (_read(variable) - _read(value)) * rest, name=scope)


def _read(value):
    """The current value; a variable is read under the current control dependencies."""
    return value.read_value() if isinstance(value, Variable) else value


def _debiased(variable, value, rest):
    """biased / (1 - decay ** steps), where `biased` is the moving average that starts at zero."""
    dtype = variable.dtype.base_dtype
    with variable_scope(variable.op.name, values=[variable, value, rest]):
        with control_dependencies(None), colocate_with(variable.op):
            biased = get_variable(_unused("biased"), variable.shape, dtype, Zeros(), trainable=False)
            step = get_variable(_unused("local_step"), [], dtype, Zeros(), trainable=False)
        new_biased = assign_sub(biased, (biased - _read(value)) * rest)
        new_step = step.assign_add(1)
        return new_biased / (1 - cwise_binary.pow(1.0 - rest, new_step))


def _unused(name):
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in scope.global_variables()}
    candidate, number = name, 0
    while f"{scope.name}/{candidate}" in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


class ExponentialMovingAverage:
    """Exponential moving averages of variables: `average = decay * average + (1 - decay) * variable`.

    Each run of the operation that `apply` returns updates the averages. Evaluating a model with averaged weights often
    gives better results; `variables_to_restore` makes a `Saver` load them.

    ```python
    ema = tf.train.ExponentialMovingAverage(0.999)
    with tf.control_dependencies([train_step]):
        train_step = ema.apply([w, b])
    saver = tf.train.Saver(ema.variables_to_restore())  # evaluates with the averages
    ```

    Args:
      decay: The decay, a float close to 1.0 or a scalar `Tensor`.
      num_updates: Number of updates so far, an int or scalar `Tensor`. The decay is then at most `(1 + num_updates) /
        (10 + num_updates)`, so that early averages move faster.
      zero_debias: Whether averages of `Tensor`s, which start at zero, are corrected for that bias.
      name: Suffix of the names of the averages: `variable/name`.

    Example:

    >>> x = tf.Variable(0.0)
    >>> ema = tf.train.ExponentialMovingAverage(0.9)
    >>> update = ema.apply([x])
    >>> sess.run(tf.global_variables_initializer())
    >>> sess.run(x.assign(10.0).op)
    >>> sess.run(update)
    >>> round(float(sess.run(ema.average(x))), 4)
    1.0
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages = {}

    @property
    def name(self):
        """The suffix of the names of the averages."""
        return self._name

    def apply(self, var_list=None):
        """Creates the averages and the operation that updates them.

        Args:
          var_list: A list of `Variable`s and `Tensor`s of floating-point types; the trainable variables by default.

        Returns:
          The `Operation` that updates all averages.

        Raises:
          TypeError: An element is not of a floating-point type.
        """
        var_list = trainable_variables() if var_list is None else var_list
        debiased = set()
        for var in var_list:
            if not var.dtype.base_dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var not in self._averages:
                with control_dependencies(None):
                    self._averages[var] = self._make_average(var, debiased)
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                updates = cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = cwise_binary.minimum(decay, (1.0 + updates) / (10.0 + updates))
            updates = [
                assign_moving_average(self._averages[var], var, decay, zero_debias=var in debiased) for var in var_list
            ]
            return group(*updates, name=scope)

    def _make_average(self, var, debiased):
        if isinstance(var, Variable):
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            return slot_creator.create_slot(var, var.initialized_value(), self._name)
        if self._zero_debias:
            debiased.add(var)
        is_variable = var.op.type in ("Variable", "VariableV2", "VarHandleOp")
        return slot_creator.create_zeros_slot(var, self._name, colocate_with_primary=is_variable)

    def average(self, var):
        """The average of a variable.

        Args:
          var: A `Variable` or `Tensor`.

        Returns:
          A `Variable`; None if `apply` was not called for `var`.
        """
        return self._averages.get(var)

    def average_name(self, var):
        """The name that the average of a variable has, or would have.

        Args:
          var: A `Variable` or `Tensor`.

        Returns:
          A string.
        """
        if var in self._averages:
            return self._averages[var].op.name
        return get_default_graph().unique_name(var.op.name + "/" + self._name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """Maps names in a checkpoint to variables, such that a `Saver` loads averages into the variables themselves.

        Args:
          moving_avg_variables: Variables to load averages for; by default the trainable ones and those that have an
            average.

        Returns:
          A dict from names to `Variable`s, for the constructor of `Saver`. All other global variables map from their
          own names.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = dict.fromkeys(moving_avg_variables)
        names = {self.average_name(v): v for v in averaged}
        averaged_names = {v.name for v in averaged}
        for v in dict.fromkeys(global_variables()):
            if v.name not in averaged_names and v.op.name not in names:
                names[v.op.name] = v
        return names
