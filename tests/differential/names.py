"""Writes tfcore/framework/missing_names.txt: the names of TensorFlow's API that tfcore does not have yet.

python -m tests.differential.names PYTHON    # PYTHON has TensorFlow
"""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import tfcore as tf
from tfcore.framework import lazy

NAMESPACES = (
    "audio bitwise contrib data data.experimental debugging dtypes image initializers io layers linalg math nest nn "
    "random saved_model signal spectral strings summary train"
).split()
# TensorFlow 1 had these; the TensorFlow that is asked has lost them.
OLD = {
    "": ["contrib", "estimator"],
    "layers": (
        "AveragePooling1D AveragePooling3D Conv1D Conv2DTranspose Conv3D Conv3DTranspose InputSpec MaxPooling1D "
        "MaxPooling3D SeparableConv1D SeparableConv2D average_pooling1d average_pooling3d conv1d conv2d_transpose "
        "conv3d conv3d_transpose experimental max_pooling1d max_pooling3d separable_conv1d separable_conv2d"
    ).split(),
    "contrib": (
        "all_reduce batching bayesflow bigtable boosted_trees checkpoint cloud cluster_resolver coder compiler "
        "constrained_optimization copy_graph crf cudnn_rnn data decision_trees deprecated distribute distributions "
        "eager estimator factorization feature_column ffmpeg framework gan graph_editor grid_rnn hadoop hooks ignite "
        "image input_pipeline integrate kafka kernel_methods keras kinesis labeled_tensor layers learn legacy_seq2seq "
        "linear_optimizer lite lookup losses memory_stats meta_graph_transform metrics mixed_precision model_pruning "
        "nccl nearest_neighbor nn opt optimizer_v2 periodic_resample predictor proto quantization quantize "
        "receptive_field recurrent reduce_slice_ops remote_fused_graph resampler rpc saved_model seq2seq "
        "session_bundle signal slim solvers sparsemax specs staging stat_summarizer stateless summary tensor_forest "
        "tensorboard tensorrt testing text tfprof timeseries tpu training util verbs"
    ).split(),
}  # fmt: skip
ASK = """
import json, operator, sys
import tensorflow.compat.v1 as tf
def names(path):
    try:
        return [n for n in dir(operator.attrgetter(path)(tf) if path else tf) if not n.startswith("_")]
    except (AttributeError, ImportError):
        return []
print(json.dumps({path: names(path) for path in sys.argv[1:]}))
"""


def main(python):
    paths = ["", *NAMESPACES]
    answer = subprocess.run([python, "-c", ASK, *paths], stdout=subprocess.PIPE, check=True, text=True).stdout
    lines = [
        "# Names of TensorFlow 1's API that tfcore does not have yet, by namespace; written by "
        "tests/differential/names.py."
    ]
    for path, names in json.loads(answer.splitlines()[-1]).items():
        space = tf
        for part in path.split(".") if path else ():
            space = getattr(space, part)
        head = "tfcore" + (f".{path}" if path else "")
        there = {*dir(space), *lazy.OTHER_PACKAGES.get(head, ())}
        missing = sorted({*names, *OLD.get(path, ())} - there)
        lines += textwrap.wrap(f"{head}: {' '.join(missing)}", 118, subsequent_indent="  ")
    (Path(lazy.__file__).parent / "missing_names.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
