"""tf.train.Saver: saves the variables of a session to checkpoints, restores them, and deletes old checkpoints."""

import contextlib
import difflib
import functools
import glob
import os
import re
import time

import numpy as np

from tfcore import compat
from tfcore.client.session import BaseSession
from tfcore.core.threads import progress
from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.io import meta_graph
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.platform import io_gfile, tf_logging
from tfcore.platform.file_system import explained
from tfcore.train import training_util  # noqa: F401  graphs with queue runners
from tfcore.train.checkpoints import checkpoint_management  # noqa: F401  graphs with queue runners
from tfcore.train.checkpoints.object_graph import keys_by_name
from tfcore.train.checkpoints.save_order import changing_lists, saving_to, until_listed
from tfcore.train.checkpoints.saveable import all_saveable_objects, by_object_keys
from tfcore.train.checkpoints.saved_state import SavedState
from tfcore.train.checkpoints.saver_builder import BulkSaverBuilder, ops_of_save, parts_folder
from tfcore.train.threads import queue_runner  # noqa: F401  graphs with queue runners

_V2 = 2  # SaverDef.V2
export_meta_graph = meta_graph.export_meta_graph


class Saver:
    """Saves variables to checkpoints, which TensorFlow can read, and restores them.

    `save` writes the files `PREFIX.index` and `PREFIX.data-...`, and `PREFIX.meta` with the graph. The checkpoint is
    complete when `save` returns, whatever happens to the machine later, and the ones before stay complete until then.

    Example:

    >>> import os, tempfile
    >>> v = tf.Variable(1.0, name="v")
    >>> saver = tf.train.Saver()
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     path = saver.save(sess, folder + "/model", global_step=10)
    ...     _ = sess.run(v.assign(2.0))
    ...     saver.restore(sess, path)
    ...     print(os.path.basename(path), sess.run(v))
    model-10 1.0
    """

    def __init__(
        self,
        var_list=None,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        name=None,
        restore_sequentially=False,
        saver_def=None,
        builder=None,
        defer_build=False,
        allow_empty=False,
        write_version=_V2,
        pad_step_number=False,
        save_relative_paths=False,
        filename=None,
        save_random_state=False,
        save_queues=False,
    ):
        """Adds the operations that save and restore to the default graph.

        Args:
          var_list: A list of variables, which have the names of their operations in checkpoints, or a dict from names
            to variables. By default all global variables and what is in the collection SAVEABLE_OBJECTS.
          reshape: Whether values of other shapes, but as many elements, may be restored.
          sharded: Whether each device, and so each task, writes a file of its own. The tasks need a common file system.
          max_to_keep: How many checkpoints to keep; None or 0 for all.
          keep_checkpoint_every_n_hours: One checkpoint for each such time is kept for good, besides the last ones.
          name: Name scope of the operations; "save" by default.
          restore_sequentially: Accepted for compatibility: one operation reads all variables of a device.
          saver_def: A SaverDef: the operations are in the graph already.
          builder: A `BaseSaverBuilder`, which adds the operations.
          defer_build: Whether `build` adds the operations later.
          allow_empty: Whether there may be no variables; saving does nothing then.
          write_version: SaverDef.V2, or SaverDef.V1 for files of the first format. Both are read.
          pad_step_number: Whether the step in a checkpoint's name has at least eight digits.
          save_relative_paths: Whether the file "checkpoint" has paths relative to its folder, which can be moved then.
          filename: The prefix that the operations use if none is fed.
          save_random_state: Whether checkpoints have the state of the graph's random operations, and `restore` sets it
            (`saved_state.py`).
          save_queues: Whether they have the elements of the graph's queues, and `restore` sets them.

        Raises:
          TypeError: Something in `var_list` is not a variable.
          ValueError: There are no variables, two have one name, or `saver_def` is not complete.
        """
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def = protos.as_message(protos.SaverDef, saver_def)
        self._builder = builder
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._state_wanted = save_random_state, save_queues
        self._state = None
        self._object_savers = {}  # {(graph, (name, key) pairs of an object-based checkpoint): its saver}
        self._is_built = False
        self._is_empty = None
        self._last_checkpoints = []  # (prefix, time), oldest first
        self._checkpoints_to_be_deleted = []
        if not defer_build:
            self.build()

    def build(self):
        """Adds the operations that save and restore, unless they are there.

        Raises:
          ValueError: There are no variables.
        """
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            if self._var_list is None:
                self._var_list = all_saveable_objects()
            self._is_empty = hasattr(self._var_list, "__len__") and not len(self._var_list)
            if self._is_empty:
                if self._allow_empty:
                    return
                raise ValueError("No variables to save")
            builder = self._builder or BulkSaverBuilder(self._write_version)
            self.saver_def = builder.build(
                self._var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename,
                **self._state_to_save(),
            )
        elif self._name and isinstance(self.saver_def, protos.SaverDef):
            self.saver_def = _in_scope(self.saver_def, self._name)
        self._check_saver_def()
        self._write_version = self.saver_def.version
        self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def _state_to_save(self):
        """A keyword for the builder."""
        if not any(self._state_wanted):
            return {}
        if self._write_version != _V2:
            raise ValueError("Checkpoints of the first format have no random state and no queues")
        self._state = SavedState(get_default_graph(), *self._state_wanted)
        return {"extras": self._state.saveables}

    def _check_saver_def(self):
        if not isinstance(self.saver_def, protos.SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(self.saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {self.saver_def}")

    # ---- Protocol buffers

    def as_saver_def(self):
        """The names of the saver's operations.

        Returns:
          A SaverDef.
        """
        return self.saver_def

    def to_proto(self, export_scope=None):
        """Describes the saver as a protocol buffer.

        Args:
          export_scope: A name scope to strip from names (optional).

        Returns:
          A SaverDef, or None if the operations are outside of `export_scope`.
        """
        if export_scope is None:
            return self.saver_def
        names = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if not all(getattr(self.saver_def, field).startswith(export_scope) for field in names):
            return None
        result = protos.SaverDef()
        result.CopyFrom(self.saver_def)
        for field in names:
            setattr(result, field, re.sub(rf"^{re.escape(export_scope.rstrip('/'))}/", "", getattr(result, field)))
        return result

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        """Makes a saver for operations that are in the graph.

        Args:
          saver_def: A SaverDef.
          import_scope: The name scope that was added to names (optional).

        Returns:
          A `Saver`.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- Checkpoints that there are

    @property
    def last_checkpoints(self):
        """The prefixes of the checkpoints that `save` wrote and has not deleted, from oldest to newest."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints):
        """Sets the list of checkpoints; see `set_last_checkpoints_with_time`.

        Args:
          last_checkpoints: A list of prefixes, from oldest to newest. When they were written is not known, so `save`
            forgets them in their turn, but does not delete them, as in TensorFlow.
        """
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, np.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """Sets the list of checkpoints that `save` will delete in their turn.

        Args:
          last_checkpoints_with_time: A list of tuples of a prefix and the time in seconds since 1970, oldest first.
        """
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths):
        """Takes over the checkpoints of an earlier process, so that they are deleted in their turn.

        Args:
          checkpoint_paths: A list of prefixes, from oldest to newest; those that do not exist are left out.
        """
        found = []
        for path in checkpoint_paths:
            with contextlib.suppress(errors.NotFoundError):  # somebody deletes it just now
                found += [(path, t) for t in checkpoint_management.get_checkpoint_mtimes([path])]
        self.set_last_checkpoints_with_time(found)

    def _record(self, path):
        """Notes a checkpoint that was written; those that are too many will be deleted."""
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [(p, t) for p, t in self._last_checkpoints if p != path]
        # A save that failed late has left what it would have deleted; now it is a new checkpoint.
        self._checkpoints_to_be_deleted = [(p, t) for p, t in self._checkpoints_to_be_deleted if p != path]
        self._last_checkpoints.append((path, time.time()))
        while len(self._last_checkpoints) > self.saver_def.max_to_keep:  # several, if an earlier process kept more
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _delete_old(self, meta_graph_suffix):
        while self._checkpoints_to_be_deleted:
            path, written = self._checkpoints_to_be_deleted.pop(0)
            if written > self._next_checkpoint_time:
                self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
            else:
                checkpoint_management.remove_old_checkpoint(path, self.saver_def.version, meta_graph_suffix)

    # ---- Saving

    def save(
        self,
        sess,
        save_path,
        global_step=None,
        latest_filename=None,
        meta_graph_suffix="meta",
        write_meta_graph=True,
        write_state=True,
        strip_default_attrs=False,
        save_debug_info=False,
        in_background=False,
    ):
        """Saves the variables of a session.

        Threads, and processes of one machine, may save to one prefix at the same time: all values of the checkpoint are
        then of one of the saves (`docs/design/checkpoints.md` has the exceptions).

        Args:
          sess: The `Session`.
          save_path: Prefix of the files.
          global_step: A number, or a tensor or name of one, to append to the prefix, as in "model-100".
          latest_filename: Name of the file that lists the checkpoints of the folder; "checkpoint" by default.
          meta_graph_suffix: Suffix of the file of the graph.
          write_meta_graph: Whether the graph is saved, too.
          write_state: Whether that list is written, and old checkpoints deleted.
          strip_default_attrs: Whether the graph omits attributes with default values.
          save_debug_info: Must be False.
          in_background: Whether the save leaves the machine to those that train meanwhile: it then runs with the lowest
            priority (`docs/design/checkpoints.md`). In the background or not, the first update of a variable during a
            save copies the variable, so up to twice the memory of the variables is in use until the save ends.

        Returns:
          The prefix of the checkpoint, a string, for `restore`; None if there are no variables.

        Raises:
          TypeError: `sess` is not a session.
          ValueError: `latest_filename` has a folder, or is `save_path`; or the folder does not exist.
          RuntimeError: `build` was not called.
          tf.errors.OpError: The files can't be written.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = compat.as_str(os.fspath(save_path))
        prefix = self._prefix(sess, save_path, global_step, latest_filename)
        if not isinstance(sess, BaseSession):
            inside = "; sess.run_step_fn(lambda step_context: saver.save(step_context.session, ...)) saves"
            raise TypeError(f"'sess' must be a Session; {sess}{inside if hasattr(sess, 'run_step_fn') else ''}")
        options = _background_options() if in_background else None
        # The graph comes before the list that makes this the latest checkpoint, and deleting comes last: whenever the
        # machine stops, the latest checkpoint of the list has all of its files.
        with until_listed(prefix):
            with saving_to(prefix):
                saved = None if self._is_empty else self._save_variables(sess, save_path, prefix, options)
                if write_meta_graph:
                    path = checkpoint_management.meta_graph_filename(prefix, meta_graph_suffix)
                    with sess.graph.as_default(), explained(path):
                        self.export_meta_graph(
                            path, strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info
                        )
            if saved is not None and write_state:
                self._list_latest(saved, os.path.dirname(save_path), latest_filename, meta_graph_suffix)
        return saved

    def _list_latest(self, saved, folder, latest_filename, meta_graph_suffix):
        with changing_lists():
            self._record(saved)
            with explained(os.path.join(folder, latest_filename)):
                checkpoint_management.write_state(
                    folder, saved, self.last_checkpoints, latest_filename, self._save_relative_paths
                )
            self._delete_old(meta_graph_suffix)

    def _prefix(self, sess, save_path, global_step, latest_filename):
        if global_step is None:
            if os.path.basename(save_path) == latest_filename and not self._sharded:
                raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
            return save_path
        if not isinstance(global_step, compat.integral_types):
            global_step = training_util.global_step(sess, global_step)
        return f"{save_path}-{global_step:08d}" if self._pad_step_number else f"{save_path}-{global_step:d}"

    def snapshots_per_save(self, graph):
        """How many operations save values, each of a snapshot that is then written while others train.

        Args:
          graph: The graph.

        Returns:
          An int.
        """
        if self._is_empty:
            return 0
        last = graph.get_tensor_by_name(self.saver_def.save_tensor_name).op
        return sum(op.type in ("SaveV2", "SaveSlices", "Save") for op in ops_of_save(last))

    def _save_variables(self, sess, save_path, prefix, options):
        last = sess.graph.get_tensor_by_name(self.saver_def.save_tensor_name).op
        with parts_folder(last, prefix) as feeds:
            try:
                if self._state is not None:
                    feeds.update(self._state.feeds(sess))
                feeds[self.saver_def.filename_tensor_name] = prefix
                result = sess.run(self.saver_def.save_tensor_name, feeds, options)
            except (errors.FailedPreconditionError, errors.NotFoundError):
                parent = os.path.dirname(save_path)
                if parent and not io_gfile.isdir(parent):
                    raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from None
                raise
        return compat.as_str(result)

    def export_meta_graph(
        self,
        filename=None,
        collection_list=None,
        as_text=False,
        export_scope=None,
        clear_devices=False,
        clear_extraneous_savers=False,
        strip_default_attrs=False,
        save_debug_info=False,
    ):
        """The MetaGraphDef of the default graph, with this saver; see `tf.train.export_meta_graph`.

        Args:
          filename: A file to write it to, too.
          collection_list: Names of collections; all by default.
          as_text: Whether the file has the text format.
          export_scope: Export only this name scope and strip its name.
          clear_devices: Whether devices are omitted.
          clear_extraneous_savers: Whether operations of other savers are omitted.
          strip_default_attrs: Whether attributes with default values are omitted.
          save_debug_info: Must be False.

        Returns:
          A MetaGraphDef.
        """
        return export_meta_graph(
            filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )

    # ---- Restoring

    def restore(self, sess, save_path):
        """Restores the variables, which need not be initialized.

        Args:
          sess: The `Session`.
          save_path: Prefix of the checkpoint, as `save` or `tf.train.latest_checkpoint` returns it.

        Raises:
          ValueError: There is no such checkpoint.
          tf.errors.NotFoundError: It lacks a variable.
          tf.errors.InvalidArgumentError: A type differs, or a shape; a resource variable takes on another shape,
            though, as in TensorFlow.
          tf.errors.DataLossError: It is damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = compat.as_str(os.fspath(save_path))
        hint = _hint(prefix)
        if hint or not checkpoint_management.checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}{hint}")
        tf_logging.info("Restoring parameters from %s", prefix)
        try:
            with progress.work(f"restoring {prefix}", *_how_far(prefix)):
                sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: prefix})
        except errors.NotFoundError as error:
            names_to_keys = keys_by_name(prefix)
            if names_to_keys is not None:
                self._restore_objects(sess, prefix, names_to_keys)
                return
            similar = _similar_names(prefix, error.message)
            raise _explained(error, "a Variable name or other graph key that is missing", similar) from None
        except errors.InvalidArgumentError as error:
            file = f"\n\nThe checkpoint is {prefix}"
            raise _explained(error, "a mismatch between the current graph and the graph", file) from None
        if self._state is not None:
            self._state.restore(sess, prefix)

    def _restore_objects(self, sess, prefix, names_to_keys):
        """Restores a checkpoint of `tf.train.Checkpoint`, by the names that its variables had in the graph."""
        tf_logging.warning(
            "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will "
            "re-build the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
        )
        mapping = sess.graph, frozenset(names_to_keys.items())
        if mapping not in self._object_savers:
            with sess.graph.as_default():
                items = all_saveable_objects() if self._var_list is None else self._var_list
                saver = Saver(by_object_keys(items, names_to_keys), reshape=self._reshape, name=self._name)
            self._object_savers[mapping] = saver
        self._object_savers[mapping].restore(sess, prefix)


def _hint(prefix):
    """For users that pass the name of one of the files."""
    stem = re.sub(r"\.(index|meta|data-\d{5,}-of-\d{5,})$", "", prefix)
    if stem != prefix and checkpoint_management.checkpoint_exists(stem):
        return f". Did you mean {stem}, without the end of the file's name?"
    return ""


def _similar_names(prefix, message):
    """A line with names in the checkpoint that resemble the one that is missing."""
    missing = re.search(r"Key (\S+) not found in checkpoint", message)
    if missing is None:
        return ""
    try:
        names = NewCheckpointReader(prefix).get_variable_to_shape_map()
    except errors.OpError:
        return ""
    similar = difflib.get_close_matches(missing[1], names, n=5, cutoff=0.6)
    listed = f"similar names are: {', '.join(similar)}" if similar else "none is similar"
    return f"\n\nThe checkpoint has {len(names)} tensors; {listed}"


def _explained(error, what, more=""):
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {what} from the checkpoint. Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n{error.message}{more}",
    )


@functools.cache
def _background_options():
    options = protos.RunOptions()
    options.experimental.run_handler_pool_options.priority = -1
    return options


def _in_scope(saver_def, scope):
    """A copy whose names are in a name scope."""
    result = protos.SaverDef()
    result.CopyFrom(saver_def)
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(result, field, f"{scope.rstrip('/')}/{getattr(result, field)}")
    return result


meta_graph.register_proto_function(GraphKeys.SAVERS, "SaverDef", Saver.to_proto, Saver.from_proto)


def _how_far(prefix):
    """(megabytes, " MB", a function): how large a checkpoint is, and how much this process has read since; () if that
    is not known, or not worth counting."""
    total, before = 0, _bytes_read()
    for path in (prefix, *glob.glob(glob.escape(prefix) + ".data-*")):
        with contextlib.suppress(OSError):  # a prefix is a file in the old format only
            total += os.path.getsize(path)
    total //= 1000000
    return (total, " MB", lambda: min(total, (_bytes_read() - before) // 1000000)) if total and before else ()


def _bytes_read():
    try:
        with open("/proc/self/io") as file:
            return int(file.readline().removeprefix("rchar:"))
    except OSError:
        return 0


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds the operations and collections of a MetaGraphDef to the default graph, and makes a saver for its variables.

    If TensorFlow wrote it, what uses a variable's read after an update gets a read of its own, since here a read is a
    snapshot.

    Args:
      meta_graph_or_file: A MetaGraphDef, or the path of a file that `export_meta_graph` or `Saver.save` wrote.
      clear_devices: Whether devices are ignored.
      import_scope: Name scope to import into; with "/" at its end an existing one, as `tf.name_scope` yields it.
      **kwargs: `graph`: the graph to import into. `input_map`: as in `tf.import_graph_def`; required for unbound inputs
        (see `export_scope`), which the collection `unbound_inputs_col_name` lists. `restore_collections_predicate`:
        which collections to restore, by name. `return_elements`: elements that must exist.

    Returns:
      A `Saver`: the one that was exported with the graph, or a new one for all variables; None if there are none.

    Raises:
      OSError: No such file, or it is not a MetaGraphDef.
      ValueError: As in `tf.import_graph_def`; `input_map` lacks unbound inputs; a collection is malformed.
      TypeError: An unknown keyword.

    Example:

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     exported = tf.train.export_meta_graph(saver_def=tf.train.Saver().as_saver_def())
    >>> saver = tf.train.import_meta_graph(exported)
    >>> [v.name for v in tf.global_variables()]
    ['v:0']
    """
    message, scope, _ = meta_graph.import_scoped_meta_graph(meta_graph_or_file, clear_devices, import_scope, **kwargs)
    graph = kwargs.get("graph")
    if message.HasField("saver_def"):
        return Saver(saver_def=message.saver_def, name=scope or None)
    if graph is not None:
        with graph.as_default():
            return Saver() if all_saveable_objects(import_scope) else None
    return Saver() if all_saveable_objects(import_scope) else None
