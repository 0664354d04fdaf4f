"""What `tf.train.Checkpoint.restore` returns: objects that run the operations of a restore, and check what it found.

The objects of the program and those of the checkpoint are matched by the names by which they are reached from the
root. Objects that come later are found when a method is called, so a checkpoint may be restored before all variables
exist.
"""

import itertools
import weakref

from tfcore.framework.graph.graph import get_default_graph
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.platform import tf_logging
from tfcore.train.checkpoints.object_graph import VALUE, ObjectGraph, has_value, object_id, parts_of, paths, slot_of
from tfcore.train.checkpoints.object_saver import session_or_default
from tfcore.variables.partitioned import PartitionedVariable
from tfcore.variables.trackable import checkpoint_dependencies

_numbers = itertools.count(1)
_restored_by = weakref.WeakKeyDictionary()  # {variable or part: the number of the last restore that found it}


def _left_to(number, items):
    """The variables, or their parts, that neither the restore of a number found nor a later one."""
    return [part for item in items for part in parts_of(item) if _restored_by.get(part, 0) < number]


class _Status:
    """What the kinds of status have in common."""

    def __init__(self, root):
        self._root = root
        self._graph = get_default_graph()
        self._number = next(_numbers)

    def _variables(self):
        """The variables that can be reached now."""
        with self._graph.as_default():
            return list(ObjectGraph(self._root).variables().values())

    def expect_partial(self):
        """Silences warnings about values of the checkpoint that are not used.

        Returns:
          This object.
        """
        return self


class CheckpointLoadStatus(_Status):
    """The restore of an object-based checkpoint.

    Args:
      saver: The `ObjectSaver`.
      prefix: Prefix of the checkpoint.
      saved: Its TrackableObjectGraph.
    """

    def __init__(self, saver, prefix, saved):
        super().__init__(saver.root)
        self._saver = saver
        self._prefix = prefix
        self._saved = saved
        self._found = {}  # {number of a node: the object}
        self._unused = {}  # {number of a node: the attributes that its object lacks}
        self._inconsistent = set()  # numbers of nodes that are two objects here
        self._operations = []
        self._prefix_tensor = None
        self._match()
        self._warning = weakref.finalize(self, _warn_of_unused, saved, self._found, self._unused)

    # ---- Matching

    def _match(self):
        """Finds the objects that have come since, and adds the operation that restores them.

        If that fails nothing counts as found, so that the next call fails as well.
        """
        with self._graph.as_default():
            found = self._with_children()
            self._add_slots(found)
        values, unused, restored = {}, {}, set()
        for number in sorted(set(found) - set(self._found)):
            for attribute in self._saved.nodes[number].attributes:
                if attribute.name != VALUE or not has_value(found[number]):
                    unused.setdefault(number, []).append(attribute.name)
                    continue
                left = [part for part in _left_to(self._number, [found[number]]) if part not in restored]
                restored.update(left)
                if left:
                    is_parts = isinstance(found[number], PartitionedVariable)
                    values[attribute.checkpoint_key] = left if is_parts else found[number]
        if values:
            operation, self._prefix_tensor = self._saver.restore_op(self._graph, values)
            self._operations.append(operation)
        self._found.update(found)
        self._unused.update(unused)
        _restored_by.update(dict.fromkeys(restored, self._number))

    def _with_children(self):
        """What was found before and can be reached now, by the numbers of nodes."""
        found, reached, todo = dict(self._found), {0: self._root}, [0]
        for number in todo:  # grows meanwhile
            found.setdefault(number, reached[number])
            children = checkpoint_dependencies(reached[number])
            for child in self._saved.nodes[number].children:
                if child.local_name not in children:
                    continue
                item = children[child.local_name]
                if child.node_id not in reached:
                    reached[child.node_id] = item
                    todo.append(child.node_id)
                elif object_id(reached[child.node_id]) != object_id(item):
                    self._warn_of_two(child.node_id, reached[child.node_id], item)
        return found

    def _warn_of_two(self, number, first, second):
        if number not in self._inconsistent:
            self._inconsistent.add(number)
            tf_logging.warning(
                "Inconsistent references when loading the checkpoint into this object graph: one object of the "
                "checkpoint is two different objects here: (%s and %s). Only the first one is restored.",
                first,
                second,
            )

    def _add_slots(self, found):
        for number, item in list(found.items()):
            if not hasattr(item, "get_slot_names"):
                continue
            for slot in self._saved.nodes[number].slot_variables:
                variable = found.get(slot.original_variable_node_id)
                slot_here = None if variable is None else slot_of(item, variable, slot.slot_name)
                if slot_here is not None:
                    found.setdefault(slot.slot_variable_node_id, slot_here)

    def _unmatched(self):
        """The variables that are not found, at least in part."""
        found = {id(part) for item in self._found.values() if has_value(item) for part in parts_of(item)}
        return [v for v in self._variables() if not found.issuperset(map(id, parts_of(v)))]

    # ---- Checks

    def assert_consumed(self):
        """Checks that the checkpoint and the program have the same variables.

        Returns:
          This object.

        Raises:
          AssertionError: A value of the checkpoint is not used, or a variable of the program is not in it.
        """
        self.assert_existing_objects_matched()
        names = paths(self._saved)
        for number, node in enumerate(self._saved.nodes):
            if node.attributes and number not in self._found:
                raise AssertionError(f"Unresolved object in checkpoint {names[number]}: {node}")
        if self._unused:
            lines = "\n".join(f"{names[n]} ({self._found[n]}): {unused}" for n, unused in self._unused.items())
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                f"{lines}"
            )
        return self

    def assert_existing_objects_matched(self):
        """Checks that all variables that exist are in the checkpoint.

        Returns:
          This object.

        Raises:
          AssertionError: One is not.
        """
        self._match()
        unmatched = self._unmatched()
        if unmatched:
            shown = min(10, len(unmatched))
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {shown} of {len(unmatched)} unmatched objects: "
                f"{unmatched[:shown]}"
            )
        return self

    def assert_nontrivial_match(self):
        """Checks that the checkpoint and the program have something in common, besides the root.

        Returns:
          This object.

        Raises:
          AssertionError: They have nothing in common.
        """
        self._match()
        if len(self._found) > 1:
            return self
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
                "does not match the Python program. The following objects have no matching checkpointed value: "
                f"{unmatched}"
            )
        raise AssertionError(f"Nothing to load. No dependencies have been added to {self._root} yet.")

    # ---- Operations

    def run_restore_ops(self, session=None):
        """Restores the variables that are in the checkpoint.

        Args:
          session: The `Session`; the default session if None.

        Raises:
          RuntimeError: There is no session.
          tf.errors.InvalidArgumentError: A type differs, or a shape; a resource variable takes on another shape,
            though, as in TensorFlow.
          tf.errors.DataLossError: The checkpoint is damaged.
        """
        session = session_or_default(session, "restore a checkpoint")
        self._match()
        if self._operations:
            session.run(self._operations, {self._prefix_tensor: self._prefix})

    def initialize_or_restore(self, session=None):
        """Restores the variables that are in the checkpoint, and initializes the others.

        Args:
          session: The `Session`; the default session if None.

        Raises:
          RuntimeError: There is no session.
          tf.errors.InvalidArgumentError: A type differs, or a shape; a resource variable takes on another shape,
            though, as in TensorFlow.
          tf.errors.DataLossError: The checkpoint is damaged.
        """
        session = session_or_default(session, "restore a checkpoint")
        self.run_restore_ops(session)
        session.run([v.initializer for v in _left_to(self._number, self._unmatched())])

    def expect_partial(self):
        """Silences warnings about values of the checkpoint that are not used.

        Returns:
          This object.
        """
        self._warning.detach()
        return self


def _warn_of_unused(saved, found, unused):
    """Says, when a status goes away, what of its checkpoint was not restored."""
    names = paths(saved)
    lacking = [names[n] for n, node in enumerate(saved.nodes) if node.attributes and n not in found]
    lacking += [f"{names[n]}, attribute {name}" for n, attributes in unused.items() for name in attributes]
    if not lacking:
        return
    tf_logging.warning(
        "A checkpoint was restored (e.g. tf.train.Checkpoint.restore) but not all checkpointed values were used. Use "
        "expect_partial() on the load status object, e.g. tf.train.Checkpoint.restore(...).expect_partial(), to "
        "silence these warnings, or use assert_consumed() to make the check explicit."
    )
    for name in lacking:
        tf_logging.warning("Value in checkpoint could not be found in the restored object: %s", name)


class InitializationOnlyStatus(_Status):
    """There is no checkpoint: variables can only be initialized."""

    def _refuse(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self):
        """Fails.

        Raises:
          AssertionError: In any case.
        """
        self._refuse()

    def assert_existing_objects_matched(self):
        """Fails.

        Raises:
          AssertionError: In any case.
        """
        self._refuse()

    def assert_nontrivial_match(self):
        """Fails.

        Raises:
          AssertionError: In any case.
        """
        self._refuse()

    def run_restore_ops(self, session=None):
        """Fails; see `initialize_or_restore`.

        Args:
          session: Not used.

        Raises:
          AssertionError: In any case.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session=None):
        """Initializes the variables, except for those that a later restore found.

        Args:
          session: The `Session`; the default session if None.

        Raises:
          RuntimeError: There is no session.
        """
        session = session_or_default(session, "initialize variables")
        session.run([v.initializer for v in _left_to(self._number, self._variables())])


class NameBasedSaverStatus(_Status):
    """The restore of a checkpoint that a `Saver` wrote: variables are found by their names in the graph.

    Args:
      saver: The `ObjectSaver`.
      prefix: Prefix of the checkpoint.
      optional: A function that returns a variable that the checkpoint may lack; it is initialized then.
    """

    def __init__(self, saver, prefix, optional):
        super().__init__(saver.root)
        self._saver = saver
        self._prefix = prefix
        self._optional = optional
        tf_logging.warning(
            "Restoring a name-based tf.train.Saver checkpoint using the object-based restore API. This mode uses "
            "global names to match variables, and so is somewhat fragile. It also adds new restore ops to the graph. "
            "Prefer re-encoding training checkpoints in the object-based format: run save() on the object-based saver "
            "(the same one this message is coming from) and use that checkpoint in the future."
        )

    def assert_consumed(self):
        """Checks that all variables were restored.

        Returns:
          This object.

        Raises:
          AssertionError: One was not, or the restore was not run yet.
        """
        for variable in self._variables():
            if _left_to(self._number, [variable]):
                raise AssertionError(f"Object not restored: {variable}")
        return self

    def assert_existing_objects_matched(self):
        """As `assert_consumed`: the checkpoint says nothing about objects.

        Returns:
          This object.

        Raises:
          AssertionError: A variable was not restored.
        """
        return self.assert_consumed()

    def assert_nontrivial_match(self):
        """As `assert_consumed`.

        Returns:
          This object.

        Raises:
          AssertionError: A variable was not restored.
        """
        return self.assert_consumed()

    def run_restore_ops(self, session=None):
        """Restores all variables, except for those that a later restore found.

        Args:
          session: The `Session`; the default session if None.

        Raises:
          RuntimeError: There is no session.
          tf.errors.NotFoundError: The checkpoint lacks a variable.
          tf.errors.InvalidArgumentError: A type differs, or a shape; a resource variable takes on another shape,
            though, as in TensorFlow.
        """
        session = session_or_default(session, "restore a checkpoint")
        variables = _left_to(self._number + 1, self._variables())
        initialized = [v for v in variables if v is self._optional() and not self._has(v)]
        restored = [v for v in variables if not any(v is other for other in initialized)]
        self._saver.name_saver(self._graph, restored).restore(session, self._prefix)
        session.run([v.initializer for v in initialized])
        _restored_by.update(dict.fromkeys(variables, self._number))

    def _has(self, variable):
        return NewCheckpointReader(self._prefix).has_tensor(variable.op.name)

    def initialize_or_restore(self, session=None):
        """As `run_restore_ops`.

        Args:
          session: The `Session`; the default session if None.

        Raises:
          RuntimeError: There is no session.
          tf.errors.NotFoundError: The checkpoint lacks a variable.
          tf.errors.InvalidArgumentError: A type differs, or a shape; a resource variable takes on another shape,
            though, as in TensorFlow.
        """
        self.run_restore_ops(session)
