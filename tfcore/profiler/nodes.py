"""The nodes of a profile: what the graph, an OpLogProto and traced steps say of each."""

import collections
import re

from tfcore.framework import protos

TIMES = ("exec_micros", "accelerator_exec_micros", "cpu_exec_micros")
MEMORY = ("requested_bytes", "peak_bytes", "residual_bytes", "output_bytes")
_OF_STEPS = ("run_count", *TIMES, *MEMORY)
_LARGEST = 2**63 - 1  # of an int64

_is_own_device = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+").fullmatch


def is_accelerator(device):
    """Whether a device, in lower case, is a GPU."""
    return "gpu" in device


def is_stream(device):
    """Whether it is the part of a GPU's trace that has the times of kernels."""
    return "stream:all" in device


def saturated(n):
    """A count or a sum for a message. Larger ones than an int64 holds become its maximum: one huge operation must not
    end the report."""
    return min(n, _LARGEST)


class NodeOfStep:
    """What a node did in one step, in all of its executions.

    Attributes:
      profile: an ExecProfile.
    """

    def __init__(self):
        self.profile = protos.ExecProfile()

    def add_time(self, device, stats):
        """stats: a NodeExecStats."""
        profile = self.profile
        if device not in profile.devices:
            profile.devices.append(device)
        start = stats.all_start_micros
        if start <= 0:
            return
        length = stats.op_end_rel_micros or 1
        profile.all_start_micros = min(profile.all_start_micros or start, start)
        profile.latest_end_micros = max(profile.latest_end_micros, start + length)
        if is_stream(device):
            profile.accelerator_execs[device].times.add(int64_values=[start, length])
        elif _is_own_device(device):
            profile.cpu_execs[device].times.add(int64_values=[start, length])
            profile.run_count += 1

    def add_memory(self, device, stats):
        """stats: a NodeExecStats."""
        if stats.all_start_micros <= 0:
            return
        memory = self.profile.memory_execs.add(memory_micros=stats.all_start_micros + stats.op_end_rel_micros)
        for output in stats.output:
            described = output.tensor_description.allocation_description
            held = memory.output_memory[output.slot]
            held.ptr, held.bytes = described.ptr, max(described.allocated_bytes, described.requested_bytes)
            memory.output_bytes += held.bytes
        temporary = stats.memory_stats.temp_memory_size
        persistent = stats.memory_stats.persistent_memory_size
        if "cpu" in device:
            memory.host_temp_bytes, memory.host_persistent_bytes = temporary, persistent
        else:
            memory.accelerator_temp_bytes, memory.accelerator_persistent_bytes = temporary, persistent
        memory.residual_bytes = persistent + sum(m.live_bytes for m in stats.memory)
        memory.requested_bytes = persistent + temporary + sum(m.total_bytes for m in stats.memory)
        memory.peak_bytes = persistent + temporary + sum(m.peak_bytes for m in stats.memory)

    def values(self):
        """{name of a number: its value}"""
        profile = self.profile
        on_gpu, on_cpu = (
            sum(time.int64_values[1] for times in execs.values() for time in times.times)
            for execs in (profile.accelerator_execs, profile.cpu_execs)
        )
        times = dict(zip(TIMES, (on_gpu + on_cpu, on_gpu, on_cpu)))
        memory = {name: sum(getattr(m, name) for m in profile.memory_execs) for name in MEMORY}
        return {"run_count": profile.run_count, **times, **memory}


class Node:
    """A node of the graph, or of a step only, such as a transfer.

    Attributes:
      name, op, attrs, inputs: of the NodeDef; an input is (name of a node, index of its output).
      types: a set: the op type, the device, and those of an OpLogProto. shape: of a variable or placeholder, a list.
      float_ops: of one execution. traces: (file, line, function) of frames, the outermost first.
      steps: {number: NodeOfStep}. device: where it runs, in lower case.
    """

    def __init__(self, number, node_def):
        self.number = number
        self.name, self.op, self.attrs = node_def.name, node_def.op, dict(node_def.attr)
        self.inputs = [_source(text) for text in node_def.input]
        self.types = {node_def.op}
        has_shape = "shape" in self.attrs and self.attrs["shape"].HasField("shape")
        self.shape = shape_list(self.attrs["shape"].shape) if has_shape else []
        self.output_shapes = [shape_list(shape) for shape in self.attrs["_output_shapes"].list.shape] if (
            "_output_shapes" in self.attrs
        ) else []  # fmt: skip
        self.float_ops, self.code, self.traces = 0, None, []
        self.steps, self.device = {}, ""

    @property
    def parameters(self):
        """The number of elements of its shape; 0 if that is unknown."""
        count = 1 if self.shape else 0
        for size in self.shape:
            count *= size if size >= 0 else 0
        return count

    def add_step(self, step, device, stats):
        """stats: a NodeExecStats of that device."""
        device = device.lower()
        if _is_own_device(device):
            if self.device and device != self.device:
                return  # what is on two devices counts on the first
            self.device = device
            self.types.add(device)
        of_step = self.steps.setdefault(step, NodeOfStep())
        of_step.add_time(device, stats)
        if device == self.device:
            of_step.add_memory(device, stats)

    def values(self, step):
        """{name of a number: its value} in a step; if it is -1, the mean of all steps."""
        steps = list(self.steps.values()) if step < 0 else [self.steps[step]] if step in self.steps else []
        found = [of_step.values() for of_step in steps]
        mean = {name: sum(values[name] for values in found) // len(found) if found else 0 for name in _OF_STEPS}
        runs = mean["run_count"] if self.steps else 1
        counts = {**mean, "parameters": self.parameters, "float_ops": self.float_ops * runs}
        return {name: saturated(n) for name, n in counts.items()}

    def message(self, step, nodes):
        """A GraphNodeProto. nodes: {name: Node}"""
        message = protos.GraphNodeProto(name=self.name, **self.values(step))
        if self.device:
            message.devices.append(self.device)
        for i, shape in self.input_shapes(nodes).items():
            message.input_shapes[i].CopyFrom(_shape_proto(shape))
        return message

    def input_shapes(self, nodes):
        """{index of an input: its shape}; [] where it is unknown."""
        found = {}
        for i, (name, index) in enumerate(self.inputs):
            shapes = nodes[name].output_shapes if name in nodes else []
            found[i] = shapes[index] if index < len(shapes) else []
        return found


def _source(text):
    name, _, index = text.removeprefix("^").partition(":")
    return name, int(index or 0)


def shape_list(shape):
    """The sizes of a TensorShapeProto: [1] for a scalar, [] for unknown rank, -1 for unknown sizes."""
    if not shape.dim and not shape.unknown_rank:
        return [1]
    return [dim.size for dim in shape.dim]


def _shape_proto(shape):
    proto = protos.TensorShapeProto(unknown_rank=not shape)
    for size in shape:
        proto.dim.add(size=size)
    return proto


class Profile:
    """Everything that is known of a graph and its steps.

    Attributes:
      nodes: {name: Node}. has_traces: whether lines of the program are known. step_stats: {step: StepStats}.
    """

    def __init__(self, graph_def, op_log):
        self.nodes = {}
        self.has_traces, self.misses_streams = False, False
        self.step_stats = {}
        self._strings = {}
        self.add_graph(graph_def)
        self.add_op_log(op_log)

    def add_graph(self, graph_def):
        """Adds the nodes that are new."""
        for node_def in graph_def.node:
            if node_def.name not in self.nodes:
                self.nodes[node_def.name] = Node(len(self.nodes), node_def)

    def add_op_log(self, op_log):
        """op_log: an OpLogProto."""
        for number, text in op_log.id_to_string.items():
            self._strings.setdefault(number, text)
        for entry in op_log.log_entries:
            node = self.nodes.get(entry.name)
            if node is None:
                continue
            node.types.update(entry.types)
            node.float_ops = entry.float_ops or node.float_ops
            if entry.HasField("code_def"):
                self.has_traces = True
                if node.code is None:
                    node.code = entry.code_def
                    node.traces = [self._frame(trace) for trace in entry.code_def.traces]

    def _frame(self, trace):
        return self._strings.get(trace.file_id, ""), trace.lineno, self._strings.get(trace.function_id, "")

    def add_step(self, step, run_meta):
        """Adds what a traced step did; steps of the same number add up."""
        devices = [device.device.lower() for device in run_meta.step_stats.dev_stats]
        on_gpu = [device for device in devices if is_accelerator(device)]
        self.misses_streams |= bool(on_gpu) and not any(map(is_stream, on_gpu))
        self.step_stats.setdefault(step, protos.StepStats()).MergeFrom(
            protos.as_message(protos.StepStats, run_meta.step_stats)
        )
        for device in run_meta.step_stats.dev_stats:
            for stats in device.node_stats:
                name = stats.node_name.partition(":")[0]
                if name not in self.nodes:
                    if name in ("RecvTensor", "_SOURCE") or "MEMCPY" in name:  # on several devices
                        continue
                    self.nodes[name] = Node(len(self.nodes), protos.NodeDef(name=name, op=name))
                self.nodes[name].add_step(step, device.device, stats)

    def message(self):
        """A ProfileProto."""
        result = protos.ProfileProto(has_trace=self.has_traces, miss_accelerator_stream=self.misses_streams)
        result.steps.extend(sorted(self.step_stats))
        result.id_to_string.update(self._strings)
        for node in self.nodes.values():
            self._fill(result.nodes[node.number], node)
        return result

    def _fill(self, message, node):
        message.name, message.op, message.id, message.float_ops = node.name, node.op, node.number, node.float_ops
        message.shape.extend(node.shape)
        message.op_types.extend(sorted(node.types))
        message.canonical_device, message.host_device = node.device, re.sub(r"gpu:\d+", "cpu:0", node.device)
        for name, value in node.attrs.items():
            message.attrs[name].CopyFrom(value)
        for i, (source, index) in enumerate(node.inputs):
            if source in self.nodes:
                number = self.nodes[source].number
                message.inputs[i], message.src_output_index[number] = number, index
        for i, shape in enumerate(node.output_shapes):
            message.output_shapes[i].int64_values.extend(shape)
        for step, of_step in node.steps.items():
            message.execs[step].CopyFrom(of_step.profile)
        if node.code is not None:
            message.trace.CopyFrom(node.code)


class Group:
    """Nodes of an op type, or of a line of a program.

    Attributes:
      name: of the type, or what stands for the line. members: {name: Node}, in the order of names when shown.
    """

    def __init__(self, name):
        self.name = name
        self.members = {}

    def chosen(self, options):
        """The members of the types that the options count, in the order of their names."""
        patterns = options.account_type_regexes
        everything = options.matches_everything("account_type_regexes")
        members = [self.members[name] for name in sorted(self.members)]
        return [n for n in members if everything or any(p.fullmatch(t) for p in patterns for t in n.types)]

    def message(self, members, step, nodes):
        """A MultiGraphNodeProto of these members. nodes: {name: Node}, of the whole graph"""
        sums = collections.Counter()
        message = protos.MultiGraphNodeProto(name=self.name)
        for member in members:
            values = member.values(step)
            sums.update(values)
            message.graph_nodes.append(_with_totals(member.message(step, nodes)))
        for name in (*TIMES, *MEMORY, "float_ops", "parameters"):
            setattr(message, name, saturated(sums[name]))
        return message


def _with_totals(message):
    for name in ("run_count", *TIMES, *MEMORY, "float_ops", "parameters"):
        setattr(message, f"total_{name}", getattr(message, name))
    message.total_definition_count = 1
    return message
