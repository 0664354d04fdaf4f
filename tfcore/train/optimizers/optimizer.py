"""tf.train.Optimizer: gradients of a loss and the operation that updates the variables."""

import contextlib
from collections.abc import MappingView

from tfcore.framework.graph.graph import (
    GraphKeys,
    colocate_with,
    control_dependencies,
    get_collection_ref,
    get_default_graph,
    name_scope,
)
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array import array
from tfcore.ops.control_flow import control
from tfcore.ops.gradients.gradients import gradients
from tfcore.ops.indexing import unique as indexing_unique
from tfcore.ops.reduce.segment import unsorted_segment_sum
from tfcore.ops.state.state import assign_add
from tfcore.train.optimizers import slot_creator
from tfcore.variables.resource_variable import is_resource_variable
from tfcore.variables.variable_collections import trainable_variables
from tfcore.variables.variable_scope import get_variable, variable_scope
from tfcore.variables.variables import Variable


def _deduplicate_indexed_slices(values, indices):
    """(sums of the values of equal indices, the unique indices)."""
    unique, positions = indexing_unique.unique(indices)
    return unsorted_segment_sum(values, positions, array.shape(unique)[0]), unique


def _var_key(var):
    return (var.op.graph, var.op.name)


def _flatten(items):
    if isinstance(items, dict):
        items = [items[key] for key in sorted(items)]
    if type(items).__name__ == "PartitionedVariable" or isinstance(items, (list, tuple, set, MappingView)):
        return [leaf for item in items for leaf in _flatten(item)]
    return [items]


class Optimizer:
    """Base class of optimizers: `minimize(loss)` adds the operations that compute gradients and update variables.

    `minimize` is `compute_gradients` followed by `apply_gradients`; call these two to change gradients in between.

    To write your own optimizer, override
      _create_slots(var_list): creates accumulators, usually with `_zeros_slot(var, "name", self._name)`;
      _prepare(): creates tensors of hyperparameters;
      _apply_dense(grad, var): adds and returns the operation that updates `var`;
      _apply_sparse(grad, var): the same for IndexedSlices, whose indices are unique;
      _resource_apply_dense(grad, var), _resource_apply_sparse(grad, var, indices): the same for resource variables, if
        these are not updated like others;
      _finish(update_ops, name_scope): adds what follows all updates and returns the training operation.
    `tfcore/examples/custom_optimizer.py` shows one.

    Args:
      use_locking: Accepted for compatibility; updates are exact even when steps run concurrently.
      name: Name of the training operation and prefix of the names of the slots.
      use_own_namescope_for_non_slot_vars: Whether variables of the optimizer as a whole get the prefix `name`, too.

    Raises:
      ValueError: `name` is empty.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking, name, use_own_namescope_for_non_slot_vars=False):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots = {}  # slot name -> {variable key: slot}
        self._non_slot_dict = {}  # (name, graph) -> variable
        self._non_slot_scope = None
        if use_own_namescope_for_non_slot_vars:
            with variable_scope(None, default_name=name) as self._non_slot_scope:
                pass

    def get_name(self):
        """The name given to the constructor.

        Returns:
          A string.
        """
        return self._name

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
    ):
        """Adds one training step: computes the gradients of `loss` and applies them.

        Args:
          loss: The `Tensor` to minimize, or a function without arguments that returns it.
          global_step: A variable to increment after the update (optional).
          var_list: A list of variables to update; by default those of the collection TRAINABLE_VARIABLES.
          gate_gradients: GATE_NONE, GATE_OP (all gradients of an operation are computed before one is used) or
            GATE_GRAPH (all gradients are computed before one is used).
          aggregation_method: How the terms of a gradient are summed, see `tf.AggregationMethod`.
          colocate_gradients_with_ops: Whether gradients are placed on the devices of the operations they belong to.
          name: Name of the training operation (optional).
          grad_loss: A `Tensor`: the gradient with respect to `loss`; ones by default.

        Returns:
          The `Operation` that updates the variables and increments `global_step`.

        Raises:
          ValueError: No variable has a gradient, or a type is not supported.
        """
        grads_and_vars = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(g is None for g, _ in grads_and_vars):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(v) for _, v in grads_and_vars]} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ):
        """Computes the gradients of `loss` with respect to variables: the first part of `minimize`.

        Args:
          loss: The `Tensor` to minimize, or a function without arguments that returns it.
          var_list: A list of variables to update; by default those of the collection TRAINABLE_VARIABLES.
          gate_gradients: GATE_NONE, GATE_OP (all gradients of an operation are computed before one is used) or
            GATE_GRAPH (all gradients are computed before one is used).
          aggregation_method: How the terms of a gradient are summed, see `tf.AggregationMethod`.
          colocate_gradients_with_ops: Whether gradients are placed on the devices of the operations they belong to.
          grad_loss: A `Tensor`: the gradient with respect to `loss`; ones by default.

        Returns:
          A list of pairs (gradient, variable). A gradient is a `Tensor`, an `IndexedSlices`, or None where `loss` does
          not depend on the variable.

        Raises:
          ValueError: There are no variables, `gate_gradients` is invalid, or a type is not supported.
        """
        if callable(loss):
            loss = loss()
        mode = get_default_graph().scopes.strategy_mode
        if mode is not None:
            loss = mode.scale_loss(loss)
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  "
                f"Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss] if grad_loss is None else [loss, grad_loss])
        var_list = trainable_variables() if var_list is None else _flatten(var_list)
        if not var_list:
            raise ValueError("No variables to optimize.")
        grads = gradients(
            loss,
            [target_of(v) for v in var_list],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            grads = control.tuple(grads)
        self._assert_valid_dtypes([v for g, v in zip(grads, var_list) if g is not None])
        return list(zip(grads, var_list))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, skip_gradients_aggregation=False):
        """Applies gradients to variables: the second part of `minimize`.

        Args:
          grads_and_vars: A list of pairs (gradient, variable), as `compute_gradients` returns.
          global_step: A variable to increment after the update (optional).
          name: Name of the training operation (optional).
          skip_gradients_aggregation: Ignored: gradients are not aggregated here.

        Returns:
          The `Operation` that updates the variables and increments `global_step`.

        Raises:
          TypeError: A gradient is not a `Tensor`, an `IndexedSlices` or None.
          ValueError: All gradients are None, or there are no pairs.
          NotImplementedError: The target of an update is not a `Variable`.
        """
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("No variables provided.")
        pairs = [(_as_gradient(g), v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError(f"No gradients provided for any variable: {[str(v) for _, v in grads_and_vars]}.")
        for _, var in pairs:
            if not isinstance(var, Variable):
                raise NotImplementedError(f"Trying to update a Tensor {var!r}: only variables can be updated.")
        graph = pairs[0][1].op.graph
        mode = graph.scopes.strategy_mode
        if mode is not None and mode.merges_gradients:
            return mode.apply_gradients(self, Optimizer.apply_gradients, pairs, global_step, name)
        with contextlib.ExitStack() as stack:
            if type(self).__module__.startswith("tfcore.train."):  # no user code is called in between
                stack.enter_context(graph.scopes.with_user_frames())
            if graph is not get_default_graph():
                stack.enter_context(graph.as_default())
            return self._apply_pairs(graph, pairs, global_step, name)

    def _apply_pairs(self, graph, pairs, global_step, name):
        with graph.control_dependencies(None):
            self._create_slots([v for _, v in pairs])
        with graph.name_scope(name or self._name) as scope:
            self._prepare()
            updates = self._update_all(graph, pairs)
            if global_step is None:
                result = self._finish(updates, scope)
            else:
                # The operation that waits for all updates is placed with the step, which thus has only local inputs.
                with graph.device(global_step.device) if global_step.device else contextlib.nullcontext():
                    finished = self._finish(updates, "update")
                with control_dependencies([finished]), colocate_with(global_step):
                    if is_resource_variable(global_step):
                        result = global_step.assign_add(1, name=scope, read_value=False)
                    else:
                        result = assign_add(global_step, 1, name=scope)
        if isinstance(result, Tensor):
            result = result.op
        train_ops = get_collection_ref(GraphKeys.TRAIN_OP)
        if result not in train_ops:
            train_ops.append(result)
        return result

    def _update_all(self, graph, pairs):
        """Adds the updates, each in a separate name scope and colocated with its variable."""
        scopes, updates = graph.scopes, []
        for grad, var in pairs:
            name = graph.unique_name("update_" + var.op.name)
            with scopes.replaced(name=name, devices=(), colocations=(*scopes.colocations, var.op)):
                updates.append(update_of(self, grad, var))
        return updates

    # ---- Slots

    def get_slot(self, var, name):
        """The slot that the optimizer keeps for a variable.

        Args:
          var: The `Variable`.
          name: Name of the slot, such as "momentum".

        Returns:
          A `Variable`, or None if there is no such slot.
        """
        slots = self._slots.get(name)
        return slots.get(_var_key(var)) if slots else None

    def get_slot_names(self):
        """The names of the slots that the optimizer has created.

        Returns:
          A sorted list of strings.
        """
        return sorted(self._slots)

    def variables(self):
        """The slots and other variables that the optimizer has in the default graph.

        Returns:
          A list of `Variable`s, sorted by name.
        """
        graph = get_default_graph()
        found = [v for v in self._non_slot_dict.values() if v.op.graph is graph]
        for slots in self._slots.values():
            found.extend(v for v in slots.values() if v.op.graph is graph)
        return sorted(found, key=lambda v: v.name)

    @property
    def _checkpoint_dependencies(self):
        """The variables for the optimizer as a whole; slots belong to their variables as well (`object_graph.py`)."""
        graph = get_default_graph()
        return sorted((name, v) for (name, of), v in self._non_slot_dict.items() if of is graph)

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """The slot, created with initial value `val` (a Tensor) if it is new."""
        slots = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in slots:
            slots[key] = slot_creator.create_slot(var, val, op_name)
        return slots[key]

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        """The slot, created with initial value initializer(shape, dtype) if it is new."""
        slots = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in slots:
            slots[key] = slot_creator.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        return slots[key]

    def _zeros_slot(self, var, slot_name, op_name):
        """The slot of the variable's shape, initialized to zero."""
        slots = self._slot_dict(slot_name)
        key = _var_key(var)
        if key not in slots:
            slots[key] = slot_creator.create_zeros_slot(var, op_name)
        return slots[key]

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """A variable for the optimizer as a whole, colocated with a given variable."""
        graph = colocate_with.op.graph
        key = (name, graph)
        found = self._non_slot_dict.get(key)
        if found is None:
            with graph.colocate_with(colocate_with.op):
                found = self._new_non_slot(initial_value, name, is_resource_variable(colocate_with))
            self._non_slot_dict[key] = found
        return found

    def _new_non_slot(self, initial_value, name, use_resource):
        if self._non_slot_scope is None:
            return Variable(initial_value, name=name, trainable=False, use_resource=use_resource)
        with name_scope(""), variable_scope(self._non_slot_scope):
            return get_variable(name, initializer=initial_value, trainable=False, use_resource=use_resource)

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slot_dict.get((name, graph or get_default_graph()))

    def _non_slot_variables(self):
        return self._non_slot_dict.values()

    # ---- For subclasses

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for t in tensors:
            dtype = t.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(f"Invalid type {dtype!r} for {t.name}, expected: {list(valid)}.")

    def _valid_dtypes(self):
        """Types that loss, variables and gradients may have."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _create_slots(self, var_list):
        pass

    def _prepare(self):
        pass

    def _apply_dense(self, grad, var):
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad, var):
        """For IndexedSlices with repeated indices: sums slices of equal index, then calls `_apply_sparse`."""
        values, indices = _deduplicate_indexed_slices(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _apply_sparse(self, grad, var):
        raise NotImplementedError()

    def _resource_apply_dense(self, grad, handle):
        """`_apply_dense` for a resource variable. `handle` is the `Variable`, as in TensorFlow."""
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        """`_apply_sparse_duplicate_indices` for rows `grad` of a resource variable."""
        if type(self)._resource_apply_sparse is Optimizer._resource_apply_sparse:
            return self._apply_sparse_duplicate_indices(IndexedSlices(grad, indices), handle)
        grad, indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(grad, handle, indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        """`_apply_sparse` for rows `grad` of a resource variable."""
        return self._apply_sparse(IndexedSlices(grad, indices), handle)

    def _finish(self, update_ops, name_scope):
        return control.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        return param() if callable(param) else param


def update_of(optimizer, grad, var):
    """Adds the operation that updates a variable by its gradient."""
    constraint = getattr(var, "constraint", None)
    if isinstance(grad, IndexedSlices):
        if constraint is not None:
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")
        if is_resource_variable(var):
            return optimizer._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)
        return optimizer._apply_sparse_duplicate_indices(grad, var)
    update = (optimizer._resource_apply_dense if is_resource_variable(var) else optimizer._apply_dense)(grad, var)
    if constraint is None:
        return update
    with control_dependencies([update]):
        return var.assign(constraint(var.read_value()))


def target_of(var):
    """The Tensor to differentiate with respect to."""
    if isinstance(var, Variable):
        return var._ref()
    if isinstance(var, Tensor):
        return var
    raise NotImplementedError(f"Trying to optimize unsupported type {var.op}")  # AttributeError for other objects


def _as_gradient(grad):
    if isinstance(grad, (Tensor, IndexedSlices)):
        return grad
    try:
        return convert_to_tensor(grad)
    except TypeError:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}") from None
