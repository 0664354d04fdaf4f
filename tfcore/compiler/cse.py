"""Common-subexpression elimination: keeps one of several pure nodes that compute the same from the same inputs."""

import numpy as np

_MAX_CONST_BYTES = 1 << 16  # larger constants are compared by identity only


def eliminate_common_subexpressions(program):
    values, nodes, seen = {}, {}, {}

    def kept(pair):
        return values.get(pair, pair)

    for node in program.nodes:
        node.inputs = [kept(p) for p in node.inputs]
        node.controls = [nodes.get(c, c) for c in node.controls]
        if not node.is_pure() or not node.dtypes:
            continue
        key = _key(node)
        twin = seen.setdefault(key, node)
        if twin is not node:
            nodes[node] = twin
            for i in range(len(node.dtypes)):
                values[(node, i)] = (twin, i)
    if nodes:
        program.replace(values, nodes)
        program.prune()


def _key(node):
    inputs = tuple(node.inputs)
    if node.op_def.commutative and len(inputs) == 2:
        inputs = tuple(sorted(inputs, key=lambda pair: (id(pair[0]), pair[1])))
    attrs = tuple([(name, _hashable(value)) for name, value in sorted(node.attrs.items()) if name != "_class"])
    return node.type, node.device, inputs, tuple(sorted(map(id, node.controls))), attrs


def _hashable(value):
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, np.ndarray):
        if value.nbytes > _MAX_CONST_BYTES or value.dtype == object:
            return id(value)
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float):
        return repr(value)  # distinguishes -0.0 from 0.0, but not one nan from another
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value
