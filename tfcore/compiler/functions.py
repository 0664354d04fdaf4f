"""Functions that kernels call, such as those of `tf.data`: each becomes a plan of its own."""

from tfcore.compiler.inline import effects_of
from tfcore.compiler.inlined_bodies import inlined_bodies
from tfcore.core.step.callable import Callable
from tfcore.framework import errors
from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.functions.function_call import find_function


def callables_of(compiler, node):
    """{attribute: Callable} of the functions that a node's kernel calls. They live as long as the session."""
    names = [name for name, value in node.attrs.items() if isinstance(value, FunctionAttr)]
    if not names:
        return {}
    found = compiler.callables.get(node.op.name)
    if found is None:
        found = compiler.callables[node.op.name] = {name: _callable(compiler, node, name) for name in names}
    return found


def _callable(compiler, node, name):
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
    return Callable(
        compiler.compile(
            [values.get(t, t) for t in body.outputs], body.inputs, [made[op] for op in effects_of(body).ops]
        )
    )
