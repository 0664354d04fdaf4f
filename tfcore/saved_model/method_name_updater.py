"""Changes the method names of signatures in a SavedModel: `tf.saved_model.signature_def_utils.MethodNameUpdater`."""

from tfcore.saved_model import files


class MethodNameUpdater:
    """Replaces the method names of signatures of a SavedModel, for TensorFlow Serving.

    Args:
      export_dir: The path of the folder.

    Raises:
      OSError: There is no SavedModel.

    Example:

    >>> import tempfile
    >>> x, folder = tf.placeholder(tf.float32), tempfile.mkdtemp() + "/model"
    >>> with tf.Session() as sess:
    ...     tf.saved_model.simple_save(sess, folder, {"x": x}, {"y": x + 1.0})
    >>> updater = tf.saved_model.signature_def_utils.MethodNameUpdater(folder)
    >>> updater.replace_method_name("serving_default", "my/method")
    >>> updater.save()
    """

    def __init__(self, export_dir):
        self._export_dir = export_dir
        self._saved_model = files.parse_saved_model(export_dir)

    def replace_method_name(self, signature_key, method_name, tags=None):
        """Replaces the method name of one signature.

        Args:
          signature_key: Its key, a string.
          method_name: The new name, a string.
          tags: A tag or a list of them: the graph's; if there is none, the signature is changed in all graphs.

        Raises:
          ValueError: A name is empty, or there is no such signature.
        """
        if not signature_key:
            raise ValueError("signature_key must be defined.")
        if not method_name:
            raise ValueError("method_name must be defined.")
        wanted = {tags} if isinstance(tags, str) else set(tags or ())
        found = False
        for meta_graph_def in self._saved_model.meta_graphs:
            if tags is None or set(meta_graph_def.meta_info_def.tags) == wanted:
                if signature_key not in meta_graph_def.signature_def:
                    raise ValueError(
                        f"MetaGraphDef associated with tags {sorted(meta_graph_def.meta_info_def.tags)} does not have "
                        f"a signature_def with key: '{signature_key}'."
                    )
                meta_graph_def.signature_def[signature_key].method_name = method_name
                found = True
        if not found:
            raise ValueError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel.")

    def save(self, new_export_dir=None):
        """Writes the file with the changed signatures.

        Args:
          new_export_dir: A folder to write it to, which gets only this file; by default the folder that was read.

        Raises:
          tf.errors.OpError: It cannot be written.
        """
        folder = new_export_dir or self._export_dir
        files.write_saved_model(self._saved_model, folder)
