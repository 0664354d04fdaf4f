"""How much memory does a training step of the dynamic LSTM take, and how much the unrolled one?

Blocks of more than 256 KB are counted, as in `memory_stats`. With all blocks counted (LARGE = 0 in
core/memory/allocator.c), it was 20.33 MB and 20.32 MB: the objects of stacks and tensor arrays are 10 KB.
"""

import os
import subprocess
import sys

from bench.control_flow import lstm

NAME = "memory of LSTM 512"


def peak(rnn):
    """Peak bytes of values during training steps, above what is held between them; in this process."""
    from tfcore.core.runtime import memory_stats, trim_memory

    import tfcore

    program = lstm.graph(lstm.LARGE, rnn)(tfcore)
    program.run()
    program.run()
    trim_memory()
    before = memory_stats()
    program.run()
    return memory_stats()["peak_bytes_in_use"] - before["bytes_in_use"]


def report():
    """Prints both, each measured in a separate process; returns 0 if the dynamic one takes no more, else 1."""
    taken = {}
    for name in ("dynamic", "unrolled"):
        command = [sys.executable, "-m", "bench.control_flow.memory", name]
        found = subprocess.run(command, capture_output=True, text=True, cwd=os.getcwd())
        if found.returncode:
            print(f"{NAME}: {name} fails: {found.stderr[-500:]}")
            return 2
        taken[name] = int(found.stdout.split()[-1])
    met = taken["dynamic"] <= taken["unrolled"]
    megabytes = {name: f"{value / 1e6:.1f} MB" for name, value in taken.items()}
    print(f"{NAME}, peak of a training step: dynamic {megabytes['dynamic']}, unrolled {megabytes['unrolled']}", end="")
    print(f"  {'met' if met else 'NOT MET'}")
    return 0 if met else 1


if __name__ == "__main__":
    print(peak({"dynamic": lstm.dynamic, "unrolled": lstm.unrolled}[sys.argv[1]]))
