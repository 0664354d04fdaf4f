import pickle

from tfcore.compiler.ir import Node, Program
from tfcore.framework.op_def import get_op_def


class _Origin:
    def __init__(self, name, type, line):
        self.name, self.type, self.creation_line = name, type, line
        self._device = ""


def to_graph_def(program):
    ids = {n: i for i, n in enumerate(program.nodes)}
    nodes = []
    for n in program.nodes:
        nodes.append(
            (
                n.name,
                n.type,
                n.device,
                n.attrs,
                [(ids[s], i) for s, i in n.inputs],
                [ids[c] for c in n.controls],
                n.dtypes,
                n.dims,
                n.op.name,
                n.op.type,
                n.creation_line,
            )
        )
    return pickle.dumps((nodes, [ids[t] for t in program.targets]))


def from_graph_def(data):
    nodes, targets = pickle.loads(data)
    made = []
    for name, type, device, attrs, inputs, controls, dtypes, dims, oname, otype, line in nodes:
        made.append(
            Node.derived(
                _Origin(oname, otype, line),
                name,
                get_op_def(type),
                device,
                attrs,
                [(made[s], i) for s, i in inputs],
                dtypes,
                dims,
                [made[c] for c in controls],
            )
        )
    return Program(made, [], [], [made[t] for t in targets])
