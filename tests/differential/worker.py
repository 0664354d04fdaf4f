"""TensorFlow's side: a process that imports GraphDefs and runs them. Imports only TensorFlow, NumPy and wire.py.

A request for `kernels` of op types answers with {op type: {"kernels": [{type attribute: [types it may have]}], one for
each kernel, "removed": the GraphDef version that removed the op, or 0}}; types are numbers of the enumeration DataType.
Any other request is a dictionary:
    graph: a serialized GraphDef; or meta_graph: a serialized MetaGraphDef, whose loops TensorFlow can differentiate.
    steps: a list of {"feeds": {tensor name: array}, "targets": [op names], "fetches": [tensor names]}, run in turn in
        one session. With "gradients": True a step also fetches the gradients that TensorFlow added. With
        "everything": True a step also fetches every tensor of the graph that is not a reference; with "then":
        [tensor names] these are fetched in a separate run afterwards, without feeds.
    gradients: [ys, xs, grad_ys], names; TensorFlow's own tf.gradients are added to the graph.
The answer:
    error: [class, message] of what was raised, with `step` (-1: while the graph was made), or
    values: {tensor name: array} for each step; gradients: a list of tensor names, None where there is none (or
        the text of the error: an op has no gradient); graph: TensorFlow's GraphDef, with its gradients.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # TensorFlow's own kernels, in a fixed order of summation

import numpy as np
import tensorflow.compat.v1 as tf
import wire
from tensorflow.python.framework import kernels, op_def_registry

tf.disable_v2_behavior()
# Slices of nothing and the like: TensorFlow warns once a graph.
tf.get_logger().setLevel("ERROR")


def config():
    """What the graph says is what runs: no rewrites."""
    result = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    result.graph_options.rewrite_options.disable_meta_optimizer = True
    result.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return result


def answer(request):
    values = None  # of each step, once the graph is made
    try:
        with tf.Graph().as_default() as graph:
            names = make_graph(graph, request)
            result = {"gradients": names, "graph": graph.as_graph_def().SerializeToString()}
            result["values"] = values = []
            with tf.Session(graph=graph, config=config()) as session:
                for work in request["steps"]:
                    values.append(run_step(session, work, names))
    except Exception as error:
        return {"error": [type(error).__name__, str(error)], "step": -1 if values is None else len(values)}
    return result


def run_step(session, work, gradients):
    """The values of one of a request's steps."""
    graph = session.graph
    fetches = {name: graph.get_tensor_by_name(name) for name in work.get("fetches", ())}
    if work.get("everything"):
        fetches.update(everything(graph))
    if work.get("gradients"):
        fetches.update({name: graph.get_tensor_by_name(name) for name in gradients if name is not None})
    targets = [graph.get_operation_by_name(name) for name in work.get("targets", ())]
    values, _ = session.run([fetches, targets], work["feeds"])
    if work.get("then"):
        values.update(session.run({name: name for name in work["then"]}))
    return {name: as_array(value) for name, value in values.items()}


def kernels_of(op_type):
    """The types that TensorFlow has kernels for, within what the op's definition allows."""
    definition = op_def_registry.get(op_type)
    if definition is None:
        return {"kernels": [], "removed": 0}
    allowed = {a.name: list(a.allowed_values.list.type) for a in definition.attr if a.type == "type"}
    result = []
    for kernel in kernels.get_registered_kernels_for_op(op_type).kernel:
        if kernel.device_type in ("CPU", "DEFAULT"):
            own = {c.name: list(c.allowed_values.list.type) for c in kernel.constraint}
            result.append({name: _both(own.get(name), types) for name, types in allowed.items()})
    return {"kernels": result, "removed": definition.deprecation.version}


def _both(own, types):
    """Types in both lists; None, or an empty list, allows everything."""
    if not own or not types:
        return own or types
    return [t for t in own if t in types] or [-1]


def make_graph(graph, request):
    if "meta_graph" in request:
        tf.train.import_meta_graph(tf.MetaGraphDef.FromString(request["meta_graph"]))
    else:
        tf.import_graph_def(tf.GraphDef.FromString(request["graph"]), name="")
    if not request.get("gradients"):
        return None
    ys, xs, grad_ys = ([graph.get_tensor_by_name(name) for name in names] for names in request["gradients"])
    with tf.name_scope("tensorflow_gradients"):
        try:
            gradients = tf.gradients(ys, xs, grad_ys or None)
        except (LookupError, TypeError, ValueError) as error:
            return str(error)
        return [None if g is None else tf.convert_to_tensor(g).name for g in gradients]


def everything(graph):
    """All tensors that a step can fetch without a race: references are not among them."""
    return {
        tensor.name: tensor
        for op in graph.get_operations()
        for tensor in op.outputs
        if not tensor.dtype._is_ref_dtype
        and tensor.dtype not in (tf.resource, tf.variant)
        and graph.is_fetchable(tensor)
    }


def as_array(value):
    return np.array(value, object) if isinstance(value, (bytes, str)) else np.asarray(value)


def main():
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is not an answer
    wire.send(answers, {"version": tf.__version__})
    while (request := wire.receive(requests)) is not None:
        if "kernels" in request:
            wire.send(answers, {op_type: kernels_of(op_type) for op_type in request["kernels"]})
        else:
            wire.send(answers, answer(request))


if __name__ == "__main__":
    sys.exit(main())
