"""Draws what runs where, as Graphviz text for `dot -Tsvg`.

metadata = tf.RunMetadata()
sess.run(y, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
open("partitions.dot", "w").write(draw.dot_of(metadata.partition_graphs))
"""

from tfcore.compiler.devices import task_of
from tfcore.framework.device import parse

_COLORS = ("#e8f0fe", "#e6f4ea", "#fef7e0", "#fce8e6", "#f3e8fd", "#e4f7fb")


def dot_of(graph_defs):
    """Graphviz text of GraphDefs whose nodes have devices: one box per task, with one per device inside.

    Values are solid lines, control edges dashed, and a bold line joins each `_Send` with its `_Recv`.
    """
    nodes = [node for graph in graph_defs for node in graph.node]
    lines = ["digraph partitions {", "  rankdir=TB; node [shape=box, style=filled, fillcolor=white, fontsize=10];"]
    for number, (task, devices) in enumerate(_by_task(nodes).items()):
        lines += _task_box(number, task, devices)
    lines += _edges(nodes)
    return "\n".join([*lines, "}"]) + "\n"


def _by_task(nodes):
    tasks = {}
    for node in nodes:
        task = task_of(node.device) if node.device else None
        tasks.setdefault(task, {}).setdefault(node.device, []).append(node)
    return tasks


def _task_box(number, task, devices):
    name = "unplaced" if task is None or task[0] is None else f"/job:{task[0]}/task:{task[2]}"
    lines = [f"  subgraph cluster_{number} {{", f"    label={_quoted(name)}; style=rounded;"]
    for i, (device, nodes) in enumerate(devices.items()):
        kind, index = parse(device)[3:]
        color = _COLORS[(number + i) % len(_COLORS)]
        lines.append(f"    subgraph cluster_{number}_{i} {{")
        lines.append(f'      label={_quoted(f"{kind}:{index}")}; style="filled,rounded"; fillcolor="{color}";')
        lines += [f"      {_id(node)} [label={_quoted(_label(node))}{_shape(node)}];" for node in nodes]
        lines.append("    }")
    return [*lines, "  }"]


def _edges(nodes):
    known = {(node.device, node.name): node for node in nodes}
    by_name = {node.name: node for node in nodes}
    senders = {node.attr["_edge"].i: node for node in nodes if node.op == "_Send"}
    lines = []
    for node in nodes:
        for text in node.input:
            control = text.startswith("^")
            name = text[1:] if control else text.partition(":")[0]
            source = known.get((node.device, name)) or by_name.get(name)
            if source is not None and not (control and (source.op, node.op) == ("_Send", "_Recv")):
                lines.append(f"  {_id(source)} -> {_id(node)}{' [style=dashed]' if control else ''};")
        sender = senders.get(node.attr["_edge"].i) if node.op == "_Recv" else None
        if sender is not None:
            lines.append(f"  {_id(sender)} -> {_id(node)} [style=bold, color=blue];")
    return lines


def _id(node):
    return _quoted(f"{node.device} {node.name}")


def _label(node):
    return f"{node.name}\\n{node.op}"


def _shape(node):
    return ", shape=cds" if node.op in ("_Send", "_Recv") else ""


def _quoted(text):
    return '"' + text.replace('"', "'") + '"'
