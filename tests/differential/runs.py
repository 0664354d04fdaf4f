"""Many random graphs: every op in turn, the same graphs for the same seed."""

import hypothesis

from tests import harness
from tests.differential import exceptions, random_graphs

N_GROUPS = 54  # of ops: about seven in a graph


def choices(peer):
    """What is drawn for graphs of values, and for graphs of gradients."""

    def accepts(gradient):
        return lambda op, types: not _is_excused(op) and peer.has_kernel(op, types, gradient)

    return {False: random_graphs.Choice(accepts(False)), True: random_graphs.Choice(accepts(True))}


def _is_excused(op):
    return op.startswith("_") or op in exceptions.NOT_DRAWN


def not_drawn(choice):
    """{op: why} for the registered ops that no graph has; the reason is None where there is none."""
    drawn = set(choice.cases)
    own_tests = harness.explicit_tests("EXPLICIT")
    result = {}
    for op in sorted({op.name for op in harness.own_ops()} - drawn):
        if _is_excused(op):
            result[op] = exceptions.NOT_DRAWN.get(op, "made by tfcore's compiler; no GraphDef has it")
        elif op in choice.left_out:
            result[op] = "TensorFlow has no kernel for processors"
        elif op in own_tests:
            result[op] = f"more than a function of its inputs: see {own_tests[op]}"
        else:
            result[op] = None
    return result


def groups(choice, wanted=()):
    """The (selected) ops in groups for one graph each; alphabetic neighbours are in different groups."""
    names = [op for op in sorted(choice.cases) if not wanted or op in wanted]
    n = min(N_GROUPS, len(names))
    return [names[i::n] for i in range(n)]


def visit(choice, ops, count, seed, smooth, function):
    """Calls function(graph) for `count` graphs with these ops, without those in which no call fitted."""

    def visit_graph(graph):
        if graph.calls:
            function(graph)

    visit_all(random_graphs.graphs(choice, ops, smooth=smooth), count, seed, visit_graph)


def visit_all(strategy, count, seed, function):
    """Calls function(example) for `count` examples, without shrinking: a deviation already names the operation."""

    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.seed(seed)
    @hypothesis.given(strategy)
    def each(example):
        function(example)

    each()
