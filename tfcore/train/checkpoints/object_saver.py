"""The operations by which `tf.train.Checkpoint` saves and restores the variables below an object."""

import os

from tfcore import compat
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import device, name_scope
from tfcore.framework.types import dtypes
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.array.constants import constant, placeholder
from tfcore.ops.control_flow.control import no_op
from tfcore.platform import io_gfile
from tfcore.train.checkpoints.object_graph import OBJECT_GRAPH_KEY, ObjectGraph, parts_of
from tfcore.train.checkpoints.save_order import saving_to
from tfcore.train.checkpoints.saveable import saveables_of
from tfcore.train.checkpoints.saver import Saver
from tfcore.train.checkpoints.saver_builder import BulkSaverBuilder, parts_folder


def session_or_default(session, what):
    """`session`, or the default session if it is None.

    Raises:
      RuntimeError: There is none; `what` says what it was needed for.
    """
    session = session or get_default_session()
    if session is None:
        raise RuntimeError(
            f"Unable to {what} in graph mode without a default session. Please use `with tf.Session():` to create a "
            "session."
        )
    return session


class _Operations:
    """What a saver has added to a graph."""

    def __init__(self, graph):
        with graph.as_default(), device("/cpu:0"), name_scope("checkpoint"):
            self.prefix = placeholder(dtypes.string, [], name="prefix")
            self.object_graph = placeholder(dtypes.string, [], name="object_graph")
        self.save = None
        self.saved = None  # what `save` saves
        self.variables = None  # those; as long as they live, `saved` is about them
        self.restores = {}  # {what is restored: (the operation, the variables)}
        self.savers = {}  # {`id`s of variables: (the saver that finds them by name, the variables)}


def _signature(variables):
    """Tells whether operations are for these variables, under these keys."""
    return tuple((key, *map(id, parts_of(variable))) for key, variable in sorted(variables.items()))


class ObjectSaver:
    """Saves and restores what can be reached from `root`. Operations are added when they are first needed."""

    def __init__(self, root):
        self._root = root
        self._operations = {}  # {graph: what was added to it}

    @property
    def root(self):
        """The object."""
        return self._root

    def _of_graph(self, graph):
        if graph not in self._operations:
            self._operations[graph] = _Operations(graph)
        return self._operations[graph]

    def save(self, prefix, session):
        """Writes a checkpoint.

        Args:
          prefix: Prefix of its files; the folder is created.
          session: The `Session`, None for the default session.

        Returns:
          The prefix, a string.

        Raises:
          NotImplementedError: An optimizer's slot can be reached by another way as well.
          RuntimeError: There is no session.
          ValueError: Something below the root has state that can't be saved.
          tf.errors.FailedPreconditionError: A variable is not initialized.
          tf.errors.OpError: The files can't be written.
        """
        prefix = compat.as_str(os.fspath(prefix))
        session = session_or_default(session, f'save checkpoint to "{prefix}"')
        with session.graph.as_default():
            objects = ObjectGraph(self._root)
            added = self._of_graph(session.graph)
            self._add_save(added, objects.variables())
        folder = os.path.dirname(prefix)
        if folder:
            io_gfile.makedirs(folder)
        feeds = {added.prefix: prefix, added.object_graph: objects.to_proto().SerializeToString()}
        with saving_to(prefix), parts_folder(added.save.op, prefix) as parts:
            result = session.run(added.save, feeds | parts)
        return compat.as_str(result)

    def _add_save(self, added, variables):
        signature = _signature(variables)
        if added.saved == signature:
            return
        saveables = saveables_of(variables)
        where = saveables[0].device if saveables else None
        spec = SaveSpec(added.object_graph, "", OBJECT_GRAPH_KEY, device=where)
        saveables.append(SaveableObject(added.object_graph, [spec], OBJECT_GRAPH_KEY))
        with name_scope("checkpoint/save/"):
            added.save = BulkSaverBuilder().save_by_task(added.prefix, saveables)
        added.saved, added.variables = signature, variables

    def restore_op(self, graph, variables):
        """The operation that restores variables from the checkpoint that is fed.

        Args:
          graph: The `Graph`.
          variables: A dict from keys in the checkpoint to variables, or lists of parts of a partitioned one.

        Returns:
          An `Operation`, and the `Tensor` for the prefix.
        """
        added = self._of_graph(graph)
        signature = _signature(variables)
        if signature not in added.restores:
            with graph.as_default(), name_scope("checkpoint/restore/"):
                operation = BulkSaverBuilder().restore_by_device(added.prefix, saveables_of(variables))
            added.restores[signature] = operation, variables
        return added.restores[signature][0], added.prefix

    def name_saver(self, graph, variables):
        """A saver that restores checkpoints of savers, which have variables by their names in the graph.

        Args:
          graph: The `Graph`.
          variables: A list of variables, or parts of them.

        Returns:
          A `Saver`.
        """
        savers = self._of_graph(graph).savers
        key = tuple(map(id, variables))
        if key not in savers:
            with graph.as_default():
                savers[key] = Saver(variables, allow_empty=True), variables
        return savers[key][0]


class _ConstantObjectGraph(SaveableObject):
    """The graph of objects as it is now. To restore it changes nothing."""

    def __init__(self, objects, where):
        text = constant(objects.to_proto().SerializeToString(), dtypes.string, name="object_graph")
        super().__init__(text, [SaveSpec(text, "", OBJECT_GRAPH_KEY, device=where)], OBJECT_GRAPH_KEY)

    def restore(self, restored_tensors, restored_shapes):
        return no_op()


def saver_of_objects(root, **kwargs):
    """A saver whose checkpoints are object-based, for what can be reached from `root` now.

    It restores variables by their keys alone, not by the graph of objects in the checkpoint.

    Args:
      root: The object.
      **kwargs: Further arguments of `Saver`.

    Returns:
      A `Saver`.

    Raises:
      NotImplementedError: An optimizer's slot can be reached by another way as well.
      ValueError: Something below the root has state that can't be saved.
    """
    objects = ObjectGraph(root)
    variables = objects.variables()
    saveables = saveables_of(variables)
    where = saveables[0].device if saveables else None
    return Saver({**variables, OBJECT_GRAPH_KEY: _ConstantObjectGraph(objects, where)}, **kwargs)
