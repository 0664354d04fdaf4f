"""What a program is told about names that the public namespaces lack."""

import importlib
import subprocess
import sys

import pytest

import tfcore as tf
from tfcore.framework.lazy import missing_names


@pytest.mark.parametrize(
    "module, name",
    [
        (tf, "CriticalSection"),
        (tf.saved_model, "load_v2"),
        (tf.io, "decode_webp"),
        (tf.train, "sdca_optimizer"),
        (tf.contrib, "slim"),
        (tf.io, "decode_proto"),
    ],
)
def test_names_that_are_not_there_yet(module, name):
    assert not hasattr(module, name)
    text = f"module '{module.__name__}' has no attribute '{name}': TensorFlow has it, tfcore does not have it yet"
    with pytest.raises(AttributeError, match=text):
        getattr(module, name)


@pytest.mark.parametrize(
    "module, name, meant",
    [
        (tf, "placehoder", "placeholder"),
        (tf, "Sesion", "Session"),
        (tf.nn, "con2d", "conv2d"),
        (tf.train, "AdamOptimiser", "AdamOptimizer"),
        (tf.layers, "densee", "dense"),
        (tf.nn.rnn_cell, "LSTMCel", "LSTMCell"),
        (tf.initializers, "glorot_norml", "glorot_normal"),
        (tf.raw_ops, "Matmul", "MatMul"),
    ],
)
def test_typos(module, name, meant):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'\. Did you mean: '{meant}'\?"):
        getattr(module, name)


def test_names_that_nobody_has():
    with pytest.raises(AttributeError) as caught:
        _ = tf.qqqqqqqqqqqq
    assert str(caught.value) == "module 'tfcore' has no attribute 'qqqqqqqqqqqq'"


def test_the_list_holds_no_name_that_exists():
    for path, names in missing_names().items():
        present = names & set(dir(importlib.import_module(path)))
        assert not present, f"remove from tfcore/framework/missing_names.txt, {path}: {present}"


def test_importing_explains_no_names():
    code = "import tfcore; from tfcore.framework.lazy import missing_names as t; assert not t.cache_info().currsize"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_works_without_docstrings():
    code = (
        "import tfcore as tf; tf.train.AdamOptimizer, tf.layers.dense, "
        "tf.nn.dynamic_rnn, tf.losses.log_loss, tf.metrics.auc, tf.contrib.layers.fully_connected; "
        "tf.Session().run(tf.abs(-1.0))"
    )
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)


def test_importing_loads_no_namespace_that_is_not_used():
    code = (
        "import sys, tfcore as tf; late = {'tfcore.train', 'tfcore.layers', 'tfcore.rnn', 'unittest', 'hashlib', "
        "'tfcore.losses', 'tfcore.metrics', 'tfcore.contrib'}; "
        "assert not late & set(sys.modules), late & set(sys.modules); "
        "tf.train.AdamOptimizer, tf.layers.dense, tf.nn.dynamic_rnn, tf.test.TestCase, tf.initializers.zeros; "
        "tf.losses.log_loss, tf.metrics.auc, tf.contrib.metrics.count"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "module, name, end",
    [
        (tf, "conv", "TensorFlow has it, tfcore does not have it yet."),  # Python: conj
        (tf, "zero", "has no attribute 'zero'. Did you mean: 'zeros'?"),
        (tf, "zebra", "module 'tfcore' has no attribute 'zebra'"),  # zeta is not near
        (tf.losses, "get_los", "has no attribute 'get_los'. Did you mean: 'get_losses'?"),
    ],
)
def test_python_adds_no_suggestion(module, name, end, capsys):
    try:
        getattr(module, name)
    except AttributeError as error:
        sys.__excepthook__(type(error), error, None)
    assert capsys.readouterr().err.endswith(f"{end}\n")
