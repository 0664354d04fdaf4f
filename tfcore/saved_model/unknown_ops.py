"""Graphs with operations that are not defined here.

TensorFlow 2 puts functions into its SavedModels that save them again, with operations that the model itself has no use
for. If such an operation is not defined, the model is loaded without what needs it.
"""

from tfcore.framework import protos
from tfcore.framework.definitions.op_def import registered_ops
from tfcore.framework.exchange.graph_def import node_of
from tfcore.platform import tf_logging


def without_unknown_ops(meta_graph_def):
    """A copy without the nodes that need unknown operations, if the model has a use without them.

    The nodes that signatures, collections, and the restoring operation name are needed. If one of them needs an unknown
    operation, or there is none, the same message is returned; importing it will name the operation.
    """
    known = {op.name for op in registered_ops()}
    broken_functions = _broken_functions(meta_graph_def.graph_def.library, known)
    defined = {function.signature.name for function in meta_graph_def.graph_def.library.function}
    usable = known | defined - broken_functions
    broken = _broken_nodes(meta_graph_def.graph_def, usable, broken_functions)
    if not broken or broken & _needed(meta_graph_def):
        return meta_graph_def
    result = protos.MetaGraphDef()
    result.CopyFrom(meta_graph_def)
    graph_def = result.graph_def
    kept = [node for node in meta_graph_def.graph_def.node if node.name not in broken]
    del graph_def.node[:]
    graph_def.node.extend(kept)
    functions = [f for f in meta_graph_def.graph_def.library.function if f.signature.name not in broken_functions]
    del graph_def.library.function[:]
    graph_def.library.function.extend(functions)
    tf_logging.warning(
        "Left out of the SavedModel, as they need operations that are not defined: %s. No signature uses them.",
        ", ".join(sorted(broken)),
    )
    return result


def _uses(node, usable, broken_functions):
    """Whether the node has an unknown type, or calls a function that needs one."""
    if node.op not in usable:
        return True
    for attr in node.attr.values():
        if attr.HasField("func") and attr.func.name in broken_functions:
            return True
        if attr.HasField("list") and any(function.name in broken_functions for function in attr.list.func):
            return True
    return False


def _broken_functions(library, known):
    """Names of the functions that need unknown operations, also in functions that they call."""
    usable = known | {function.signature.name for function in library.function}
    broken, size = set(), -1
    while len(broken) > size:
        size = len(broken)
        for function in library.function:
            if any(_uses(node, usable - broken, broken) for node in function.node_def):
                broken.add(function.signature.name)
    return broken


def _broken_nodes(graph_def, usable, broken_functions):
    """Names of the nodes that need unknown operations, also through their inputs."""
    broken, size = set(), -1
    while len(broken) > size:
        size = len(broken)
        for node in graph_def.node:
            inputs = (node_of(text) for text in node.input)
            if _uses(node, usable, broken_functions) or any(name in broken for name in inputs):
                broken.add(node.name)
    return broken


def _needed(meta_graph_def):
    names = [meta_graph_def.saver_def.restore_op_name, meta_graph_def.saver_def.filename_tensor_name]
    for signature in meta_graph_def.signature_def.values():
        for infos in (signature.inputs, signature.outputs):
            for info in infos.values():
                sparse = info.coo_sparse
                names += [info.name, sparse.values_tensor_name, sparse.indices_tensor_name]
                names += [sparse.dense_shape_tensor_name, *(part.name for part in info.composite_tensor.components)]
    for collection in meta_graph_def.collection_def.values():
        names += collection.node_list.value
    names += [asset.tensor_info.name for asset in meta_graph_def.asset_file_def]
    return {node_of(name) for name in names}
