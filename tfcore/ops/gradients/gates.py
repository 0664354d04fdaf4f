"""Gates: the operations of `tf.tuple` around the gradients that one operation gives to its inputs.

Variables are references in TensorFlow: an update could run before another gradient has read the old value. A gate holds
all gradients of an operation back until the last of them is computed. Here reads are snapshots and the compiler drops
gates; they are for other runtimes that run the exported graph.
"""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.graph.new_operation import insert
from tfcore.framework.graph.operation import Tensor, new_operation
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.control_flow.control import tuple as tuple_of

IN_LOOP = "_gate_of_gradients"  # attribute of those in loops: all that is held back is computed in the same iterations


def gate(grads):
    """The same gradients (Tensor, IndexedSlices or None), each available only when all of them are: see `tf.tuple`."""
    graph = get_default_graph()
    producers = {g.op: None for g in grads if g is not None}
    scopes = graph.scopes
    if scopes.affect_operations() or any(map(_is_placed_or_reference, grads)):
        with graph.device(None), graph.colocate_with(None, ignore_existing=True):
            gated = tuple_of(grads)
        if scopes.context is not None:
            for grad in gated:
                if grad is not None:
                    grad.op.attrs[IN_LOOP] = True
        return gated
    return _gate_directly(graph, grads, sorted(producers, key=lambda op: op._id), scopes.frames)


def _is_placed_or_reference(grad):
    return grad is not None and (grad.op.device or grad.dtype._is_ref_dtype)


def _gate_directly(graph, grads, producers, frames):
    """The result of `tf.tuple` where no scope has an effect, made directly: training graphs have many gates."""
    with graph._lock:
        graph._check_not_finalized()
        scope = graph.unique_name("tuple")
        name = f"{scope}/group_deps"
        names = graph._names_in_use
        names[name.lower()] = 1
        frames = frames or producers[-1].frames
        held = new_operation(graph, get_op_def("NoOp"), name, [], {}, (), tuple(producers), frames)
        insert(held)
        identity, result = get_op_def("Identity"), []
        base = name = f"{scope}/control_dependency"
        count = 0
        for grad in grads:
            if grad is None:
                result.append(None)
                continue
            value = grad if type(grad) is Tensor else grad.values
            attrs = {"T": value.dtype, "_class": sorted(value.op.colocation_groups())}
            op = new_operation(graph, identity, name, [value], attrs, (value.dtype,), (held,), frames)
            output = op.outputs[0]
            output.dims = value.dims
            insert(op)
            result.append(output if value is grad else IndexedSlices(output, grad.indices, grad.dense_shape))
            names[name.lower()] = 1
            count += 1
            name = f"{base}_{count}"
        names[base.lower()] = count
    return result
