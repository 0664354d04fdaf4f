"""Docstrings of the public names, and their examples. (The pages of docs/ are tested in test_pages.py.)

The format is Google's, as in TensorFlow. Every public function says what it takes (Args), gives (Returns or Yields) and
raises (Raises); every public class what its constructor and its methods take. Examples in docstrings run as doctests:
they find `tf`, `np` and `sess`, an InteractiveSession on a graph of their own.
"""

import ast
import doctest
import importlib
import inspect
import re
import textwrap

import numpy as np
import pytest

import tfcore as tf
import tfcore.onnx  # noqa: F401  are not part of tf until imported
import tfcore.testing  # noqa: F401
from tfcore.framework import lazy

NAMESPACES = [path.removeprefix("tf.") for path in lazy.namespaces() if path != "tf"] + ["onnx", "testing"]

# The names that programs use most: each has an example.
MOST_USED = """
    Graph InteractiveSession Session Variable abs accumulate_n add add_n argmax argmin as_dtype assert_equal assign
    assign_add assign_sub bitcast boolean_mask broadcast_to case cast ceil check_numerics clip_by_global_norm
    clip_by_norm clip_by_value complex concat cond constant constant_initializer control_dependencies convert_to_tensor
    cross cumprod cumsum custom_gradient device diag diag_part div divide dynamic_partition dynamic_stitch einsum equal
    exp expand_dims eye fill floor floordiv floormod foldl foldr function gather gather_nd get_collection
    get_default_graph get_variable global_norm global_variables global_variables_initializer gradients greater group
    hessians identity import_graph_def invert_permutation less linspace log logical_and logical_not logical_or map_fn
    matmul matrix_band_part matrix_diag maximum meshgrid minimum multiply name_scope negative no_op norm not_equal
    one_hot ones ones_like pad placeholder placeholder_with_default pow py_func random_normal random_shuffle
    random_uniform range rank realdiv reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min
    reduce_prod reduce_sum report_uninitialized_variables reset_default_graph reshape reverse reverse_sequence round
    rsqrt scan scatter_add scatter_nd scatter_update segment_sum sequence_mask set_random_seed shape sigmoid sign size
    slice space_to_depth sparse_to_dense split sqrt square squared_difference squeeze stack stop_gradient strided_slice
    subtract tanh tensordot tile trainable_variables transpose truncated_normal tuple unique unsorted_segment_sum
    unstack variable_scope where while_loop zeros zeros_like
    layers.batch_normalization layers.conv2d layers.dense layers.dropout layers.flatten layers.max_pooling2d
    linalg.inv linalg.solve
    confusion_matrix losses.compute_weighted_loss losses.get_total_loss losses.mean_squared_error
    losses.softmax_cross_entropy losses.sparse_softmax_cross_entropy metrics.accuracy metrics.auc metrics.mean
    metrics.mean_iou metrics.precision metrics.precision_at_k metrics.recall nn.zero_fraction sets.size
    nn.avg_pool nn.batch_normalization nn.bias_add nn.conv2d nn.conv2d_transpose nn.dropout nn.dynamic_rnn nn.elu
    nn.embedding_lookup nn.fused_batch_norm nn.in_top_k nn.l2_loss nn.l2_normalize nn.leaky_relu nn.log_softmax
    nn.max_pool nn.moments nn.nce_loss nn.relu nn.relu6 nn.sampled_softmax_loss nn.selu
    nn.sigmoid_cross_entropy_with_logits nn.softmax nn.softmax_cross_entropy_with_logits_v2 nn.softplus
    nn.sparse_softmax_cross_entropy_with_logits nn.static_rnn nn.top_k nn.xw_plus_b
    nn.rnn_cell.BasicLSTMCell nn.rnn_cell.GRUCell nn.rnn_cell.LSTMCell nn.rnn_cell.MultiRNNCell
    train.AdagradOptimizer train.AdamOptimizer train.ClusterSpec train.ExponentialMovingAverage
    train.GradientDescentOptimizer train.MomentumOptimizer train.RMSPropOptimizer train.exponential_decay
    train.get_or_create_global_step train.piecewise_constant train.replica_device_setter train.write_graph
""".split()  # fmt: skip


def resolve(path):
    value = tf
    for name in path.split("."):
        value = getattr(value, name)
    return value


def namespace(path):
    return resolve(path) if path else tf


def is_ours(value):
    return callable(value) and (getattr(value, "__module__", None) or "").startswith("tfcore")


def public(path):
    """Functions and classes of a namespace by name."""
    space = namespace(path)
    names = getattr(space, "__all__", None) or [n for n in dir(space) if not n.startswith("_")]
    found = {n: getattr(space, n) for n in names}
    return {n: v for n, v in found.items() if is_ours(v) and not inspect.ismodule(v)}


def sections(doc):
    """The text below each heading of a docstring."""
    found, heading = {}, None
    for line in inspect.cleandoc(doc or "").splitlines():
        if match := re.fullmatch(r"(Args|Returns|Yields|Raises|Attributes):", line):
            heading = match[1]
            found[heading] = ""
        elif line and not line[0].isspace():
            heading = None
        elif heading:
            found[heading] += line + "\n"
    return found


def parameters(function):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # C code without a signature
        return []
    skipped = ("self", "cls")
    return [name for name in signature.parameters if name not in skipped and not name.startswith("_")]


def missing_arguments(doc, names):
    """Parameters that the Args section doesn't name; `x, y:` and `*args:` name what they say."""
    described = re.findall(r"^ {1,4}([*\w][\w, *]*?)(?: \(.*?\))?:", sections(doc).get("Args", ""), re.MULTILINE)
    named = {name.strip(" *") for group in described for name in group.split(",")}
    return [name for name in names if name not in named]


def gives_a_value(function):
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return False
    body = [tree.body[0]]
    while body:
        node = body.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)) or isinstance(node, ast.Return) and node.value is not None:
            return True
        inner = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
        body += [child for child in ast.iter_child_nodes(node) if not isinstance(child, inner)]
    return False


def complaints_about_function(function, raises=True):
    doc = function.__doc__
    if not doc:
        return ["no docstring"]
    found = []
    names = parameters(function)
    if unnamed := missing_arguments(doc, names):
        found.append(f"Args lacks {', '.join(unnamed)}")
    parts = sections(doc)
    if gives_a_value(function) and not {"Returns", "Yields"} & set(parts):
        found.append("no Returns")
    if raises and set(names) - {"name"} and "Raises" not in parts:
        found.append("no Raises")
    return found


def complaints_about_class(cls):
    if not cls.__doc__ or cls.__doc__ == getattr(cls.__base__, "__doc__", None):
        return ["no docstring"]
    found = []
    own = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    if "__init__" in vars(cls) and not issubclass(cls, Exception):
        doc = inspect.cleandoc(cls.__doc__) + "\n\n" + inspect.cleandoc(cls.__init__.__doc__ or "")
        if unnamed := missing_arguments(doc, parameters(cls.__init__)):
            found.append(f"Args lacks {', '.join(unnamed)}")
    for name, value in own.items():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if isinstance(value, property):
            if not (value.fget.__doc__ or inherited_doc(cls, name)):
                found.append(f"{name}: no docstring")
        elif inspect.isfunction(function):
            if not function.__doc__ and inherited_doc(cls, name):
                continue
            found += [f"{name}: {c}" for c in complaints_about_function(function, raises=False)]
    return found


def inherited_doc(cls, name):
    return any(getattr(vars(base).get(name), "__doc__", None) for base in cls.__mro__[1:])


def by_module():
    """Every public function and class once, by the module it is written in and the first name users know it by."""
    modules, seen = {}, set()
    for path in ["", *NAMESPACES]:
        for name, value in sorted(public(path).items()):
            if id(value) not in seen:
                seen.add(id(value))
                modules.setdefault(value.__module__, {})[f"{path}.{name}".lstrip(".")] = value
    return modules


MODULES = by_module()


@pytest.mark.parametrize("module", sorted(MODULES))
def test_public_names_are_documented(module):
    found = []
    for name, value in MODULES[module].items():
        about = complaints_about_class(value) if inspect.isclass(value) else complaints_about_function(value)
        found += [f"{name}: {complaint}" for complaint in about]
    assert found == []


def test_raw_ops_are_documented():
    found = []
    for name in dir(tf.raw_ops):
        if not name.startswith(("_", "Test")):
            op = getattr(tf.raw_ops, name)
            if unnamed := missing_arguments(op.__doc__, [op.parameter_name(arg.name) for arg in op.inputs]):
                found.append(f"{name}: Args lacks {', '.join(unnamed)}")
            if op.outputs and "Returns" not in sections(op.__doc__):
                found.append(f"{name}: no Returns")
    assert found == []


def test_what_is_missing_is_seen():
    def function(x, axis, name=None):
        """Adds.

        Args:
          x: A tensor.
        """
        return x

    assert complaints_about_function(function) == ["Args lacks axis, name", "no Returns", "no Raises"]


def test_the_most_used_names_have_examples():
    assert len(set(MOST_USED)) >= 150
    assert [name for name in MOST_USED if ">>> " not in (resolve(name).__doc__ or "")] == []


@pytest.mark.parametrize("module", sorted(MODULES))
def test_examples(module):
    finder = doctest.DocTestFinder(exclude_empty=True)
    wrong = []
    for test in finder.find(importlib.import_module(module), globs={}):
        if not test.examples:
            continue
        with tf.Graph().as_default():
            sess = tf.InteractiveSession()
            try:
                test.globs = {"tf": tf, "np": np, "sess": sess, "__name__": "example"}
                report = []
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                runner.run(test, out=report.append)
            finally:
                sess.close()
            if runner.failures:
                wrong.append("".join(report))
    assert not wrong, "\n".join(wrong)
