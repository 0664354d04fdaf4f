"""Control flow in a program: the frame (loop) in which each node runs, and which nodes dead tokens may reach.

Enter leads into a frame and Exit out of it; a node runs in the frame that its inputs come from. Only edges from
NextIteration to Merge may close a cycle; everywhere else the order of the nodes ignores them.
"""

from tfcore.framework import errors

ENTER = frozenset(["Enter", "RefEnter"])
EXIT = frozenset(["Exit", "RefExit"])
NEXT_ITERATION = frozenset(["NextIteration", "RefNextIteration"])
SWITCH = frozenset(["Switch", "RefSwitch"])
MERGE = frozenset(["Merge", "RefMerge"])
CONTROL_FLOW = ENTER | EXIT | NEXT_ITERATION | SWITCH | MERGE | {"LoopCond", "ControlTrigger"}


class Frame:
    """A loop in the graph; the frame with name "" and parent None is the part outside all loops.

    Attributes:
      index: in the list of frames, parents before children. parallel_iterations: how many iterations may run at a time.
      iterations_overlap: whether several iterations of this loop, or of a loop around it, may run at a time.
    """

    __slots__ = ("index", "loop_cond", "name", "parallel_iterations", "parent", "iterations_overlap")

    def __init__(self, name, parent, index, parallel_iterations):
        self.name = name
        self.parent = parent
        self.index = index
        self.parallel_iterations = parallel_iterations
        self.iterations_overlap = parallel_iterations > 1 or (parent is not None and parent.iterations_overlap)
        self.loop_cond = None

    def __repr__(self):
        return f"<Frame {self.name!r}>"


def has_control_flow(nodes):
    """Whether dead tokens or frames may occur: such a program needs `assign_frames`."""
    return any(n.type in CONTROL_FLOW or n.attrs.get("_may_be_dead") for n in nodes)


def before(node):
    """The nodes that run before `node` in its iteration: inputs, then control inputs."""
    if node.type in MERGE:
        return [n for n, _ in node.inputs if n.type not in NEXT_ITERATION] + node.controls
    return [n for n, _ in node.inputs] + node.controls


def assign_frames(program):
    """Finds the frames of a program whose nodes are in order. Sets `node.frame`, in which the node runs, and
    `node.out_frame`, to which its outputs belong (the child for Enter, the parent for Exit).

    Returns: list of Frames, the outermost first.

    Raises:
      InvalidArgumentError: inputs of a node come from different frames, or a fetch or target is inside a frame.
    """
    root = Frame("", None, 0, 1)
    frames = {"": root}
    for feed in program.feeds:
        feed.frame = feed.out_frame = root
    for node in program.nodes:
        node.frame = _common_frame(node, before(node), root)
        node.out_frame = _out_frame(node, frames)
        if node.type == "LoopCond":
            _set_loop_cond(node)
    for node in program.nodes:
        if node.type in MERGE:
            _common_frame(node, [n for n, _ in node.inputs] + node.controls, root)
    for node, index in program.fetches:
        if node.out_frame is not root:
            raise _inside(f"The value of {node.name}:{index} can't be fetched", node)
    for node in program.targets:
        added = node.name != node.op.name  # added by the compiler, for other tasks
        inside = node.frame is not root and node.type not in EXIT
        if not added and (inside or node.out_frame is not root):
            raise _inside(f"Operation {node.name} can't be run by itself", node)
    return list(frames.values())


def may_be_dead(nodes):
    """The nodes (in order) inside loops or conditionals: they may never run, or run more than once."""
    found = set()
    for node in nodes:
        if node.type in CONTROL_FLOW or node.attrs.get("_may_be_dead") or any(n in found for n in before(node)):
            found.add(node)
    return found


def _common_frame(node, sources, root):
    if not sources:
        return root
    first = sources[0]
    for source in sources[1:]:
        if source.out_frame is not first.out_frame:
            raise errors.InvalidArgumentError(
                None,
                node.op,
                f"{_named(node)} has inputs from different frames. The input {_named(source)} is in frame "
                f"'{source.out_frame.name}'. The input {_named(first)} is in frame '{first.out_frame.name}'."
                f"{errors.location(node)}",
            )
    return first.out_frame


def _out_frame(node, frames):
    if node.type in ENTER:
        return _entered(node, frames)
    if node.type in EXIT or node.type in NEXT_ITERATION:
        if node.frame.parent is None:
            raise _invalid(f"{_named(node)} is in no frame: no Enter leads to it.", node)
        return node.frame.parent if node.type in EXIT else node.frame
    return node.frame


def _entered(node, frames):
    name, parallel = node.attrs["frame_name"].decode(errors="replace"), node.attrs["parallel_iterations"]
    frame = frames.get(name)
    if frame is None and name:
        frame = frames[name] = Frame(name, node.frame, len(frames), parallel)
    if parallel < 1:
        raise _invalid(f"parallel_iterations of {_named(node)} must be at least 1, not {parallel}.", node)
    if frame is None or frame.parent is not node.frame:
        there = "" if frame is None or frame.parent is None else frame.parent.name
        raise _invalid(
            f'Invalid loop structure: Mismatched parent frames for "{name}": "{node.frame.name}" vs "{there}". '
            f"The node giving this error: {_named(node)}.",
            node,
        )
    if frame.parallel_iterations != parallel:
        raise _invalid(
            f"{_named(node)} enters frame '{name}' with parallel_iterations {parallel}, others with "
            f"{frame.parallel_iterations}.",
            node,
        )
    return frame


def _set_loop_cond(node):
    other = node.frame.loop_cond
    if other is not None:
        raise _invalid(
            f'Invalid loop structure: Loop "{node.frame.name}" has more than one LoopCond node: {_named(node)} and '
            f"{_named(other)}.",
            node,
        )
    node.frame.loop_cond = node


def _inside(text, node):
    frame = node.out_frame if node.out_frame.parent is not None else node.frame
    return _invalid(f"{text}: it is inside frame '{frame.name}'; values leave a frame only through an Exit.", node)


def _invalid(text, node):
    return errors.InvalidArgumentError(None, node.op, text + errors.location(node))


def _named(node):
    return f"{{{{node {node.name}}}}}"
