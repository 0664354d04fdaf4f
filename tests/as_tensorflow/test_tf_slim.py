"""tf_slim's own tests pass, but for those that need what tfcore does not have yet."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from tests.as_tensorflow.test_programs import environment

pytestmark = pytest.mark.skipif(
    None in map(importlib.util.find_spec, ("tf_slim", "six")),
    reason="tf_slim is not installed: pip install tf_slim==1.1.0 six",
)

# The modules, and how many of their tests pass at least.
MODULES = {
    "layers.initializers_test": 21,
    "layers.layers_test": 306,
    "layers.normalization_test": 41,
    "layers.optimizers_test": 8,
    "layers.regularizers_test": 11,
    "layers.rev_block_lib_test": 8,
    "layers.sparse_ops_test": 21,
    "layers.utils_test": 24,
    "losses.loss_ops_test": 109,
    "losses.metric_learning_test": 6,
    "metrics.classification_test": 17,
    "metrics.histogram_ops_test": 9,
    "metrics.metric_ops_test": 318,
    "nets.alexnet_test": 7,
    "nets.inception_v1_test": 11,
    "nets.inception_v2_test": 14,
    "nets.inception_v3_test": 15,
    "nets.overfeat_test": 7,
    "nets.resnet_v1_test": 15,
    "nets.resnet_v2_test": 15,
    "nets.vgg_test": 21,
    "ops.arg_scope_test": 20,
    "ops.framework_ops_test": 4,
    "ops.variables_test": 75,
}

# Weights of OverFeat and VGG alone take half a gigabyte, more than an emulated GPU has by default.
MEMORY = {"TFCORE_EMULATED_GPU_MEMORY": "4000000000"}

# What the texts of errors say about a test that cannot pass.
_EXCUSES = (
    r"(it|them|tf\.\w+) yet\.",
    r"module 'numpy' has no attribute",  # the tests are older than NumPy 2
    r"only 0-dimensional arrays can be converted to Python scalars",
    r"only integers, slices .* are valid indices",  # it indexes arrays with a list of slices
)

# Tests that fail in TensorFlow 2.21, too, or that demand more than both promise.
_DIFFERENCES = {
    "testResourceVariable": "there is one class of variables",
    "testDeviceFn": "a device function is asked about the operations around a variable, too",
    "testVariableWithDeviceFunction": "as testDeviceFn",
    "testVariableWithReplicaDeviceSetter": "fails in TensorFlow: the device is not completed by a CPU",
    "testSomeCorrect": "compares a quotient of floats to the last bit",
}


@pytest.mark.alone
@pytest.mark.parametrize("module", MODULES)
def test_tests_of_tf_slim(module, tmp_path):
    script = os.path.join(os.path.dirname(__file__), "outcomes.py")
    command = [sys.executable, "-m", "tfcore.as_tensorflow", script, f"tf_slim.{module}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment() | MEMORY)
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["tf_slim.')]
    wrong = [
        (name, text)
        for name, outcome, text in outcomes
        if outcome in ("error", "failed")
        and name.rpartition(".")[2] not in _DIFFERENCES
        and not re.search("|".join(_EXCUSES), text)
    ]
    assert not wrong
    assert sum(outcome == "passed" for _, outcome, _ in outcomes) >= MODULES[module]


SHARED = """
import tensorflow as tf, tensorflow.contrib.slim as slim
from tensorflow.contrib.framework import arg_scope
layers = tf.contrib.layers
assert slim.arg_scope is arg_scope
for name in ("conv2d", "convolution2d", "fully_connected", "max_pool2d", "batch_norm", "dropout", "flatten"):
    assert getattr(slim, name) is getattr(layers, name), name
x = tf.zeros([1, 8, 8, 3])
for scope, function in ((slim.arg_scope, layers.conv2d), (arg_scope, slim.conv2d)):
    with scope([function], activation_fn=tf.nn.sigmoid):
        assert slim.conv2d(x, 4, 3).op.type == layers.conv2d(x, 4, 3).op.type == "Sigmoid"
        with arg_scope([slim.model_variable, slim.variable], trainable=False):
            assert slim.variable("v", [1]) not in tf.trainable_variables()
    tf.reset_default_graph()
    x = tf.zeros([1, 8, 8, 3])
"""


def test_layers_and_arg_scopes_are_those_of_contrib(tmp_path):
    command = [sys.executable, "-c", f"import tfcore.as_tensorflow as a; a.install()\n{SHARED}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment())
    assert done.returncode == 0, done.stderr
