"""Loads SavedModels: `tf.saved_model.loader`."""

from tfcore import compat
from tfcore.framework import protos
from tfcore.framework.graph.graph import get_collection
from tfcore.platform import io_gfile, tf_logging
from tfcore.saved_model import constants, files
from tfcore.saved_model.files import parse_saved_model
from tfcore.saved_model.signature_def_utils import load_op_from_signature_def
from tfcore.saved_model.unknown_ops import without_unknown_ops
from tfcore.saved_model.utils import in_scope
from tfcore.train.checkpoints.saveable import all_saveable_objects
from tfcore.train.checkpoints.saver import Saver, import_meta_graph

__all__ = ["load", "maybe_saved_model_directory"]


def maybe_saved_model_directory(export_dir):
    """Whether a folder has the file of a SavedModel; it need not be complete.

    Args:
      export_dir: The path of the folder.

    Returns:
      A bool.

    Raises:
      TypeError: It is not a path.
    """
    names = (constants.SAVED_MODEL_FILENAME_PBTXT, constants.SAVED_MODEL_FILENAME_PB)
    return any(io_gfile.exists(files.path_of(export_dir, name)) for name in names)


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Loads a graph of a SavedModel into a session: adds it to the session's graph, restores the variables, and runs
    the operation that the SavedModel names for this, with the paths of its assets.

    Args:
      sess: The `Session`.
      tags: A list or set of strings: all tags of the graph.
      export_dir: The path of the folder.
      import_scope: A name scope to load into (optional); if it is in use, a number is appended.
      **saver_kwargs: Passed on to `tf.train.import_meta_graph`.

    Returns:
      The MetaGraphDef, with signatures. Its names do not have `import_scope`.

    Raises:
      OSError: There is no SavedModel, or its file is damaged.
      RuntimeError: No graph has these tags, or it names several operations to run.
      ValueError: The graph cannot be imported, or its checkpoint is missing.
      tf.errors.OpError: The variables cannot be restored.

    Example:

    >>> import tempfile
    >>> x, v = tf.placeholder(tf.float32, name="x"), tf.Variable(2.0)
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     tf.saved_model.simple_save(sess, folder + "/model", {"x": x}, {"y": x * v})
    >>> with tf.Session(graph=tf.Graph()) as sess:
    ...     graph_def = tf.saved_model.load(sess, [tf.saved_model.SERVING], folder + "/model")
    ...     signature = graph_def.signature_def["serving_default"]
    ...     print(sess.run(signature.outputs["y"].name, {signature.inputs["x"].name: 3.0}))
    6.0
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader:
    """Loads the graphs of a SavedModel, and restores variables, one step after the other.

    Args:
      export_dir: The path of the folder.
    """

    def __init__(self, export_dir):
        self._export_dir = export_dir
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self):
        """The path of the folder."""
        return self._export_dir

    @property
    def variables_path(self):
        """The prefix of the checkpoint."""
        return files.variables_path(self._export_dir)

    @property
    def saved_model(self):
        """The SavedModel message."""
        return self._saved_model

    def get_meta_graph_def_from_tags(self, tags):
        """The MetaGraphDef with exactly these tags; RuntimeError if there is none."""
        wanted = {tags} if isinstance(tags, str) else set(tags)
        for meta_graph_def in self._saved_model.meta_graphs:
            if set(meta_graph_def.meta_info_def.tags) == wanted:
                return meta_graph_def
        available = [sorted(m.meta_info_def.tags) for m in self._saved_model.meta_graphs]
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in SavedModel. To inspect "
            "available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`\n"
            f"available_tags: {available}"
        )

    def load_graph(self, graph, tags, import_scope=None, **saver_kwargs):
        """Adds the graph with these tags; returns (its `Saver` or None, the elements named by `return_elements`)."""
        return_elements = saver_kwargs.pop("return_elements", None)
        with graph.as_default():
            meta_graph_def = without_unknown_ops(self.get_meta_graph_def_from_tags(tags))
            saver = import_meta_graph(meta_graph_def, import_scope=import_scope, **saver_kwargs)
            found = [graph.as_graph_element(in_scope(name, import_scope)) for name in return_elements or ()]
        return saver, found if return_elements is not None else None

    def restore_variables(self, sess, saver, import_scope=None):
        """Restores the variables. ValueError: there are some, but `saver` is none."""
        with sess.graph.as_default():
            if saver is None and not all_saveable_objects(import_scope):
                tf_logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
            elif isinstance(saver, Saver):
                saver.restore(sess, self.variables_path)
            else:
                raise ValueError(
                    "No tf.train.Saver object was passed to the function `SavedModelLoader.restore_variables`. Since "
                    "there are variables in the graph, a saver is required."
                )

    def run_init_ops(self, sess, tags, import_scope=None):
        """Runs the operation that the graph names for this, with the paths of the assets."""
        meta_graph_def = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            init_op = get_init_op(meta_graph_def, import_scope)
            if init_op is not None:
                sess.run([init_op], get_asset_tensors(self._export_dir, meta_graph_def, import_scope))

    def load(self, sess, tags, import_scope=None, **saver_kwargs):
        """Does all of these; see `tf.saved_model.load`."""
        if import_scope and not import_scope.endswith("/"):  # the name that importing makes of it
            import_scope = sess.graph.unique_name(import_scope, mark_as_used=False)
        saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
        self.restore_variables(sess, saver, import_scope)
        self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def get_asset_tensors(export_dir, meta_graph_def_to_load, import_scope=None):
    """{name of the tensor with the path of an asset: its path in this SavedModel}"""
    assets = list(meta_graph_def_to_load.asset_file_def)
    if not assets and constants.ASSETS_KEY in meta_graph_def_to_load.collection_def:
        for packed in meta_graph_def_to_load.collection_def[constants.ASSETS_KEY].any_list.value:
            assets.append(protos.AssetFileDef.FromString(packed.value))
    return {
        in_scope(asset.tensor_info.name, import_scope): compat.as_bytes(
            files.path_of(export_dir, constants.ASSETS_DIRECTORY, asset.filename)
        )
        for asset in assets
    }


def get_init_op(meta_graph_def, import_scope=None):
    """The operation to run after the variables are restored, or None."""
    found = _op_of_signature(meta_graph_def, constants.INIT_OP_SIGNATURE_KEY, import_scope)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if found is None:  # a model of another program may name a tensor, which has no truth value
            found = _op_of_collection(meta_graph_def, key, import_scope)
    return found


def get_train_op(meta_graph_def, import_scope=None):
    """The operation that trains the model, or None."""
    found = _op_of_signature(meta_graph_def, constants.TRAIN_OP_SIGNATURE_KEY, import_scope)
    return found if found is not None else _op_of_collection(meta_graph_def, constants.TRAIN_OP_KEY, import_scope)


def _op_of_signature(meta_graph_def, key, import_scope):
    if key not in meta_graph_def.signature_def:
        return None
    return load_op_from_signature_def(meta_graph_def.signature_def[key], key, import_scope)


def _op_of_collection(meta_graph_def, key, import_scope):
    if key not in meta_graph_def.collection_def:
        return None
    names = meta_graph_def.collection_def[key].node_list.value
    if len(names) != 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(names)}")
    # A graph may have several SavedModels in different scopes.
    wanted = in_scope(names[0], import_scope)
    for member in get_collection(key):
        if member.name == wanted:
            return member
    raise RuntimeError(f"The SavedModel is to run '{names[0]}' when it is loaded, but the graph has no '{wanted}'.")
