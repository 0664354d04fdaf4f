"""Exponential moving averages of variables and tensors."""

from tfcore.framework import dtypes
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import (
    GraphKeys,
    add_to_collection,
    colocate_with,
    control_dependencies,
    get_default_graph,
    name_scope,
)
from tfcore.ops import cwise_binary
from tfcore.ops.cast import cast
from tfcore.ops.control import group
from tfcore.ops.state import assign, assign_sub
from tfcore.train import slot_creator
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_collections import global_variables, moving_average_variables, trainable_variables
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from tfcore.variables.variables import Variable

__all__ = ["ExponentialMovingAverage"]


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable = decay * variable + (1 - decay) * value; returns the variable after that.

    zero_debias: for a variable that started at zero: divide by what the weights of the values so far sum up to.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        with colocate_with(variable.op):
            rest = convert_to_tensor(1.0 - decay, name="decay")
            dtype = variable.dtype._base
            if rest.dtype._base is not dtype:
                rest = cast(rest, dtype)
            if zero_debias:
                return assign(variable, _debiased(variable, value, rest), name=scope)
            return assign_sub(variable, (_read(variable) - _read(value)) * rest, name=scope)


def _read(value):
    """The value as it is at this place: after what the control dependencies here wait for."""
    return value.read_value() if isinstance(value, Variable) else value


def _debiased(variable, value, rest):
    """biased / (1 - decay ** steps), where `biased` is the plain average of the values, from zero on."""
    dtype = variable.dtype._base
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
    """Keeps averages of variables: average = decay * average + (1 - decay) * variable at every `apply` that runs.

    ```python
    ema = tf.train.ExponentialMovingAverage(0.999)
    with tf.control_dependencies([train_step]):
        train_step = ema.apply([w, b])
    saver = tf.train.Saver(ema.variables_to_restore())   # evaluates with the averages
    ```
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        """
        Args:
          decay: close to 1.0.
          num_updates: count of updates; the decay is then at most (1 + n) / (10 + n), for a quick start.
          zero_debias: correct averages of tensors for their start at zero.
          name: of the averages: variable/name.
        """
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages = {}

    @property
    def name(self):
        return self._name

    def apply(self, var_list=None):
        """Makes the averages (of trainable variables by default) and returns the operation that updates them.

        Raises:
          TypeError: something is not of floating type. ValueError: an average of it exists already.
        """
        var_list = trainable_variables() if var_list is None else var_list
        debiased = set()
        for var in var_list:
            if not var.dtype._base.is_floating:
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
        """The variable that holds the average, None if `apply` was not called for `var`."""
        return self._averages.get(var)

    def average_name(self, var):
        """The name that the average of `var` has or would have."""
        if var in self._averages:
            return self._averages[var].op.name
        return get_default_graph().unique_name(var.op.name + "/" + self._name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """A dictionary for a Saver that loads averages into the variables themselves: name in checkpoint -> variable.

        moving_avg_variables: the variables to load averages for; default: trainable ones and those with an average.
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
