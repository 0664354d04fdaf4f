"""Functions that kernels call, such as those of `tf.data`: each becomes a plan of its own."""

from tfcore.compiler.inline import effects_of
from tfcore.compiler.inlined_bodies import inlined_bodies
from tfcore.core.step.callable import Callable
from tfcore.framework import errors
from tfcore.framework.functions.function_call import find_function


def make_callable(compiler, node, name):
    """The Callable of the function that a node's attribute names.

    Raises:
      NotFoundError: there is no such function. InvalidArgumentError: its definition is wrong.
    """
    attr = node.attrs[name]
    function = find_function(node.op, attr.name)
    if function is None:
        raise errors.NotFoundError(None, node.op, f"Function {attr.name} is not defined.")
    try:
        body = function.body(attr.attrs)
    except ValueError as error:
        raise errors.InvalidArgumentError(None, node.op, str(error)) from None
    # The operations are copied for this node: state is found by their names.
    made = inlined_bodies(node.op.graph).of(node.op, body, f"{node.name}/{name}/", body.inputs, {})
    values = {t: new.outputs[i] for op, new in made.items() for i, t in enumerate(op.outputs)}
    for op in made.values():
        op.requested_device = "/device:CPU:0"
        if "seed2" in op.attrs and all(t.shape.is_fully_defined() for t in op.outputs):
            op.attrs = {**op.attrs, "_always_alike": True}  # the function's operation has the same dict
    return Callable(
        compiler.compile(
            [values.get(t, t) for t in body.outputs], body.inputs, [made[op] for op in effects_of(body).ops]
        )
    )
