"""Compiles a graph to a plan by the passes that README.md lists. Called once per run signature."""

from collections.abc import Callable
from typing import NamedTuple

from tfcore.compiler.access_order import order_accesses
from tfcore.compiler.accumulators import replace_accumulators
from tfcore.compiler.argument_memory import host_arguments, works_on_host
from tfcore.compiler.cse import eliminate_common_subexpressions
from tfcore.compiler.devices import NULL, Devices, device_type, has_own_memory
from tfcore.compiler.fold import fold_constants
from tfcore.compiler.frames import MERGE, assign_frames, has_control_flow
from tfcore.compiler.fuse import fuse
from tfcore.compiler.fuse_cwise import fuse_cwise
from tfcore.compiler.fused_loops import fuse_loops
from tfcore.compiler.gates import drop_gates
from tfcore.compiler.handles import name_devices, replace_handles
from tfcore.compiler.inlined_bodies import is_call
from tfcore.compiler.ir import Node, build
from tfcore.compiler.legacy_tensor_arrays import replace_legacy_tensor_arrays
from tfcore.compiler.live_reads import read_in_loops
from tfcore.compiler.partition import is_spread, partition
from tfcore.compiler.place import Placer, kernel_for
from tfcore.compiler.python_functions import unordered_functions
from tfcore.compiler.resource_variables import replace_resource_variables
from tfcore.compiler.schedule import schedule
from tfcore.compiler.simplify import simplify
from tfcore.compiler.stacks import drop_unread_stacks, modernize_stacks
from tfcore.compiler.strict import guard_broadcasts
from tfcore.core.registry.kernel import STATEFUL, ResourceManager, make_kernel, make_null_kernel
from tfcore.core.step.fused_loop_kernel import LoopKernel
from tfcore.core.step.plan import MAY_WAIT, Plan, PlanNode
from tfcore.core.threads import progress
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.device import parse
from tfcore.framework.types import dtypes

COLLECTIVES = frozenset(
    ["GroupAllgather", "GroupAllreduce", "GroupBarrier", "GroupBroadcast", "GroupCheckEqual", "GroupReduceScatter"]
)

_collective_checks = []
program_checks = []  # called with the Compiler, fetches, feeds and targets of each program that is compiled


def register_collective_check(check):
    """Registers `check(nodes)`, which is called with the nodes of a step that has collectives and raises if they can't
    run.

    tfcore.distributed compares them with those of the other ranks.
    """
    _collective_checks.append(check)


def has_collectives(plan):
    """Whether this process takes part in collectives when it runs a Plan."""
    return any(node.type in COLLECTIVES for node in plan.ops)


def _inline(program):
    if any(is_call(n) for n in program.nodes):
        from tfcore.compiler.inline import inline_calls  # here: programs without functions need not load it

        inline_calls(program)


def _find_frames(program):
    """Reports malformed graphs before anything is rewritten."""
    if has_control_flow(program.nodes):
        assign_frames(program)


class Pass(NamedTuple):
    """A pass over a Program.

    module: the module that has it. run: a function of the Compiler, the Program and the names of the rewrites that are
    on. rewrite: the one that has to be on for this pass to run; None: it always runs.
    """

    module: str
    run: Callable
    rewrite: str | None = None


ORDER = "access order"  # not a rewrite that can be switched off
# In the order in which they run. README.md says what each does.
PASSES = (
    Pass("inline", lambda compiler, program, on: _inline(program)),
    Pass("stacks", lambda compiler, program, on: modernize_stacks(program)),
    Pass("legacy_tensor_arrays", lambda compiler, program, on: replace_legacy_tensor_arrays(program)),
    Pass("handles", lambda compiler, program, on: replace_handles(program)),
    Pass(
        "resource_variables",
        lambda compiler, program, on: replace_resource_variables(program, "common_subexpressions" in on),
    ),
    Pass("stacks", lambda compiler, program, on: drop_unread_stacks(program), "simplification"),
    Pass("frames", lambda compiler, program, on: _find_frames(program)),
    Pass("place", lambda compiler, program, on: compiler.placer.place(program)),
    Pass("live_reads", lambda compiler, program, on: read_in_loops(program)),
    Pass("handles", lambda compiler, program, on: name_devices(program)),
    Pass("strict", lambda compiler, program, on: guard_broadcasts(program)),
    Pass("gates", lambda compiler, program, on: drop_gates(program), "gates"),
    Pass("fold", lambda compiler, program, on: fold_constants(program, compiler.lower), "constant_folding"),
    Pass("simplify", lambda compiler, program, on: simplify(program), "simplification"),
    Pass("cse", lambda compiler, program, on: eliminate_common_subexpressions(program), "common_subexpressions"),
    Pass("fuse", lambda compiler, program, on: fuse(program), "fusion"),
    Pass("accumulators", lambda compiler, program, on: replace_accumulators(program), "fusion"),
    Pass("fuse_cwise", lambda compiler, program, on: fuse_cwise(program), "fusion"),
    Pass("access_order", lambda compiler, program, on: order_accesses(program), ORDER),
)


class Compiler:
    """Compiles run signatures for one session.

    resources: the ResourceManager of this process's devices. rewrites: names of the passes to apply, from `REWRITES`.
    devices: a `devices.Devices`; soft, log, cost: see `place.Placer`.
    """

    REWRITES = ("gates", "constant_folding", "simplification", "common_subexpressions", "fusion", "loops")

    def __init__(self, resources, rewrites=REWRITES, devices=None, soft=False, log=False, cost=None):
        self.devices = devices or Devices()
        self._resources = resources
        self._rewrites = frozenset(rewrites)
        self.placer = Placer(self.devices, soft, log, cost)
        self.cost = cost
        self._stateful = {}  # name of an operation -> kernel instance: state that outlives plans
        self._callables = {}  # operation -> functions that its kernel calls
        self._generators = ResourceManager()  # of random numbers

    def compile(self, fetches, feeds, targets, fetch_devices=(), **how):
        """The Plan that returns the Tensors `fetches` and runs the Operations `targets`, given the Tensors `feeds`.

        how: options of `program`. fetch_devices: as in `ir.Program`. All devices must belong to this process.

        Raises:
          InvalidArgumentError: an operation can't be placed, has no kernel for its types, or lacks a reference.
        """
        program = self.program(fetches, feeds, targets, **how)
        program.fetch_devices = fetch_devices
        if is_spread(program, self.devices.default):
            (part,) = partition(program, self.devices.default)
            program = part.program
        return self.lower(program)

    def changes(self):
        """A number that grows when what is compiled from then on may differ."""
        return 0

    def keep_current(self, signature, changes):
        """Told of each signature of a session, and of `changes()` before it was compiled.

        A compiler whose devices may change sets `signature.version` when the signature is to be compiled again.
        """

    def program(self, fetches, feeds, targets, rewritten=True, fused_loops=True, ordered=True):
        """The placed and rewritten Program of a run, input of `partition` and `lower`.

        rewritten=False switches all rewrites off; fused_loops=False only the fusing of loops. ordered=False leaves the
        order of accesses to variables open where the graph does.
        """
        if ordered:
            for check in program_checks:
                check(self, fetches, feeds, targets)
        program = build(fetches, feeds, targets)
        on = (self._rewrites if rewritten else frozenset()) | ({ORDER} if ordered else set())
        for step in PASSES:
            if step.rewrite is None or step.rewrite in on:
                _phase(program, step.rewrite or step.module)
                step.run(self, program, on)
        program.fuses_loops = fused_loops and "loops" in on
        _phase(program, "making kernels")
        return program

    def lower(self, program):
        """The Plan that runs a program in this process. Stateful kernels of earlier plans are reused, by operation
        name.

        Raises:
          InvalidArgumentError: another rank runs other collectives.
        """
        frames = None
        if has_control_flow(program.nodes):
            _give_merges_values(program)
            if program.fuses_loops:
                fuse_loops(program, self._kernel, self._loop_kernel)
        if has_control_flow(program.nodes):
            frames = assign_frames(program)
        scheduled = schedule(program.nodes)
        order = scheduled
        if frames is not None:
            order = sorted(scheduled, key=lambda n: n.frame.index)
        if any(n.type in COLLECTIVES for n in order):
            for check in _collective_checks:
                check(order)
        slots = _number_slots(program.feeds, order)
        plan_nodes = [self._plan_node(node, slots) for node in order]
        made = dict(zip(order, plan_nodes))
        for function in unordered_functions({node: made[node] for node in scheduled}, frames is not None):
            function.flags |= MAY_WAIT
        if frames is not None:
            for made, node in zip(plan_nodes, order):
                made.frame, made.out_frame = node.frame.index, node.out_frame.index
        fetch_slots, reads = self._fetch_slots(program, slots)
        feeds = [(f.name, f.dtypes[0], f.dims[0], f.op) for f in program.feeds]
        if frames is not None:
            frames = [(f.name, f.parent.index if f.parent else -1, f.parallel_iterations) for f in frames]
        keeps = [i for i, device in enumerate(program.fetch_devices) if device]
        return Plan(plan_nodes, feeds, fetch_slots, fetch_reads=reads, frames=frames, fetch_keeps=keeps)

    def _loop_kernel(self, loop):
        """The kernel that runs a fused loop."""
        feeds = loop.variables + loop.constants
        phase = {n: (i >= loop.first_cond) + (i >= loop.first_body) for i, n in enumerate(loop.nodes)}
        order = sorted(schedule(loop.nodes), key=phase.__getitem__)
        slots = _number_slots(feeds, order)
        plan_nodes = [self._plan_node(node, slots) for node in order]
        guards = {n.index: [(slots[p], side) for p, side in mine] for n, mine in loop.guards.items()}
        merges = {n.index: (slots[p], taken) for n, (p, taken) in loop.merges.items()}
        asked = [g[0] for mine in guards.values() for g in mine] + [m[0] for m in merges.values()]
        once = [slots[n, i] for n in order if not phase[n] for i in range(len(n.dtypes))]
        following, pred = [slots[p] for p in loop.following], slots[loop.pred]
        plan = Plan(
            plan_nodes,
            [(f.name, f.dtypes[0], f.dims[0], f.op) for f in feeds],
            list(dict.fromkeys([*following, pred, *asked, *once])),
            loop=(len(loop.variables), loop.first_body),
        )
        return LoopKernel(
            plan, len(loop.variables), loop.first_cond, loop.first_body, pred, following, loop.exits, guards, merges
        )

    def close(self):
        """Forgets the session's state."""
        self._stateful = {}
        self._callables = {}
        self._generators.clear()
        self._resources.clear()

    def _plan_node(self, node, slots):
        deref = []
        for (source, index), is_ref in zip(node.inputs, node.takes_references()):
            found = source.dtypes[index]._is_ref_dtype
            if is_ref and not found and source.dtypes[index] is not dtypes.resource:  # handles.py
                raise errors.InvalidArgumentError(
                    None,
                    node.op,
                    f"Input of node {node.name} was passed {source.dtypes[index].name} from {source.name} incompatible "
                    f"with expected reference to a variable.",
                )
            deref.append(found and not is_ref)
        return PlanNode(
            node,
            self._kernel(node),
            [slots[p] for p in node.inputs],
            deref,
            [t.as_datatype_enum for t in node.dtypes],
            [c.index for c in node.controls],
        )

    def _callables_of(self, node):
        """{attribute: Callable} of the functions that a node's kernel calls. They live as long as the session."""
        names = [name for name, value in node.attrs.items() if isinstance(value, FunctionAttr)]
        if not names:
            return {}
        from tfcore.compiler.functions import make_callable  # here: programs without functions need not load it

        found = self._callables.get(node.op.name)
        if found is None:
            found = self._callables[node.op.name] = {name: make_callable(self, node, name) for name in names}
        return found

    def _fetch_slots(self, program, slots):
        """Slots of the fetched values; for fetched references the Plan adds a snapshot when the step ends."""
        fetch_slots = [slots[p] for p in program.fetches]
        reads = [i for i, (node, index) in enumerate(program.fetches) if node.dtypes[index]._is_ref_dtype]
        return fetch_slots, reads

    def _kernel(self, node):
        if node.kernel is not None:
            return node.kernel
        if device_type(node.device) == NULL and not _touches_references(node):
            node.kernel = make_null_kernel()
            return node.kernel
        # State in a device's memory stays there: a later run may have the operation elsewhere.
        home = node.op.name, node.device if has_own_memory(node.device) else None
        kept = self._stateful.get(home)
        if kept is not None and node.type == node.op.type:
            return kept
        inputs = [source.dtypes[index] for source, index in node.inputs]
        try:
            entry = kernel_for(node)
            device, hosted = None, ((), ())
            if has_own_memory(node.device) and not works_on_host(entry):
                from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

                device, hosted = gpu.gpu(parse(node.device)[4]), host_arguments(node, entry)
            node.kernel = make_kernel(
                node,
                entry,
                node.attrs,
                inputs,
                node.dtypes,
                self._resources,
                device,
                hosted,
                self._generators,
                self._callables_of(node),
            )
        except errors.OpError as error:
            raise type(error)(None, node.op, error.message + errors.location(node)) from None
        # Collectives have no state here: they belong to the ranks that there are when they are compiled.
        if node.kernel.flags & STATEFUL and node.type == node.op.type and node.type not in COLLECTIVES:
            # A signal handler may just have compiled a plan with the same operation.
            node.kernel = self._stateful.setdefault(home, node.kernel)
        return node.kernel


def _number_slots(feeds, order):
    """Maps each value to its slot; sets the `index` of each node to its position."""
    slots = {(feed, 0): i for i, feed in enumerate(feeds)}
    for i, node in enumerate(order):
        node.index = i
        for output in range(len(node.dtypes)):
            slots[(node, output)] = len(slots)
    return slots


def _give_merges_values(program):
    """Adds an Identity between a Merge and a feed or variable, since only nodes send it tokens."""
    nodes = []
    for node in program.nodes:
        if node.type in MERGE:
            for i, (source, index) in enumerate(node.inputs):
                reads = source.dtypes[index]._is_ref_dtype and node.type == "Merge"
                if source.is_feed or reads:
                    dtype, dims = source.dtypes[index].base_dtype, source.dims[index]
                    attrs = {"T": dtype}
                    name = f"{node.name}/input_{i}"
                    identity = Node.derived(
                        node.op, name, get_op_def("Identity"), node.device, attrs, [(source, index)], [dtype], [dims]
                    )
                    nodes.append(identity)
                    node.inputs[i] = (identity, 0)
        nodes.append(node)
    program.nodes = nodes


def _phase(program, name):
    progress.phase(f"compiling a plan of {len(program.nodes):,} operations ({name.replace('_', ' ')})")


def _touches_references(node):
    """Whether it creates, reads or changes a variable: other nodes rely on that, even on the null device."""
    return node.reads_reference() or any(t._is_ref_dtype for t in node.dtypes)
