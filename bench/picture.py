"""Draws the picture of the README: time of a step beside TensorFlow.

    python -m bench.picture [FILE.json ...] [--to docs/speed.svg]

The files are results of `python -m bench --tf PYTHON --json FILE.json` on one machine (default: results/table.json).
With several, each bar is the median of its runs.
"""

import argparse
import json
import os
import statistics

from bench import table

COLORS = {"tfcore": "#1a8f5a", "tensorflow": "#d9822b"}  # like the grey, readable on white and on black
NAMES = {"tfcore": "tfcore", "tensorflow": "TensorFlow"}
GREY = "#808080"
UNITS = {"us": 1.0, "ms": 1e3}  # microseconds
STEPS = (
    "empty run",
    "feed and fetch a scalar",
    "softmax regression, batch 100",
    "MLP 784-512-512-10, Adam, batch 128",
    "LeNet-style net, momentum, batch 64",
)


def times(runs):
    """{row: {library: median time in microseconds}}, for the rows of steps that were measured with both libraries."""
    found = {}
    for name in STEPS:
        rows = [r for run in runs for r in run["rows"] if r["row"] == name and set(COLORS) <= set(r["values"])]
        if rows:
            found[name] = {c: statistics.median(r["values"][c] * UNITS[r["unit"]] for r in rows) for c in COLORS}
    return found


def label(microseconds):
    return f"{microseconds / 1e3:.3g} ms" if microseconds >= 1e3 else f"{microseconds:.3g} µs"


def draw(runs, path):
    """Writes the picture as an SVG file.

    Raises:
      ValueError: no step was measured with both libraries.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {
        "svg.fonttype": "none",
        "svg.hashsalt": "tfcore",
        "font.size": 10,
        "font.family": "sans-serif",
    }
    matplotlib.rcParams |= dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), GREY)
    from matplotlib import pyplot

    measured = times(runs)
    if not measured:
        raise ValueError("no step was measured with both libraries: run `python -m bench --tf PYTHON` first")
    figure, axes = pyplot.subplots(figsize=(8, 0.62 * len(measured) + 1.1), constrained_layout=True)
    for i, values in enumerate(measured.values()):
        for offset, (library, time) in zip((-0.2, 0.2), values.items()):
            axes.barh(i + offset, time, 0.36, color=COLORS[library], label=NAMES[library] if i == 0 else None)
            note = label(time) if library == "tfcore" else f"{label(time)}  ({time / values['tfcore']:.3g} x)"
            axes.text(time * 1.12, i + offset, note, va="center", color=COLORS[library])
    axes.set_xscale("log")
    axes.set_xlim(0.1, 30 * max(max(values.values()) for values in measured.values()))
    axes.set_yticks(range(len(measured)), measured)
    axes.invert_yaxis()
    axes.tick_params(left=False, bottom=False, which="both", labelbottom=False)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.legend(loc="upper right", frameon=False)
    machine, day = runs[0]["machine"], runs[0]["time"].partition("T")[0]
    caption = f"time of a step, logarithmic scale; {machine['processor']}, {machine['cores']} cores, {day}"
    figure.supxlabel(caption, fontsize=10)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    figure.savefig(path, transparent=True, metadata={"Date": None})
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.picture", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("files", nargs="*", metavar="FILE.json", default=[os.path.join(table.RESULTS, "table.json")])
    parser.add_argument("--to", default=os.path.join(os.path.dirname(table.RESULTS), "..", "docs", "speed.svg"))
    options = parser.parse_args()
    runs = []
    for path in options.files:
        with open(path) as file:
            runs.append(json.load(file))
    draw(runs, options.to)


if __name__ == "__main__":
    main()
