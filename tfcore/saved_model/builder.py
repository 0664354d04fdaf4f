"""Writes SavedModels: `tf.saved_model.builder`, `tf.saved_model.simple_save`."""

import os

from tfcore import compat
from tfcore.framework import errors, protos
from tfcore.framework.graph.graph import GraphKeys, add_to_collection, get_collection
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.types import dtypes
from tfcore.platform import io_gfile, tf_logging
from tfcore.saved_model import constants, files, signature_constants, tag_constants
from tfcore.saved_model.signature_def_utils import op_signature_def, predict_signature_def
from tfcore.train.checkpoints.saveable import all_saveable_objects
from tfcore.train.checkpoints.saver import Saver

__all__ = ["SavedModelBuilder", "simple_save"]

_ASSET_URL = "type.googleapis.com/tensorflow.AssetFileDef"  # by which programs of both libraries unpack it


class _Builder:
    """What both kinds of builders do: they differ in where a graph names its assets and its main operation."""

    def __init__(self, export_dir):
        self._saved_model = protos.SavedModel(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._export_dir = files.local_path(export_dir)
        self._has_saved_variables = False
        if os.path.exists(self._export_dir):
            if io_gfile.listdir(self._export_dir):
                raise AssertionError(
                    "Export directory already exists, and isn't empty. Please choose a different export directory, or "
                    f"delete all the contents of the specified directory: {self._export_dir}"
                )
        else:
            files.make_folder(self._export_dir)

    def _check_first(self, is_first):
        if is_first and self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        if not is_first and not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )

    def _save_variables(self, sess, saver):
        files.make_folder(files.path_of(self._export_dir, constants.VARIABLES_DIRECTORY))
        saver.save(sess, files.variables_path(self._export_dir), write_meta_graph=False, write_state=False)

    def _copy_assets(self, tensors):
        """Copies the files that constants name; returns [(name in the SavedModel, constant)]."""
        paths = [(_asset_path(tensor), tensor) for tensor in tensors or ()]
        sources, named = {}, []
        for path, tensor in paths:
            name = _unused_name(path, sources)
            sources[name] = path
            named.append((name, tensor))
        for name, path in sources.items():
            files.copy_asset(path, self._export_dir, name)
        return named

    def _add(self, meta_graph_def, tags, signature_def_map):
        meta_graph_def.meta_info_def.tags.extend([tags] if isinstance(tags, str) else tags)
        for key, signature in signature_def_map.items():
            meta_graph_def.signature_def[key].CopyFrom(protos.as_message(protos.SignatureDef, signature))
        self._saved_model.meta_graphs.add().CopyFrom(meta_graph_def)

    def save(self, as_text=False, experimental_image_format=False, experimental_image_writer_options=None):
        """Writes the file that makes the folder a SavedModel.

        Args:
          as_text: Whether it is written as text.
          experimental_image_format: Must be False.
          experimental_image_writer_options: Must be None.

        Returns:
          The path of the file, bytes.

        Raises:
          RuntimeError: `experimental_image_format` is True.
          ValueError: The graphs take more than 2 GB.
          tf.errors.OpError: The file cannot be written.
        """
        if experimental_image_format or experimental_image_writer_options is not None:
            raise RuntimeError("No proto_splitter is provided, cannot use experimental_image_format.")
        path = files.write_saved_model(self._saved_model, self._export_dir, as_text)
        tf_logging.info("SavedModel written to: %s", path)
        return compat.as_bytes(path)


class SavedModelBuilder(_Builder):
    """Writes a SavedModel: a folder with graphs, the values of their variables, and their files, for other programs.

    A SavedModel may have several graphs, told apart by their tags, with the same variables. The folder is not a
    SavedModel before `save`; when `save` returns it is one, whatever happens to the machine later.

    Args:
      export_dir: The path of the folder, which must be empty or not exist.

    Raises:
      AssertionError: The folder is not empty.
      tf.errors.OpError: It can't be made.

    Example:

    >>> import os, tempfile
    >>> x, v = tf.placeholder(tf.float32, name="x"), tf.Variable(2.0)
    >>> signature = tf.saved_model.predict_signature_def({"x": x}, {"y": x * v})
    >>> folder = tempfile.mkdtemp()
    >>> builder = tf.saved_model.Builder(folder)
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
    >>> _ = builder.save()
    >>> sorted(os.listdir(folder))
    ['saved_model.pb', 'variables']
    """

    def add_meta_graph_and_variables(
        self,
        sess,
        tags,
        signature_def_map=None,
        assets_collection=None,
        legacy_init_op=None,
        clear_devices=False,
        main_op=None,
        strip_default_attrs=False,
        saver=None,
    ):
        """Adds the default graph and saves its variables; to be called first, and once.

        Args:
          sess: The `Session` that has the variables.
          tags: A list of strings, or one.
          signature_def_map: A dict from keys to SignatureDefs (optional).
          assets_collection: A list of constant `Tensor`s, the paths of files to copy (optional).
          legacy_init_op: Old name of `main_op`.
          clear_devices: Whether devices are omitted.
          main_op: The `Operation` that runs when the graph has been loaded (optional).
          strip_default_attrs: Whether attributes with default values are omitted.
          saver: The `Saver` of the variables; by default a sharded one for all of them.

        Raises:
          AssertionError: It was called before, or a signature is incomplete.
          KeyError: The key of a signature is reserved.
          TypeError: `main_op` or an asset is of the wrong type.
          ValueError: There is a main operation already, or an asset has no path.
          tf.errors.OpError: A variable is not initialized, or a file cannot be written.
        """
        self._check_first(True)
        main_op = main_op if main_op is not None else legacy_init_op
        saver = self._prepare(signature_def_map, main_op, saver)
        self._save_variables(sess, saver)
        self._add_graph(tags, signature_def_map, assets_collection, main_op, saver, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags,
        signature_def_map=None,
        assets_collection=None,
        legacy_init_op=None,
        clear_devices=False,
        main_op=None,
        strip_default_attrs=False,
        saver=None,
    ):
        """Adds the default graph, which uses variables that are saved already.

        Args:
          tags: A list of strings, or one.
          signature_def_map: A dict from keys to SignatureDefs (optional).
          assets_collection: A list of constant `Tensor`s, the paths of files to copy unless one of the same name is
            there (optional).
          legacy_init_op: Old name of `main_op`.
          clear_devices: Whether devices are omitted.
          main_op: The `Operation` that runs when the graph has been loaded (optional).
          strip_default_attrs: Whether attributes with default values are omitted.
          saver: The `Saver` of the variables; by default a sharded one for all of them.

        Raises:
          AssertionError: No variables were saved, or a signature is incomplete.
          KeyError: The key of a signature is reserved.
          TypeError: `main_op` or an asset is of the wrong type.
          ValueError: There is a main operation already, or an asset has no path.
          tf.errors.OpError: A file cannot be written.
        """
        self._check_first(False)
        main_op = main_op if main_op is not None else legacy_init_op
        saver = self._prepare(signature_def_map, main_op, saver)
        self._add_graph(tags, signature_def_map, assets_collection, main_op, saver, clear_devices, strip_default_attrs)

    def _add_train_op(self, train_op):
        """Puts an operation or tensor into the graph as the one that trains; None adds nothing. For estimators."""
        if train_op is None:
            return
        if not isinstance(train_op, (Tensor, Operation)):
            raise TypeError(f"train_op needs to be a Tensor or Op: {train_op!r}")
        add_to_collection(constants.TRAIN_OP_KEY, train_op)

    def _prepare(self, signature_def_map, main_op, saver):
        """Checks everything before the graph or a file changes; returns the saver."""
        _check_signatures(signature_def_map or {})
        if main_op is not None:
            if not isinstance(main_op, Operation):
                raise TypeError(f"main_op needs to be an Operation: {main_op!r}")
            for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
                if get_collection(key):
                    raise ValueError(f"Graph already contains one or more main ops under the collection {key}.")
        return _saver_or_default(saver)

    def _add_graph(self, tags, signatures, assets, main_op, saver, clear_devices, strip_default_attrs):
        for name, tensor in self._copy_assets(assets):
            packed = protos.Any(type_url=_ASSET_URL, value=_asset_file_def(name, tensor).SerializeToString())
            add_to_collection(constants.ASSETS_KEY, packed)
        if main_op is not None:
            add_to_collection(constants.MAIN_OP_KEY, main_op)
        exported = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        self._add(exported, tags, signatures or {})


class _SavedModelBuilder(_Builder):
    """Like `SavedModelBuilder`, but assets, initialization and training are named by the MetaGraphDef and by signatures
    with reserved keys, as in TensorFlow 2's SavedModels, instead of collections."""

    def add_meta_graph_and_variables(
        self,
        sess,
        tags,
        signature_def_map=None,
        assets_list=None,
        clear_devices=False,
        init_op=None,
        train_op=None,
        strip_default_attrs=False,
        saver=None,
    ):
        """Adds the default graph and saves its variables; see `SavedModelBuilder`.

        Args:
          sess: The `Session` that has the variables.
          tags: A list of strings, or one.
          signature_def_map: A dict from keys to SignatureDefs (optional).
          assets_list: A list of constant `Tensor`s, the paths of files to copy (optional).
          clear_devices: Whether devices are omitted.
          init_op: The `Operation` that runs when the graph has been loaded (optional).
          train_op: The `Operation` or `Tensor` that trains, which loading does not run (optional).
          strip_default_attrs: Whether attributes with default values are omitted.
          saver: The `Saver` of the variables; by default a sharded one for all of them.
        """
        self._check_first(True)
        signatures = self._prepare(signature_def_map, init_op, train_op)
        saver = _saver_or_default(saver)
        self._save_variables(sess, saver)
        self._add_graph(tags, signatures, assets_list, saver, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags,
        signature_def_map=None,
        assets_list=None,
        clear_devices=False,
        init_op=None,
        train_op=None,
        saver=None,
    ):
        """Adds the default graph without attributes that have default values; the variables are saved already.

        Args:
          tags: A list of strings, or one.
          signature_def_map: A dict from keys to SignatureDefs (optional).
          assets_list: A list of constant `Tensor`s, the paths of files to copy (optional).
          clear_devices: Whether devices are omitted.
          init_op: The `Operation` that runs when the graph has been loaded (optional).
          train_op: The `Operation` or `Tensor` that trains, which loading does not run (optional).
          saver: The `Saver` of the variables; by default a sharded one for all of them.
        """
        self._check_first(False)
        signatures = self._prepare(signature_def_map, init_op, train_op)
        self._add_graph(tags, signatures, assets_list, _saver_or_default(saver), clear_devices, True)

    @staticmethod
    def _prepare(signature_def_map, init_op, train_op):
        signatures = dict(signature_def_map or {})
        _check_signatures(signatures)
        if init_op is not None and not isinstance(init_op, Operation):
            raise TypeError(f"init_op needs to be an Operation: {init_op!r}")
        if train_op is not None and not isinstance(train_op, (Operation, Tensor)):
            raise TypeError(f"train_op needs to be a Tensor or Op: {train_op!r}")
        for key, op in ((constants.INIT_OP_SIGNATURE_KEY, init_op), (constants.TRAIN_OP_SIGNATURE_KEY, train_op)):
            if op is not None:
                signatures[key] = op_signature_def(op, key)
        return signatures

    def _add_graph(self, tags, signatures, assets, saver, clear_devices, strip_default_attrs):
        named = self._copy_assets(assets)
        exported = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        exported.asset_file_def.extend([_asset_file_def(name, tensor) for name, tensor in named])
        self._add(exported, tags, signatures)


def _saver_or_default(saver):
    return saver if saver is not None else Saver(all_saveable_objects(), sharded=True, allow_empty=True)


def _check_signatures(signature_def_map):
    for signature in signature_def_map.values():
        for infos in (signature.inputs, signature.outputs):
            for key in infos:
                _check_tensor_info(infos[key])
    for key, use in (
        (constants.INIT_OP_SIGNATURE_KEY, "initialization"),
        (constants.TRAIN_OP_SIGNATURE_KEY, "the train op"),
    ):
        if key in signature_def_map:
            raise KeyError(f'SignatureDef map key "{key}" is reserved for {use}. Please use a different key.')


def _check_tensor_info(info):
    encoding = info.WhichOneof("encoding")
    if encoding is None:
        raise AssertionError(
            "All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' fields (e.g., name or "
            f"coo_sparse) set: {info}"
        )
    if encoding == "composite_tensor":
        for component in info.composite_tensor.components:
            _check_tensor_info(component)
    elif not info.dtype:
        raise AssertionError(f"All TensorInfo protos used in the SignatureDefs must have the dtype field set: {info}")


# ---- Assets


def _asset_path(tensor):
    """The path that a constant has, bytes."""
    if not isinstance(tensor, Tensor):
        raise TypeError("Asset path tensor must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError("Asset path tensor must be of type constant.")
    if tensor.dtype != dtypes.string:
        raise TypeError("Asset path tensor must be of dtype string.")
    value = tensor.op.attrs["value"]
    if value.size != 1:
        raise TypeError("Asset path tensor must be a scalar.")
    path = compat.as_bytes(value.reshape(-1)[0])
    if not path:
        raise ValueError(f"Invalid asset filepath tensor: {tensor}")
    if os.path.basename(path) in (b"", b".", b".."):
        raise errors.InvalidArgumentError(
            None, None, f"The path of an asset must end in the name of a file, unlike '{compat.as_str(path)}': {tensor}"
        )
    return path


def _unused_name(path, sources):
    """A name for a file among those in `sources` (name: path); that of a file with the same bytes if there is one."""
    name, number = os.path.basename(path), 0
    base = name
    while name in sources and sources[name] != path and not _same_bytes(path, sources[name]):
        number += 1
        name = b"%s_%d" % (base, number)
    return name


def _same_bytes(one, other):
    if io_gfile.stat(one).length != io_gfile.stat(other).length:
        return False
    with io_gfile.GFile(one, "rb") as first, io_gfile.GFile(other, "rb") as second:
        while chunk := first.read(1 << 20):
            if chunk != second.read(1 << 20):
                return False
    return True


def _asset_file_def(name, tensor):
    return protos.AssetFileDef(filename=compat.as_str(name), tensor_info=protos.TensorInfo(name=tensor.name))


# ---- The short way


def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes a SavedModel with one graph, for TensorFlow Serving's Predict; its files are those in the collection
    ASSET_FILEPATHS.

    Args:
      session: The `Session` that has the variables.
      export_dir: The path of the folder, which must be empty or not exist.
      inputs: A dict from names to `Tensor`s.
      outputs: A dict from names to `Tensor`s.
      legacy_init_op: The `Operation` that runs when the graph has been loaded (optional).

    Raises:
      AssertionError: The folder is not empty.
      ValueError: There are no inputs or no outputs.
      tf.errors.OpError: A variable is not initialized, or a file can't be written.

    Example:

    >>> import tempfile
    >>> x = tf.placeholder(tf.float32, name="x")
    >>> with tf.Session() as sess:
    ...     tf.saved_model.simple_save(sess, tempfile.mkdtemp() + "/model", {"x": x}, {"y": x + 1.0})
    """
    signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [tag_constants.SERVING],
        {signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        get_collection(GraphKeys.ASSET_FILEPATHS),
        clear_devices=True,
        main_op=legacy_init_op,
    )
    builder.save()
