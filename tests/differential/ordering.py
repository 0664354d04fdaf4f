"""Makes TensorFlow run a training graph as tfcore means it: what a step reads of a variable is what it was before.

In tfcore every read is a snapshot. TensorFlow's reference variables are read where they lie, and an update may get into
the gradients of the same step; which one does is a race. Here each update is made to wait for all readers.
"""

from tfcore.framework.op_def import get_op_def

_ALIASES = ("Identity", "RefIdentity")  # they hand on the variable's own memory


def order_updates(definition, initializers):
    """Adds control inputs to a GraphDef: every operation that writes a variable runs after those that read it.

    initializers: names of operations that write, but in a step of their own.
    """
    consumers = _consumers(definition)
    for name in list(initializers):  # what waits for an initializer belongs to that other step, too
        initializers = initializers | _descendants(name, consumers)
    for variable in [n for n in definition.node if n.op in ("Variable", "VariableV2")]:
        writers = [
            n for n in consumers.get(variable.name, ()) if _writes(n, variable.name) and n.name not in initializers
        ]
        readers = _readers(variable.name, consumers, initializers)
        for writer in writers:
            later = _descendants(writer.name, consumers)
            writer.input.extend(f"^{name}" for name in readers if name not in later and name != writer.name)


def _source(text):
    return text.lstrip("^").partition(":")[0]


def _consumers(definition):
    result = {}
    for node in definition.node:
        for source in {_source(text) for text in node.input}:
            result.setdefault(source, []).append(node)
    return result


def _writes(node, variable):
    arguments = get_op_def(node.op).inputs
    written = zip(node.input, arguments)
    return node.op not in _ALIASES and any(arg.is_ref and _source(text) == variable for text, arg in written)


def _readers(variable, consumers, initializers):
    """Names of the operations that use the variable's memory without writing it."""
    found, todo = [], [variable]
    while todo:
        source = todo.pop()
        for node in consumers.get(source, ()):
            if node.name in initializers or _writes(node, source) or f"^{source}" in node.input:
                continue
            found.append(node.name)
            if node.op in _ALIASES:
                todo.append(node.name)
    return list(dict.fromkeys(found))


def _descendants(name, consumers):
    found, todo = set(), [name]
    while todo:
        for node in consumers.get(todo.pop(), ()):
            if node.name not in found:
                found.add(node.name)
                todo.append(node.name)
    return found
