"""Adds the operations of a Saver to the graph."""

import contextlib
import os
import uuid

from tfcore.framework import protos
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.graph import control_dependencies, device, get_default_graph, name_scope
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.array.array import identity, shape
from tfcore.ops.array.constants import placeholder_with_default
from tfcore.ops.checkpoint import checkpoint
from tfcore.ops.checkpoint import legacy as checkpoint_legacy
from tfcore.ops.control_flow.control import group
from tfcore.ops.strings.strings import string_join
from tfcore.train.checkpoints.parts_folder import PartsFolder, remove_dead
from tfcore.train.checkpoints.saveable import ResourceVariableSaveable, VariableSaveable, saveables_of
from tfcore.train.training_util import get_global_step
from tfcore.variables.partitioned import PartitionedVariable

_V1, _V2 = 1, 2  # SaverDef.V1, SaverDef.V2


def _new_parts_suffix():
    """What follows a checkpoint's prefix in those of its parts: the end of a new folder's name, and "/part"."""
    return f"_temp_{uuid.uuid4().hex}/part"


def _on_cpu(name):
    """A device string with the task of `name` and its first CPU, where files are read and written."""
    spec = DeviceSpec.from_string(name or "")
    return DeviceSpec(spec.job, spec.replica, spec.task, "CPU", 0).to_string()


class BaseSaverBuilder:
    """Builds savers; derive from it to save and restore with other operations.

    Each object is restored by an operation of its own; `BulkSaverBuilder`, which savers use by default, restores all of
    a shard with one.
    """

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = VariableSaveable

    def __init__(self, write_version=_V2):
        self._write_version = write_version

    def save_op(self, filename_tensor, saveables):
        """Adds the operation that saves objects.

        Args:
          filename_tensor: The prefix, or for the first format the path of the file, a `Tensor`.
          saveables: A list of `SaveableObject`s.

        Returns:
          An `Operation`.
        """
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names, slices = [s.name for s in specs], [s.slice_spec for s in specs]
        tensors = [s.tensor for s in specs]
        if self._write_version == _V2:
            return checkpoint.SaveV2(filename_tensor, names, slices, tensors)
        if self._write_version == _V1:
            return checkpoint_legacy.SaveSlices(filename_tensor, names, slices, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def restore_op(self, filename_tensor, saveable, preferred_shard):
        """Adds operations that read one object.

        Args:
          filename_tensor: The prefix, a `Tensor`.
          saveable: A `SaveableObject`.
          preferred_shard: Accepted for compatibility.

        Returns:
          A list of `Tensor`s, one for each spec.
        """
        return [
            checkpoint.RestoreV2(filename_tensor, [s.name], [s.slice_spec], dtypes=[s.dtype.base_dtype])[0]
            for s in saveable.specs
        ]

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        """Adds operations that read all objects.

        Args:
          filename_tensor: The prefix, a `Tensor`.
          saveables: A list of `SaveableObject`s.
          preferred_shard: Accepted for compatibility.
          restore_sequentially: Whether each read waits for the one before, so that less memory is needed.

        Returns:
          A list of `Tensor`s: those of all specs.
        """
        tensors = []
        for saveable in saveables:
            waits_for = [tensors[-1].op] if restore_sequentially and tensors else []
            with device(_on_cpu(saveable.device) if saveable.device else None), control_dependencies(waits_for):
                tensors += self.restore_op(filename_tensor, saveable, preferred_shard)
        return tensors

    def sharded_filename(self, filename_tensor, shard, num_shards):
        """Adds the operation that makes the name of a shard.

        Args:
          filename_tensor: The prefix, a `Tensor`.
          shard: The number of the shard, from 0 on.
          num_shards: The number of shards.

        Returns:
          A `Tensor`, a string.
        """
        return checkpoint.ShardedFilename(filename_tensor, shard, num_shards)

    def _add_save(self, filename_tensor, saveables):
        save = self.save_op(filename_tensor, saveables)
        with control_dependencies([save]):
            return identity(filename_tensor, name="control_dependency")

    def _add_whole_save(self, filename_tensor, saveables, is_local=False):
        """One operation saves all variables, after the global step was read if it is among them.

        is_local: whether the operation is of the variables' own task.
        """
        per_variable, step_is_read = _step_read_first([(_device_of(saveable), [saveable]) for saveable in saveables])
        with control_dependencies(step_is_read):
            if step_is_read and not is_local:
                per_variable = [(where, [_read_on_its_task(where, saveable)]) for where, (saveable,) in per_variable]
            return self._add_save(filename_tensor, [saveable for _, (saveable,) in per_variable])

    def _add_sharded_save(self, prefix, per_device):
        """Each device saves its own variables; then the parts become one checkpoint, or keep their names (V1)."""
        is_v2 = self._write_version == _V2
        per_device, step_is_read = _step_read_first(per_device)
        with device("/device:CPU:0"):
            base = string_join([prefix, _new_parts_suffix()]) if is_v2 else prefix
        names, saves = [], []
        for shard, (where, saveables) in enumerate(per_device):
            with device(_on_cpu(where)):
                names.append(self.sharded_filename(base, shard, len(per_device)))
                with control_dependencies(step_is_read):
                    saves.append(self._add_save(names[-1], saveables).op)
        with control_dependencies(saves), device(_on_cpu(per_device[-1][0])):
            if not is_v2:
                return checkpoint.ShardedFilespec(prefix, len(per_device))
            merge = checkpoint.MergeV2Checkpoints(names, prefix, delete_old_dirs=True)
            with control_dependencies([merge]):
                return identity(prefix)

    def save_by_task(self, prefix, saveables):
        """Adds operations by which each task saves what it has, as one checkpoint.

        Args:
          prefix: The prefix, a `Tensor`.
          saveables: A list of `SaveableObject`s.

        Returns:
          A `Tensor`: the prefix, once all is saved.
        """
        per_task = _by_task(saveables)
        if len(per_task) > 1:
            return self._add_sharded_save(prefix, per_task)
        with device(per_task[0][0]):
            return self._add_whole_save(prefix, saveables, is_local=True)

    def restore_by_device(self, prefix, saveables):
        """Adds an operation that restores objects, each task those that it has.

        Args:
          prefix: The prefix, a `Tensor`.
          saveables: A list of `SaveableObject`s.

        Returns:
          An `Operation`.
        """
        return self._add_sharded_restore(prefix, _by_device(saveables), False, False)

    def _add_restore(self, filename_tensor, saveables, restore_sequentially, reshape, shard=-1, name="restore_all"):
        tensors = self.bulk_restore(filename_tensor, saveables, shard, restore_sequentially)
        restores, used = [], 0
        for saveable in saveables:
            shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
            own = tensors[used : used + len(saveable.specs)]
            used += len(own)
            restores.append(saveable.restore(own, shapes))
        return group(*restores, name=name)

    def _add_sharded_restore(self, filename_tensor, per_device, restore_sequentially, reshape):
        restores = []
        for shard, (where, saveables) in enumerate(per_device):
            with device(where or None):
                restores.append(
                    self._add_restore(
                        filename_tensor, saveables, restore_sequentially, reshape, shard, name="restore_shard"
                    )
                )
        return group(*restores, name="restore_all")

    def build(
        self,
        names_to_saveables,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        name=None,
        restore_sequentially=False,
        filename="model",
        extras=(),
    ):
        """Adds the operations of a saver.

        Args:
          names_to_saveables: A dict from names to variables or `SaveableObject`s, or a list of them.
          reshape: Whether restored values take on the shapes of the variables.
          sharded: Whether there is a shard for each device.
          max_to_keep: Put into the result.
          keep_checkpoint_every_n_hours: Put into the result.
          name: Name scope; "save" by default.
          restore_sequentially: Whether variables of a device are restored one after the other.
          filename: The prefix where none is fed.
          extras: `SaveableObject`s that are saved, but not restored by the operation that restores all.

        Returns:
          A SaverDef.

        Raises:
          TypeError: Something is not a variable.
          ValueError: Something is there twice.
        """
        saveables, extras = saveables_of(names_to_saveables), list(extras)
        with name_scope(name or "save"):
            filename_tensor = placeholder_with_default(filename or "model", shape=(), name="filename")
            # The name by which other programs know the tensor.
            filename_tensor = placeholder_with_default(filename_tensor, shape=(), name="Const")
            if sharded:
                save = self._add_sharded_save(filename_tensor, _by_device(saveables + extras))
                per_device = _by_device(saveables)
                restore = self._add_sharded_restore(filename_tensor, per_device, restore_sequentially, reshape)
            else:
                save = self._add_whole_save(filename_tensor, saveables + extras)
                restore = self._add_restore(filename_tensor, saveables, restore_sequentially, reshape)
        _name_partitioned(get_default_graph())
        return protos.SaverDef(
            filename_tensor_name=filename_tensor.name,
            save_tensor_name=save.name,
            restore_op_name=restore.name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )


class BulkSaverBuilder(BaseSaverBuilder):
    """Restores all variables of a shard by one operation, which reads them in parallel."""

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        """Adds one operation that reads all objects; see `BaseSaverBuilder`."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        with device("/device:CPU:0"):
            return checkpoint.RestoreV2(
                filename_tensor,
                [s.name for s in specs],
                [s.slice_spec for s in specs],
                dtypes=[s.dtype.base_dtype for s in specs],
            )


def _shape_of(tensor):
    static = tensor.get_shape()
    return static.as_list() if static.is_fully_defined() else shape(tensor)


def _device_of(saveable):
    """That of an object; None if it saves nothing."""
    return saveable.device if saveable.specs else None


def _by_task(saveables):
    """[(CPU of a task, saveables)], ordered by device."""
    groups = {}
    for where, members in _by_device(saveables):
        groups.setdefault(_on_cpu(where), []).extend(members)
    return sorted(groups.items())


def _by_device(saveables):
    """[(device, saveables)], ordered by device."""
    groups = {}
    for saveable in saveables:
        devices = {DeviceSpec.from_string(spec.device or "").to_string() for spec in saveable.specs}
        if len(devices) != 1:
            raise ValueError(f"All tensors of a saveable object must be on the same device: {saveable.name}")
        groups.setdefault(devices.pop(), []).append(saveable)
    return sorted(groups.items())


def _step_read_first(per_device):
    """Has the global step read before anything is saved, and saves what was read.

    Variables are fixed one after the other, those of different devices at quite different times. If others train
    meanwhile, a variable then has more updates than the global step says, but never fewer: no update counts as made
    that is not saved.

    Returns:
      A list like `per_device`, and a list with the operation that reads the step, empty if it is not saved.
    """
    step, reads, result = _global_step_op(), [], []
    for where, saveables in per_device:
        saveables = list(saveables)
        for i, saveable in enumerate(saveables):
            if isinstance(saveable, (VariableSaveable, ResourceVariableSaveable)) and saveable.op.op is step:
                spec = saveable.specs[0]
                with device(_on_cpu(where)):
                    value = identity(spec.tensor, name="global_step")
                reads.append(value.op)
                saveables[i] = SaveableObject(saveable.op, [SaveSpec(value, "", spec.name)], saveable.name)
        result.append((where, saveables))
    return result, reads


def _read_on_its_task(where, saveable):
    """Adds a read, after the control inputs of the context, of a reference variable whose device names a task.

    That task would otherwise send its value at any time, also before the global step is read. Other saveables are
    returned as they are: one without a task is read by the operation that saves it, and a resource
    variable by an operation that its saveable adds in the same context.
    """
    is_here = DeviceSpec.from_string(where or "").job in (None, "localhost")
    if is_here or not isinstance(saveable, VariableSaveable):
        return saveable
    spec = saveable.specs[0]
    with device(where):
        value = identity(spec.tensor)
    return SaveableObject(saveable.op, [SaveSpec(value, spec.slice_spec, spec.name)], saveable.name)


def _global_step_op():
    try:
        step = get_global_step()
    except TypeError:  # a variable of that name that is something else
        return None
    return None if step is None else step.op


def _name_partitioned(graph):
    """A MetaGraphDef refers to partitioned variables in collections by the operation that joins their parts."""
    for key in graph.get_all_collection_keys():
        for member in graph.get_collection(key):
            if isinstance(member, PartitionedVariable):
                try:
                    graph.get_operation_by_name(member.name)
                except KeyError:
                    member.as_tensor()


# ---- What a save leaves behind


def ops_of_save(op):
    """The operations that a save runs.

    Args:
      op: The one that returns the prefix of what was saved.

    Returns:
      A set of `Operation`s.
    """
    found, todo = set(), [op]
    while todo:
        op = todo.pop()
        if op not in found:
            found.add(op)
            todo += [t.op for t in op.inputs] + list(op.control_inputs)
    return found


def _end_of_parts(op):
    """What follows the prefix in the prefixes of the parts, a `Tensor`; None if there are no parts."""
    for merge in ops_of_save(op):
        if merge.type != "MergeV2Checkpoints":
            continue
        for named in ops_of_save(merge.inputs[0].op):
            joined = named.inputs[0].op if named.type == "ShardedFilename" else None
            if joined is not None and joined.type == "StringJoin":
                return joined.inputs[-1]
    return None


@contextlib.contextmanager
def parts_folder(op, prefix):
    """The folder in which a sharded save has parts until they are merged; after it those of dead savers are removed.

    Each save has a folder of its own, whose name is fed. That in the graph is the same for all processes that import
    one MetaGraphDef, and in those of TensorFlow 2 for all that save to the prefix.

    Args:
      op: As for `ops_of_save`.
      prefix: The prefix that is to be saved.

    Returns:
      A context manager for the save. It gives a new dict of what to feed, {`Tensor`: str}; without parts it is empty,
      and no folder is made.
    """
    end = _end_of_parts(op)
    if end is None:
        yield {}
        return
    suffix = _new_parts_suffix()
    with PartsFolder(os.path.dirname(prefix + suffix)):
        yield {end: suffix}
    remove_dead(prefix)
