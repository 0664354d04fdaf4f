"""What a Saver saves: variables, slices of partitioned ones, and objects that programs define."""

import copy
from collections.abc import Mapping

from tfcore.framework import errors
from tfcore.framework.graph.graph import GraphKeys, get_collection
from tfcore.framework.graph.operation import Tensor
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.array.array import reshape
from tfcore.ops.state import resource_variable, state
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.resource_variable import is_resource_variable
from tfcore.variables.variable_collections import global_variables
from tfcore.variables.variables import Variable


class ResourceVariableSaveable(SaveableObject):
    """A resource variable, or one part of a partitioned one. Instead of the variable it may get a read of it."""

    def __init__(self, variable, slice_spec, name):
        self._handle = variable.op.inputs[0] if isinstance(variable, Tensor) else variable.handle
        self._shape, device = variable.shape, self._handle.device

        def read():
            with variable.graph.device(device or None):
                return variable.read_value()

        value = variable if isinstance(variable, Tensor) else read
        super().__init__(variable, [SaveSpec(value, slice_spec, name, variable.dtype, device)], name)

    def restore(self, restored_tensors, restored_shapes):
        (value,) = restored_tensors
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        self._shape.assert_is_compatible_with(value.shape)
        with self._handle.graph.device(self.device or None):
            return resource_variable.AssignVariableOp(self._handle, value, name=_name_of_restore(self._handle.op))


class VariableSaveable(SaveableObject):
    """A variable behind a reference, or one part of a partitioned one."""

    def __init__(self, variable, slice_spec, name):
        ref = variable if isinstance(variable, Tensor) else variable._ref()
        super().__init__(variable, [SaveSpec(ref, slice_spec, name, ref.dtype.base_dtype)], name)

    def restore(self, restored_tensors, restored_shapes):
        (value,) = restored_tensors
        ref = self.specs[0].tensor
        if restored_shapes is not None:
            value = reshape(value, restored_shapes[0])
        validate = restored_shapes is None and ref.get_shape().is_fully_defined()
        return state.assign(ref, value, validate_shape=validate, name=_name_of_restore(ref.op))


def _name_of_restore(variable):
    """The name of the operation that restores a variable: it stands in errors and traces."""
    return f"Assign/{variable.name}"


def _of_variable(variable, slice_spec, name):
    by_handle = is_resource_variable(variable) or _is_read(variable)
    kind = ResourceVariableSaveable if by_handle else VariableSaveable
    return kind(variable, slice_spec, name)


def all_saveable_objects(scope=None):
    """The global variables and the objects in the collection SAVEABLE_OBJECTS."""
    return global_variables(scope) + get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def _is_variable(value):
    return isinstance(value, Variable) or _is_read(value) or (isinstance(value, Tensor) and value.dtype._is_ref_dtype)


def _is_read(value):
    return isinstance(value, Tensor) and value.op.type == "ReadVariableOp"


def names_to_saveables(var_list):
    """{name: variable, list of slices, or SaveableObject} for a list of such things; a dict is checked and copied."""
    if isinstance(var_list, Mapping):
        for name in var_list:
            if not isinstance(name, str):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to trackable variables. "
                    f"Name is not a string: {name}"
                )
        return dict(var_list)
    if not isinstance(var_list, (list, tuple, set, frozenset)):
        raise TypeError(f"Variables to save should be passed in a dict or a list: {var_list}")
    result = {}
    for item in sorted(var_list, key=lambda x: x.name) if isinstance(var_list, (set, frozenset)) else var_list:
        if isinstance(item, SaveableObject):
            _add_once(result, item.name, item)
        elif isinstance(item, PartitionedVariable):
            _add_once(result, item.name, item)
        elif isinstance(item, Variable) and item._save_slice_info:
            slices = result.setdefault(item._save_slice_info.full_name, [])
            if not isinstance(slices, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {item._save_slice_info.full_name}")
            slices.append(item)
        elif _is_variable(item):
            _add_once(result, item.op.inputs[0].op.name if _is_read(item) else item.op.name, item)
        else:
            raise TypeError(f"Variable to save is not a Variable: {item}")
    return result


def _add_once(result, name, item):
    if name in result:
        raise ValueError(f"At least two variables have the same name: {name}")
    result[name] = item


def saveables_of(var_list):
    """The `SaveableObject`s of a dict or list, ordered by name.

    Raises:
      TypeError: something is not a variable. ValueError: something is there twice.
    """
    result, seen = [], set()
    for name, item in sorted(names_to_saveables(var_list).items()):
        for saveable in _saveables(name, item):
            key = id(saveable.op)
            if key in seen:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            seen.add(key)
            result.append(saveable)
    return result


def by_object_keys(var_list, names_to_keys):
    """A dict or list of what a saver saves, as a dict from the keys that it has in an object-based checkpoint.

    Raises:
      tf.errors.NotFoundError: a name is not in `names_to_keys`.
    """
    items = names_to_saveables(var_list)
    names = set()
    for name, item in items.items():
        names.update([spec.name for spec in item.specs] if isinstance(item, SaveableObject) else [name])
    missing, extra = sorted(names - set(names_to_keys)), sorted(set(names_to_keys) - names)
    if missing:
        raise errors.NotFoundError(
            None,
            None,
            f"\n\nExisting variables not in the checkpoint: {', '.join(missing)}\n\nVariables names when this "
            f"checkpoint was written which don't exist now: {', '.join(extra)}\n\n({len(names) - len(missing)} "
            "variable name(s) did match)\n\nCould not find some variables in the checkpoint (see names above). Saver "
            "was attempting to load an object-based checkpoint (saved using tf.train.Checkpoint or "
            "tf.keras.Model.save_weights) using variable names. If the checkpoint was written with eager execution "
            "enabled, it's possible that variable names have changed (for example missing a '_1' suffix). It's also "
            "possible that there are new variables which did not exist when the checkpoint was written. You can "
            "construct a Saver(var_list=...) with only the variables which previously existed, and if variable names "
            "have changed you may need to make this a dictionary with the old names as keys.",
        )
    result = {}
    for name, item in items.items():
        if isinstance(item, SaveableObject):
            item = copy.copy(item)
            item.specs = [copy.copy(spec) for spec in item.specs]
            for spec in item.specs:
                spec.name = names_to_keys[spec.name]
        result[names_to_keys.get(name, name)] = item
    return result


def _saveables(name, item):
    if isinstance(item, SaveableObject):
        return [item]
    if isinstance(item, (list, tuple, PartitionedVariable)):
        return _slices(name, item)
    if not _is_variable(item):
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {item}"
        )
    return [_of_variable(item, "", name)]


def _slices(name, variables):
    full_names = set()
    result = []
    for variable in variables:
        if not isinstance(variable, Variable):
            raise ValueError(f"Slices must all be Variables: {variable}")
        info = variable._save_slice_info
        if not info:
            raise ValueError(f"Slices must all be slices: {variable}")
        full_names.add(info.full_name)
        if len(full_names) > 1:
            first, second = sorted(full_names)
            raise ValueError(f"Slices must all be from the same tensor: {first} != {second}")
        result.append(_of_variable(variable, info.spec, name))
    return result
