"""The lines of a profile, in TensorFlow's form."""

_TREE_ORDER = (
    "params float_ops bytes peak_bytes residual_bytes output_bytes micros accelerator_micros cpu_micros".split()
)
_GROUP_ORDER = (
    "bytes peak_bytes residual_bytes output_bytes micros accelerator_micros cpu_micros params float_ops".split()
)
_LAST = "device op_types occurrence input_shapes".split()

_LEGENDS = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
    "device": "assigned devices",
    "op_types": "op types",
    "input_shapes": "input shapes",
}
FIELDS = {  # of an attribute that is a number
    "params": "parameters",
    "float_ops": "float_ops",
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
}


def number_text(n):
    """A count with a unit, such as 1.50k."""
    return _scaled(n, "", (("k", 1e3), ("m", 1e6), ("b", 1e9)))


def time_text(micros):
    """A time with a unit, such as 1.50ms."""
    return _scaled(micros, "us", (("ms", 1e3), ("sec", 1e6)))


def memory_text(n_bytes):
    """A number of bytes with a unit, such as 1.50KB."""
    return _scaled(n_bytes, "B", (("KB", 1e3), ("MB", 1e6)))


def _scaled(n, unit, larger_units):
    size = 1
    for name, larger in larger_units:
        if n >= larger:
            unit, size = name, larger
    return f"{n}{unit}" if size == 1 else f"{n / size:.2f}{unit}"


def _text(attribute, n):
    if attribute.endswith("micros"):
        return time_text(n)
    return memory_text(n) if attribute.endswith("bytes") else number_text(n)


def _numbers(order, options):
    """The selected attributes that are numbers; micros stands for all three times."""
    select = options.select | ({"accelerator_micros", "cpu_micros"} if "micros" in options.select else set())
    return [name for name in order if name in select]


def legend(options, is_tree):
    """The first line: what the columns are. is_tree: of the views scope and graph."""
    names = _numbers(_TREE_ORDER if is_tree else _GROUP_ORDER, options) + [n for n in _LAST if n in options.select]
    more = {"micros": "total execution time", "occurrence": f"op {'count' if is_tree else 'occurrence'} (run|defined)"}
    return f"node name | {' | '.join((_LEGENDS | more)[name] for name in names)}\n"


def _own_and_total(node, attribute, field):
    own = _text(attribute, getattr(node.message, field)) if node.is_counted else "--"
    units = {"params": " params", "float_ops": " flops"}
    return f"{own}/{_text(attribute, getattr(node.message, f'total_{field}'))}{units.get(attribute, '')}"


def tree_line(node, options):
    """A line of the views scope and graph."""
    parts, message = [], node.message
    for attribute in _numbers(_TREE_ORDER, options):
        if attribute == "params" and node.node.shape:
            parts.append("x".join(map(str, node.node.shape)))
        parts.append(_own_and_total(node, attribute, FIELDS[attribute]))
    if "device" in options.select and message.devices:
        parts.append("|".join(message.devices))
    if "op_types" in options.select:
        parts.append("|".join(sorted(node.node.types)))
    if "occurrence" in options.select:
        runs = number_text(message.run_count) if node.is_counted else "--"
        defined = "1" if node.is_counted else "--"
        runs, defined = (
            f"{runs}/{number_text(message.total_run_count)}",
            f"{defined}/{number_text(message.total_definition_count)}",
        )
        parts.append(f"{runs}|{defined}")
    if "input_shapes" in options.select:
        parts.append("|".join(_shape_texts(message)))
    return f"{node.name} ({', '.join(parts)})"


def code_line(node, options):
    """A line of the view code."""
    parts = [_own_and_total(node, attribute, FIELDS[attribute]) for attribute in _numbers(_GROUP_ORDER, options)]
    if "device" in options.select and (devices := _devices(node)):
        parts.append("|".join(devices))
    if "op_types" in options.select:
        parts.append("|".join(_types(node)))
    parts += [f"{name} N/A in code view" for name in ("occurrence", "input_shapes") if name in options.select]
    return f"{node.name} ({', '.join(parts)})"


def op_line(node, root, options):
    """A line of the view op, with its end of line."""
    parts, message = [], node.message
    for attribute in _numbers(_GROUP_ORDER, options):
        field = FIELDS[attribute]
        own, total, all_ = getattr(message, field), getattr(message, f"total_{field}"), getattr(root, f"total_{field}")
        shows = own > 0 if attribute.endswith("bytes") else total > 0
        shares = (100 * total / all_, 100 * own / all_) if shows and all_ else (0, 0)
        unit = {"params": " params", "float_ops": " float_ops"}.get(attribute, "")
        parts.append(f"{_text(attribute, own)}{unit} ({shares[0]:.2f}%, {shares[1]:.2f}%)".rjust(30))
    if "device" in options.select:
        parts.append("|".join(_devices(node)))
    if "op_types" in options.select:
        parts.append("|".join(_types(node)))
    if "occurrence" in options.select:
        runs = sum(member.run_count for member in message.graph_nodes)
        parts.append(f"{runs}|{len(message.graph_nodes)}".rjust(10))
    line = f"{node.name:<25}{', '.join(parts)}\n"
    if "input_shapes" in options.select and message.graph_nodes:
        line += f"\n{_shapes_table(message)}\n\n"
    return line


def _devices(node):
    return sorted({member.device for member in node.members})


def _types(node):
    return sorted(set().union(*(member.types for member in node.members)))


def _shape_texts(message):
    """The shapes of the inputs with their indices, such as ["0:32x3", "1:unknown"]."""
    texts = []
    for i in sorted(message.input_shapes):
        shape = message.input_shapes[i]
        texts.append(f"{i}:{'unknown' if shape.unknown_rank else 'x'.join(str(dim.size) for dim in shape.dim)}")
    return texts


def _shapes_table(message):
    """The shapes of the inputs of an op type's nodes: how often each is defined and runs, the longest-running first."""
    rows = {}
    for member in message.graph_nodes:
        row = rows.setdefault("input_type: " + ",\t".join(_shape_texts(member)), [0, 0, 0])
        for i, n in enumerate((1, member.run_count, member.exec_micros)):
            row[i] += n
    ordered = sorted(sorted(rows.items()), key=lambda row: -row[1][1])
    return "\n".join(f"{t}\t(run*{run}|defined*{n})\texec_time: {time_text(us)}" for t, (n, run, us) in ordered)
