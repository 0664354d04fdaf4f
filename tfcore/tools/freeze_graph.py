"""Replaces the variables of a graph by constants with their values, for inference:

    python -m tfcore.tools.freeze_graph --input_meta_graph=model.meta --input_checkpoint=model \\
        --output_node_names=softmax --output_graph=frozen.pb

The graph is a GraphDef (`--input_graph`), a MetaGraphDef, or comes from a SavedModel (`--input_saved_model_dir`), which
has its own checkpoint. Files may be binary or text.
"""

import argparse
import os
import sys

from tfcore import compat
from tfcore.client.session import Session
from tfcore.framework import errors, protos
from tfcore.framework.exchange.graph_io import attach_constants, read_message, write_graph
from tfcore.framework.exchange.graph_util import convert_variables_to_constants
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.graph.graph import Graph
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.io.saveable_object import SaveableObject, SaveSpec
from tfcore.ops.state.resource_variable import AssignVariableOp, ReadVariableOp
from tfcore.platform import io_gfile
from tfcore.saved_model import loader, tag_constants
from tfcore.train.checkpoints.checkpoint_management import checkpoint_exists
from tfcore.train.checkpoints.saver import Saver, import_meta_graph

_V2 = 2  # SaverDef.V2


def freeze_graph(
    input_graph,
    input_saver,
    input_binary,
    input_checkpoint,
    output_node_names,
    restore_op_name,
    filename_tensor_name,
    output_graph,
    clear_devices,
    initializer_nodes,
    variable_names_whitelist="",
    variable_names_blacklist="",
    input_meta_graph=None,
    input_saved_model_dir=None,
    saved_model_tags=tag_constants.SERVING,
    checkpoint_version=_V2,
):
    """Freezes the graph of a file; see `freeze_graph_with_def_protos`.

    Args:
      input_graph: Path of a GraphDef, or empty.
      input_saver: Path of a SaverDef, or empty.
      input_binary: Accepted for compatibility: files may be binary or text.
      input_checkpoint: Prefix of the checkpoint.
      output_node_names: Names of the operations to keep, separated by commas.
      restore_op_name: Accepted for compatibility.
      filename_tensor_name: Accepted for compatibility.
      output_graph: Path to write the frozen GraphDef to, or empty.
      clear_devices: Whether devices are omitted.
      initializer_nodes: Names of operations to run after the checkpoint is restored, separated by commas; ignored for
        a SavedModel, which names the operation to run itself.
      variable_names_whitelist: Names of the variables to convert, separated by commas; by default all.
      variable_names_blacklist: Names of variables not to convert, separated by commas.
      input_meta_graph: Path of a MetaGraphDef (optional).
      input_saved_model_dir: Path of a SavedModel (optional).
      saved_model_tags: The tags of its graph, separated by commas.
      checkpoint_version: Accepted for compatibility: both formats are read.

    Returns:
      The frozen GraphDef.

    Raises:
      ValueError: There is no checkpoint, no graph, no name of an output, or nothing to freeze.
      AssertionError: An output is not in the graph.
      RuntimeError: The SavedModel has no graph with these tags.
      OSError: A file is missing or malformed.
      tf.errors.OpError: The checkpoint does not fit.
    """
    tags = _names(saved_model_tags)
    graph_def = meta_graph_def = None
    if input_saved_model_dir:
        graph_def = loader.SavedModelLoader(input_saved_model_dir).get_meta_graph_def_from_tags(tags).graph_def
    elif input_graph:
        graph_def = _read(input_graph, protos.GraphDef, "graph")
        attach_constants(graph_def, input_graph)
    if input_meta_graph:
        meta_graph_def = _read(input_meta_graph, protos.MetaGraphDef, "meta graph")
        attach_constants(meta_graph_def.graph_def, input_meta_graph)
    return freeze_graph_with_def_protos(
        graph_def,
        _read(input_saver, protos.SaverDef, "saver") if input_saver else None,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph_def,
        input_saved_model_dir,
        tags,
        checkpoint_version,
    )


def freeze_graph_with_def_protos(
    input_graph_def,
    input_saver_def,
    input_checkpoint,
    output_node_names,
    restore_op_name,
    filename_tensor_name,
    output_graph,
    clear_devices,
    initializer_nodes,
    variable_names_whitelist="",
    variable_names_blacklist="",
    input_meta_graph_def=None,
    input_saved_model_dir=None,
    saved_model_tags=None,
    checkpoint_version=_V2,
):
    """Freezes a graph.

    Args:
      input_graph_def: A GraphDef, or None. Its variables are restored by `input_saver_def`, or by their names.
      input_saver_def: A SaverDef, or None.
      input_checkpoint: Prefix of the checkpoint, unless there is a SavedModel.
      output_node_names: Names of the operations to keep, separated by commas.
      restore_op_name: Accepted for compatibility.
      filename_tensor_name: Accepted for compatibility.
      output_graph: Path to write the frozen GraphDef to, or empty.
      clear_devices: Whether devices are omitted.
      initializer_nodes: Names of operations to run after the checkpoint is restored, separated by commas; ignored for
        a SavedModel, which names the operation to run itself.
      variable_names_whitelist: Names of the variables to convert, separated by commas; by default all.
      variable_names_blacklist: Names of variables not to convert, separated by commas.
      input_meta_graph_def: A MetaGraphDef (optional).
      input_saved_model_dir: Path of a SavedModel (optional).
      saved_model_tags: The tags of its graph, a list.
      checkpoint_version: Accepted for compatibility: both formats are read.

    Returns:
      The frozen GraphDef.

    Raises:
      ValueError: There is no checkpoint, no graph, no name of an output, or nothing to freeze.
      AssertionError: An output is not in the graph.
      RuntimeError: The SavedModel has no graph with these tags.
      tf.errors.OpError: The checkpoint does not fit.
    """
    if not input_saved_model_dir and not (input_checkpoint and checkpoint_exists(input_checkpoint)):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    with Graph().as_default() as graph, Session() as sess:
        if input_saved_model_dir:
            graph_def = loader.load(
                sess, saved_model_tags or [], input_saved_model_dir, clear_devices=clear_devices
            ).graph_def
        elif input_meta_graph_def:
            graph_def = input_meta_graph_def.graph_def
            import_meta_graph(input_meta_graph_def, clear_devices=True).restore(sess, input_checkpoint)
        elif input_graph_def:
            graph_def = _without_devices(input_graph_def) if clear_devices else input_graph_def
            import_graph_def(graph_def, name="")
            saver = Saver(saver_def=input_saver_def) if input_saver_def else _saver_by_names(graph, input_checkpoint)
            saver.restore(sess, input_checkpoint)
        else:
            raise ValueError("There is no graph: give a GraphDef, a MetaGraphDef, or a SavedModel.")
        if initializer_nodes and not input_saved_model_dir:
            sess.run(_names(initializer_nodes))
        frozen = convert_variables_to_constants(
            sess,
            _without_devices(graph_def) if clear_devices else graph_def,
            _names(output_node_names),
            _names(variable_names_whitelist) or None,
            _names(variable_names_blacklist) or None,
        )
    if output_graph:
        path = compat.as_str(os.fspath(output_graph))
        write_graph(frozen, os.path.dirname(path), os.path.basename(path), as_text=False)
    return frozen


def _names(text):
    return [name for name in (text or "").replace(" ", "").split(",") if name]


def _read(path, message_class, what):
    if not io_gfile.exists(path):
        raise OSError(f"Input {what} file '{path}' does not exist!")
    return read_message(path, message_class)


def _without_devices(graph_def):
    copy = protos.GraphDef()
    copy.CopyFrom(graph_def)
    for node in copy.node:
        node.device = ""
    return copy


class _HandleSaveable(SaveableObject):
    """The variable behind the handle of an imported graph."""

    def __init__(self, handle):
        dtype = handle.op.get_attr("dtype")
        value = ReadVariableOp(handle, dtype=dtype)
        super().__init__(handle, [SaveSpec(value, "", handle.op.name, dtype)], handle.op.name)

    def restore(self, restored_tensors, restored_shapes):
        (value,) = restored_tensors
        return AssignVariableOp(self.op, value, dtype=self.op.op.get_attr("dtype"))


_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


def _saver_by_names(graph, checkpoint):
    """A saver for the variables that have the name of a tensor in the checkpoint."""
    variables = {op.name: op.outputs[0] for op in graph.get_operations() if op.type in _VARIABLES}
    if not variables:
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. You cannot freeze a "
            "graph twice."
        )
    names = NewCheckpointReader(checkpoint).get_variable_to_shape_map()
    if any(name not in names and "/part_" in name and name.rpartition("/part_")[0] in names for name in variables):
        raise ValueError(
            "Models containing partition variables cannot be converted from checkpoint files. Please pass in a "
            "SavedModel using the flag --input_saved_model_dir."
        )
    found = {
        name: _HandleSaveable(tensor) if tensor.op.type == "VarHandleOp" else tensor
        for name, tensor in variables.items()
        if name in names
    }
    if not found:
        raise ValueError(f"The checkpoint '{checkpoint}' has none of the graph's variables.")
    return Saver(found)


def main(argv=None):
    """The command. Returns its exit status."""
    parser = argparse.ArgumentParser(
        "python -m tfcore.tools.freeze_graph", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--input_graph", default="", help="file of a GraphDef")
    parser.add_argument("--input_saver", default="", help="file of a SaverDef")
    parser.add_argument("--input_checkpoint", default="", help="prefix of the checkpoint")
    parser.add_argument("--checkpoint_version", type=int, default=_V2, choices=(1, 2), help="ignored: both are read")
    parser.add_argument("--output_graph", default="", help="file to write the frozen GraphDef to")
    _add_bool(parser, "input_binary", "ignored: files may be binary or text")
    parser.add_argument("--output_node_names", default="", help="names of the operations to keep: a,b")
    parser.add_argument("--restore_op_name", default="", help="ignored")
    parser.add_argument("--filename_tensor_name", default="", help="ignored")
    _add_bool(parser, "clear_devices", "whether devices are omitted", default=True)
    parser.add_argument("--initializer_nodes", default="", help="operations to run after restoring a checkpoint: a,b")
    parser.add_argument("--variable_names_whitelist", default="", help="the variables to convert: a,b; default: all")
    parser.add_argument(
        "--variable_names_blacklist", "--variable_names_denylist", default="", help="those not to convert: a,b"
    )
    parser.add_argument("--input_meta_graph", default="", help="file of a MetaGraphDef")
    parser.add_argument("--input_saved_model_dir", default="", help="folder of a SavedModel")
    parser.add_argument("--saved_model_tags", default=tag_constants.SERVING, help="the tags of its graph: a,b")
    args = vars(parser.parse_args(argv))
    if not args["output_graph"]:
        parser.error("--output_graph is required")
    try:
        frozen = freeze_graph(**args)
    except (errors.OpError, ValueError, AssertionError, OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(frozen.node)} ops in the final graph.")
    return 0


def _add_bool(parser, name, text, default=False):
    def value(given):
        if given.lower() not in ("true", "false"):
            raise argparse.ArgumentTypeError(f"{given!r} is neither true nor false")
        return given.lower() == "true"

    parser.add_argument(f"--{name}", nargs="?", const=True, default=default, type=value, help=text)


if __name__ == "__main__":
    sys.exit(main())
