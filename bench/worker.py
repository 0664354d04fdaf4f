"""The process of one library: makes programs of rows, gives their results, times them."""

import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.pop(1)  # this folder: its module names are not meant to be top-level ones

from bench import peers, rows  # noqa: E402


def work(library):
    module = peers.import_library(library)
    made = {}

    def program(name):
        if name not in made:
            made.clear()
            row = rows.find_row(name)
            make = row.torch if library == "torch" else row.graph
            made[name] = make(module)
        return made[name]

    def answer(**request):
        """{"value": ...} or {"error": text}: a failing row must not end the process."""
        try:
            return {"value": perform(**request)}
        except Exception as error:
            traceback.print_exc()
            return {"error": f"{type(error).__name__}: {error}"}

    def perform(name, action, seconds=None):
        if action == "result":
            return rows.np.asarray(program(name).result(), rows.np.float64).tolist()
        current = program(name)
        return peers.one_time(current.run) if current.single else peers.median_time(current.run, seconds)

    peers.serve(answer)


if __name__ == "__main__":
    work(sys.argv[sys.argv.index("--worker") + 1])
