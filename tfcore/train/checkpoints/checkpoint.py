"""tf.train.Checkpoint: saves and restores the variables below an object, by the names that lead to them."""

import os

from tfcore import compat
from tfcore.framework.functions.func_graph import init_scope
from tfcore.framework.graph.graph import colocate_with, device, get_default_graph
from tfcore.framework.types import dtypes
from tfcore.platform.file_system import explained
from tfcore.train.checkpoints import checkpoint_management
from tfcore.train.checkpoints.load_status import CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus
from tfcore.train.checkpoints.object_graph import read_object_graph
from tfcore.train.checkpoints.object_saver import ObjectSaver, session_or_default
from tfcore.train.checkpoints.save_order import changing_lists
from tfcore.variables.trackable import AutoTrackable, is_trackable, refuse
from tfcore.variables.variables import Variable


class Checkpoint(AutoTrackable):
    """Groups objects, whose variables it saves and restores.

    A `Saver` finds variables by their names in the graph. This class finds them by the names of attributes that lead to
    them, starting from its own, as in `model.layers[0].kernel`: below modules, layers, optimizers, templates, lists,
    tuples and dicts. So a program may change the names of its operations, and restore parts of a checkpoint. The slots
    that optimizers have for variables are saved if both are below this object. A partitioned variable is saved as one
    tensor, also where some of its parts are below this object as well.

    TensorFlow 2 reads these checkpoints, and this class reads those of TensorFlow 2.

    Attributes:
      save_counter: A variable that counts the calls of `save`, and numbers checkpoints.

    Example:

    >>> import os, tempfile
    >>> layer = tf.layers.Dense(1)
    >>> loss = tf.reduce_sum(layer(tf.ones([1, 2])))
    >>> optimizer = tf.train.AdamOptimizer()
    >>> train = optimizer.minimize(loss)
    >>> checkpoint = tf.train.Checkpoint(layer=layer, optimizer=optimizer)
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
    ...     checkpoint.restore(tf.train.latest_checkpoint(folder)).initialize_or_restore()
    ...     sess.run(train)
    ...     path = checkpoint.save(folder + "/model")
    ...     checkpoint.restore(path).assert_consumed().run_restore_ops()
    ...     print(os.path.basename(path), tf.train.list_variables(path)[1])
    model-1 ('layer/bias/.ATTRIBUTES/VARIABLE_VALUE', [1])
    """

    def __init__(self, **kwargs):
        """Makes a checkpoint of some objects.

        Args:
          **kwargs: The objects, which become attributes of these names.

        Raises:
          ValueError: One has nothing to save: it is not a variable, layer, optimizer, `tf.Module`, template, list,
            tuple or dict.
        """
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                refuse(value)
            setattr(self, name, value)
        self._save_counter = None  # made when it is first needed
        self._count = None
        self._saver = ObjectSaver(self)

    @property
    def _checkpoint_dependencies(self):
        own = {"_save_counter": "save_counter"}
        return [(own.get(name, name), value) for name, value in vars(self).items()]

    @property
    def save_counter(self):
        """A variable that `save` increments; it starts at 0."""
        if self._save_counter is None:
            with init_scope(), device("/cpu:0"):
                self._save_counter = Variable(
                    0, name="save_counter", dtype=dtypes.int64, trainable=False, use_resource=True
                )
        return self._save_counter

    def write(self, file_prefix, session=None):
        """Writes a checkpoint, without a number; `tf.train.latest_checkpoint` does not find it.

        Args:
          file_prefix: Prefix of the files; their folder is created.
          session: The `Session`; the default session if None.

        Returns:
          The prefix, a string.

        Raises:
          NotImplementedError: An optimizer's slot can be reached by another way as well.
          RuntimeError: There is no session.
          ValueError: Something below this object has state that can't be saved, as mutable tables have.
          tf.errors.FailedPreconditionError: A variable is not initialized.
          tf.errors.OpError: The files can't be written.
        """
        return self._saver.save(file_prefix, session)

    def save(self, file_prefix, session=None):
        """Writes a checkpoint with the next number, and makes it the latest one of its folder.

        Args:
          file_prefix: Prefix of the files, to which "-1" and so on is appended; their folder is created.
          session: The `Session`; the default session if None.

        Returns:
          The prefix with the number, a string, for `restore`.

        Raises:
          NotImplementedError: It is called in the body of a function, or an optimizer's slot can be reached by another
            way as well.
          RuntimeError: There is no session.
          ValueError: Something below this object has state that can't be saved, as mutable tables have.
          tf.errors.FailedPreconditionError: A variable is not initialized.
          tf.errors.OpError: The files can't be written.
        """
        file_prefix = compat.as_str(os.fspath(file_prefix))
        path = self.write(f"{file_prefix}-{self._next_number(session, file_prefix)}", session)
        with changing_lists(), explained(path):
            checkpoint_management.write_state(os.path.dirname(file_prefix), path, [path], None, True)
        return path

    def _next_number(self, session, what):
        """Increments the counter; a new one is initialized. Returns its value."""
        if get_default_graph().building_function:
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), "
                "a lower-level API which does not update metadata. tf.train.latest_checkpoint and related APIs will "
                "not see this checkpoint."
            )
        session = session_or_default(session, f'save checkpoint to "{what}"')
        with session.graph.as_default():
            if self._save_counter is None:
                session.run(self.save_counter.initializer)
            if self._count is None:
                with colocate_with(self.save_counter.op):
                    self._count = self.save_counter.assign_add(1)._as_graph_element()
        return int(session.run(self._count))

    def restore(self, save_path):
        """Finds the variables of a checkpoint, and adds the operations that restore them; the result runs these.

        Args:
          save_path: Prefix of the checkpoint, as `save` or `tf.train.latest_checkpoint` returns it. It may be one of a
            `Saver`, in which variables are found by their names in the graph. None: variables are only initialized.

        Returns:
          A status, which has the methods

          - `initialize_or_restore(session=None)`: restores what is in the checkpoint, and initializes other variables;
          - `run_restore_ops(session=None)`: restores only;
          - `assert_consumed()`: raises AssertionError unless the checkpoint and the program have the same variables;
          - `assert_existing_objects_matched()`: raises AssertionError if the checkpoint lacks a variable of the
            program;
          - `assert_nontrivial_match()`: raises AssertionError if they have nothing in common;
          - `expect_partial()`: switches off the warning about values that were not used.

          Variables that are created later are matched when one of these methods is called.

        Raises:
          ValueError: Something below this object has state that can't be restored, as mutable tables have.
          tf.errors.NotFoundError: There is no such checkpoint.
          tf.errors.DataLossError: It is damaged.
        """
        if save_path is None:
            status = InitializationOnlyStatus(self)
        else:
            prefix = compat.as_str(os.fspath(save_path))
            saved = read_object_graph(prefix)
            if saved is None:
                status = NameBasedSaverStatus(self._saver, prefix, lambda: self._save_counter)
            else:
                status = CheckpointLoadStatus(self._saver, prefix, saved)
        self.save_counter  # noqa: B018  made now, so that it is initialized or restored with the others
        return status
