"""tfcore's graphs in TensorFlow: random graphs of all registered ops, their gradients, and the training graphs.

    python -m tests.differential --tf PYTHON [--graphs 500] [--seed 0] [--ops Add,Mul]

PYTHON is the interpreter of an environment that has TensorFlow. Prints each deviation, then what was covered. Exit
status: 0 if nothing deviates and every op was drawn, else 1.
"""

import argparse
import collections
import sys
import time

from tests.differential import broken_calls, runs, training
from tests.differential.examine import Deviation, Tally, examine
from tests.differential.peer import TensorFlow, python
from tfcore.framework.errors import OpError


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", metavar="PYTHON", default=python(), help="interpreter that has TensorFlow")
    parser.add_argument("--graphs", type=int, default=500, help="how many, half of them with gradients")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", default="", help="only these, comma-separated")
    arguments = parser.parse_args()
    if not arguments.tf:
        parser.error("--tf PYTHON: an interpreter that has TensorFlow is needed")
    return arguments


def run(peer, arguments):
    """Runs everything; returns (tally, choices)."""
    tally, choices = Tally(), runs.choices(peer)
    wanted = set(filter(None, arguments.ops.split(",")))

    def visit(graph):
        for deviation in examine(graph, peer, tally):
            print(deviation, flush=True)

    for smooth, choice in choices.items():
        groups = runs.groups(choice, wanted)
        for i, ops in enumerate(groups):
            count = arguments.graphs // 2 * (i + 1) // len(groups) - arguments.graphs // 2 * i // len(groups)
            try:
                runs.visit(choice, ops, max(count, 1), arguments.seed, smooth, visit)
            except (ValueError, TypeError, OpError) as error:  # tfcore refuses what it drew
                tally.deviations.append(Deviation("drawing", type(error).__name__, f"{error}\n{ops}"))
                print(tally.deviations[-1], flush=True)
    return tally, choices


def train(peer):
    """Runs all training programs; returns how many deviate."""
    failed = 0
    print(f"\ntraining, {training.N_STEPS} steps of each, worst distance of a weight or loss in units of the bound:")
    for name in training.PROGRAMS:
        deviations, worst = training.compare(name, peer)
        failed += bool(deviations)
        print(f"    {name} {worst:.3g}", *map(repr, deviations[:3]), sep="\n        ")
    return failed


def break_calls(peer, choice, seed):
    """Runs some wrong calls of each op; returns how many raise something else in TensorFlow."""
    outcomes, failed = collections.Counter(), 0

    def visit(broken):
        nonlocal failed
        if broken is not None:
            theirs, ours, deviation = broken_calls.compare(broken, peer)
            outcomes[f"{theirs} in TensorFlow, {ours} in tfcore"] += 1
            if deviation is not None:
                failed += 1
                print(deviation)

    for op in broken_calls.ops(choice):
        runs.visit_all(broken_calls.broken_calls(choice, op), 8, seed, visit)
    print("\nwrong calls:")
    print("\n".join(f"    {n:5d} {outcome}" for outcome, n in outcomes.most_common()))
    return failed


def report(tally, choices, wanted):
    """What was covered, and how far apart the libraries were."""
    print(f"\n{tally.graphs} graphs, {sum(tally.drawn.values())} drawn calls of {len(tally.drawn)} ops")
    print(f"{sum(tally.nodes.values())} operations of {len(tally.nodes)} types compared one by one")
    print(f"{tally.gradients} gradients compared with TensorFlow's own, worst {tally.worst_gradient:.3g} of the bound")
    print(f"{tally.imported} graphs written by TensorFlow imported and run", end="")
    print(f"; not imported because of {dict(tally.unknown)}" if tally.unknown else "")
    print("\ncalls of each op:")
    print(_wrapped(f"{op} {n}" for op, n in sorted(tally.drawn.items())))
    print("\nworst distance in units of the bound:")
    worst = sorted(tally.worst.items(), key=lambda item: -item[1][0])[:40]
    print(_wrapped(f"{op} {ratio:.2f} ({dtype})" for op, (ratio, dtype) in worst))
    print("\nTensorFlow further from the exact value than tfcore's bound, in units of it:")
    print(_wrapped(f"{op} {ratio:.3g} ({dtype})" for op, (ratio, dtype) in sorted(tally.less_exact.items())))
    print("\nexplained differences:")
    print("\n".join(f"    {n:5d} {text}" for text, n in sorted(tally.explained.items())))
    print("\nnot drawn:")
    reasons = runs.not_drawn(choices[False])
    print("\n".join(f"    {op}: {reason or 'HAS NO RECORD'}" for op, reason in reasons.items()))
    left_out = {op: len(cases) for op, cases in choices[False].left_out.items() if op not in reasons}
    print("\ntypes for which TensorFlow has no kernel (number of combinations):")
    print(_wrapped(f"{op} {n}" for op, n in sorted(left_out.items())))
    missing = sorted(op for op in choices[False].cases if not tally.drawn[op] and (not wanted or op in wanted))
    if missing:
        print(f"\nNEVER DRAWN: {', '.join(missing)}")
    print(f"\n{len(tally.deviations)} deviations")
    return missing


def _wrapped(words):
    lines, line = [], "   "
    for word in words:
        if len(line) + len(word) > 110:
            lines.append(line)
            line = "   "
        line += f" {word},"
    return "\n".join([*lines, line]).rstrip(",")


def main():
    arguments = parse_arguments()
    start = time.perf_counter()
    with TensorFlow(arguments.tf) as peer:
        print(f"TensorFlow {peer.version}, seed {arguments.seed}")
        tally, choices = run(peer, arguments)
        failed = 0 if arguments.ops else train(peer) + break_calls(peer, choices[False], arguments.seed)
    missing = report(tally, choices, set(filter(None, arguments.ops.split(","))))
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if tally.deviations or missing or failed else 0


if __name__ == "__main__":
    sys.exit(main())
