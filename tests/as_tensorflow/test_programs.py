"""`import tensorflow` after tfcore.as_tensorflow.install(), in processes of their own."""

import os
import subprocess
import sys
import textwrap

import pytest

import tfcore as tf
from tests.coverage import api
from tfcore.as_tensorflow import modules
from tfcore.as_tensorflow.snake_case import snake_case
from tfcore.framework import lazy


def run(*arguments, **options):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def installed(code):
    """What a program prints that has installed the names."""
    return run("-c", "import tfcore.as_tensorflow as a; a.install()\n" + textwrap.dedent(code))


def test_names_of_all_kinds():
    out = installed(
        """
        import tensorflow as tf
        import tensorflow.compat.v1 as tf1
        import tfcore
        from tensorflow.compat import v1
        assert tf is tf1 is v1 is tf.compat.v1
        assert tf.__version__ == tf.VERSION == tf.version.VERSION == a.TENSORFLOW_VERSION == "1.15.5"
        assert tfcore.__version__ == tfcore.VERSION != tf.__version__
        from tensorflow.python.framework import ops, dtypes, tensor_shape
        from tensorflow.python.ops import array_ops, math_ops, gen_math_ops, gen_nn_ops, control_flow_ops, init_ops
        from tensorflow.python.training import adam, slot_creator
        from tensorflow.python.client import session
        from tensorflow.contrib import rnn
        import tensorflow.contrib.rnn as same
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell
        assert rnn is same is tf.contrib.rnn is tfcore.contrib.rnn
        assert tfcore.contrib.rnn.__spec__.name == "tfcore.contrib.rnn"
        assert core_rnn_cell.LSTMCell is rnn.LSTMCell
        from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio
        from tensorflow.python.ops import gen_audio_ops
        assert contrib_audio.mfcc is gen_audio_ops.mfcc and gen_audio_ops.decode_wav("").audio.dtype == tf.float32
        assert tf.python.framework.ops.Graph is ops.Graph is tfcore.Graph and dtypes.float32_ref == tf.float32._as_ref
        assert adam.AdamOptimizer is tf.train.AdamOptimizer and init_ops.Zeros is tfcore.initializers.zeros
        x = ops.convert_to_tensor([1.0, 2.0])
        best = gen_nn_ops.top_kv2(x, 1)
        y = control_flow_ops.with_dependencies([x], math_ops.reduce_sum(gen_math_ops.mul(x, x)))
        z = array_ops.concat([x, x], 0)
        with session.Session() as sess:
            print([v.tolist() for v in sess.run([y, best.values, z])])
        """
    )
    assert out == "[5.0, [2.0], [1.0, 2.0, 1.0, 2.0]]\n"


def test_messages():
    installed(
        """
        import tensorflow as tf
        from tensorflow.core.framework import graph_pb2, types_pb2
        from tensorflow.core.protobuf import config_pb2, control_flow_pb2, tensorflow_server_pb2
        assert graph_pb2.GraphDef is tf.GraphDef and types_pb2.DT_FLOAT == 1
        assert config_pb2.ConfigProto is tf.ConfigProto and tensorflow_server_pb2.ServerDef is tf.train.ServerDef
        assert control_flow_pb2.WhileContextDef().context_name == ""
        from tensorflow.core.example.example_pb2 import SequenceExample
        from tensorflow.core.framework.summary_pb2 import DESCRIPTOR, HistogramProto
        from tensorflow.core.lib.core import error_codes_pb2
        from tensorflow.core.util import event_pb2
        from tensorflow.python.training.checkpoint_state_pb2 import CheckpointState
        assert SequenceExample is tf.train.SequenceExample and HistogramProto is tf.HistogramProto
        assert DESCRIPTOR.name == "tensorflow/core/framework/summary.proto"
        assert error_codes_pb2.Code.Name(error_codes_pb2.OUT_OF_RANGE) == "OUT_OF_RANGE"
        assert event_pb2.SessionLog.START == 1 and event_pb2.WorkerHealth.Value("OK") == event_pb2.OK == 0
        assert config_pb2.RunMetadata is tf.RunMetadata and CheckpointState is not None
        """
    )


def test_a_program_of_tensorflows_own_tests(tmp_path):
    (tmp_path / "program.py").write_text(
        textwrap.dedent(
            """
            from tensorflow.python.framework import constant_op, ops, test_util
            from tensorflow.python.ops import math_ops
            from tensorflow.python.platform import test

            class SquareTest(test_util.TensorFlowTestCase):
                @test_util.run_deprecated_v1
                def testValues(self):
                    with self.cached_session():
                        self.assertAllEqual(math_ops.square([1, 3]), [1, 9])

                @test_util.run_in_graph_and_eager_modes
                def testInSession(self):
                    self.assertIsNotNone(ops.get_default_session())
                    self.assertAllClose(self.evaluate(math_ops.square(constant_op.constant(2.0))), 4.0)

                @test_util.run_gpu_only
                def testGpu(self):
                    self.assertTrue(test.is_gpu_available())

                @test_util.skip_if(lambda: True)
                def testSkipped(self):
                    raise AssertionError

                def testLayouts(self):
                    self.assertEqual(test_util.NHWCToNCHW([2, 4, 5, 3]), [2, 3, 4, 5])
                    self.assertEqual(test_util.NCHWToNHWC([2, 3, 4, 5]), [2, 4, 5, 3])

                def testVersion(self):
                    test_util.set_producer_version(ops.get_default_graph(), 8)
                    self.assertEqual(ops.get_default_graph().graph_def_versions.producer, 8)

            if __name__ == "__main__":
                test.main()
            """
        )
    )
    arguments = [sys.executable, "-m", "tfcore.as_tensorflow", "program.py"]
    done = subprocess.run(arguments, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    skipped = 2 if tf.test.is_gpu_available() else 3
    assert done.returncode == 0 and "Ran 7 tests" in done.stderr, done.stderr
    assert f"OK (skipped={skipped})" in done.stderr, done.stderr


def environment():
    """The environment with this tree on the path, for programs that run in another folder."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))}


PROGRAM = "import sys, helper, tensorflow as tf\nprint(tf.VERSION, sys.argv[1:], __name__, helper.x)\n"


def test_the_command(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("import tensorflow; x = 1\n")
    expected = "1.15.5 ['a', '--b'] __main__ 1\n"
    command = ["-m", "tfcore.as_tensorflow"]
    assert run(*command, str(tmp_path / "program.py"), "a", "--b", env=environment()) == expected
    assert run(*command, "-m", "program", "a", "--b", cwd=tmp_path, env=environment()) == expected
    assert run(*command, "--help").startswith("usage: python -m tfcore.as_tensorflow [--old-code] PROGRAM.py")
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stdout


def test_a_program_that_does_not_exist():
    done = subprocess.run([sys.executable, "-m", "tfcore.as_tensorflow", "nope.py"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "python -m tfcore.as_tensorflow: there is no program 'nope.py'\n"


def test_processes_that_it_starts_are_not_affected():
    code = """
        import subprocess, sys
        code = "import sys; print([type(f).__name__ for f in sys.meta_path if type(f).__module__.startswith('tfcore')])"
        print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        """
    assert installed(code).strip() == "[]"


def test_tensorflow_itself_was_imported_before(tmp_path):
    (tmp_path / "tensorflow.py").write_text("")
    code = (
        "import tensorflow, tfcore.as_tensorflow as a\ntry: a.install()\nexcept RuntimeError as error: print(error)\n"
    )
    out = run("-c", code, cwd=tmp_path, env=environment())
    assert out.startswith("tfcore.as_tensorflow.install(): this process has imported TensorFlow already.")


def test_install_twice_and_nothing_before():
    code = (
        "import sys, importlib.util, tfcore, tfcore.as_tensorflow as a\n"
        "assert 'tensorflow' not in sys.modules\na.install()\na.install()\n"
        "assert sum(isinstance(f, a.Finder) for f in sys.meta_path) == 1\n"
        "import tensorflow\nassert 'tfcore.train' not in sys.modules and 'absl' not in sys.modules\n"
    )
    run("-c", code)


MISSING = {
    "import tensorflow.python.nothing": "ModuleNotFoundError No module named 'tensorflow.python.nothing'",
    "from tensorflow.python.framework import opps": "Did you mean: 'tensorflow.python.framework.ops'?",
    "from tensorflow.python.ops.math_ops import reduce_summ": "cannot import name 'reduce_summ' from "
    "'tensorflow.python.ops.math_ops'. Did you mean: 'reduce_sum'?",
    "import tensorflow.tpu": "No module named 'tensorflow.tpu': TensorFlow has it, tfcore does not have it yet",
    "import tensorflow as tf; tf.plaseholder": "AttributeError module 'tfcore' has no attribute 'plaseholder'. Did you",
    "import tensorflow as tf; tf.CriticalSection": "TensorFlow has it, tfcore does not have it yet.",
    "from tensorflow.python.ops import math_ops as m; m.sobol_sample": "has it, tfcore does not have it yet.",
    "from tensorflow.python.ops import math_ops as m; m.tanhh": "module 'tensorflow.python.ops.math_ops' has no "
    "attribute 'tanhh'. Did you mean: 'tanh'?",
    "from tensorflow.contrib import learn; learn.Estimator": "no attribute 'Estimator': tfcore does not have it.",
    "from tensorflow.core.framework import nothing_pb2": "No module named 'tensorflow.core.framework.nothing_pb2'",
}


def test_what_is_missing():
    program = "import traceback\n" + "".join(
        f"try:\n    {statement}\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
        for statement in MISSING
    )
    lines = installed(program).splitlines()
    assert len(lines) == len(MISSING)
    assert [text for text, line in zip(MISSING.values(), lines) if text not in line] == []


def test_what_is_absent_fails_when_it_is_used():
    out = installed(
        """
        import tensorflow as tf
        import tensorflow.contrib.tpu as tpu
        from tensorflow.contrib import coder, gan, lite, nccl, tensorrt
        from tensorflow.contrib.tpu.python.tpu import tpu_config
        from tensorflow.contrib.copy_graph import copy_op_to_graph
        from tensorflow.python import grappler
        import tensorflow.tools.graph_transforms
        assert tf.contrib.tpu is tpu and tpu.python.tpu.tpu_config is tpu_config
        for use in (
            lambda: tpu.CrossShardOptimizer(None),
            lambda: grappler.Cluster(),
            lambda: copy_op_to_graph(None),
            lambda: tpu_config.TPUConfig,
        ):
            try:
                use()
            except (AttributeError, NotImplementedError) as error:
                print(error)
        assert not hasattr(tpu, "TPUEstimator") and tpu.__name__ == "tensorflow.contrib.tpu"
        try:
            from tensorflow.contrib.tpu import TPUEstimator
        except ImportError as error:
            print(error)
        """
    )
    assert out.splitlines() == [
        "module 'tensorflow.contrib.tpu' has no attribute 'CrossShardOptimizer': tfcore does not have "
        "tensorflow.contrib.tpu yet.",
        "module 'tensorflow.python.grappler' has no attribute 'Cluster': tfcore does not have "
        "tensorflow.python.grappler yet.",
        "tensorflow.contrib.copy_graph.copy_op_to_graph: tfcore does not have tensorflow.contrib.copy_graph yet.",
        "module 'tensorflow.contrib.tpu.python.tpu.tpu_config' has no attribute 'TPUConfig': tfcore does not have "
        "tensorflow.contrib.tpu yet.",
        "cannot import name 'TPUEstimator' from 'tensorflow.contrib.tpu': tfcore does not have it.",
    ]


def test_all_modules_of_tensorflow_can_be_imported():
    """But for those of packages that need not be installed."""
    out = installed(
        """
        import importlib
        from tfcore.as_tensorflow import modules
        paths = [p for p in modules.of_tensorflow() if not p.startswith(("contrib.keras.", "contrib.slim."))]
        for path in paths:
            importlib.import_module(f"tensorflow.{path}")
        from tensorflow.contrib.rnn.python.ops import lstm_ops
        from tensorflow.python.compiler.tensorrt import trt_convert
        from tensorflow.python.ops.signal import window_ops
        from tensorflow.python.ops.linalg import linear_operator_diag
        from tensorflow.python.ops import gen_ragged_conversion_ops, while_v2
        import tensorflow as tf
        assert lstm_ops.LSTMBlockCell is tf.contrib.rnn.LSTMBlockCell
        assert window_ops.hann_window is tf.signal.hann_window
        assert linear_operator_diag.LinearOperatorDiag is tf.linalg.LinearOperatorDiag
        assert gen_ragged_conversion_ops.ragged_tensor_to_sparse is tf.raw_ops.RaggedTensorToSparse
        assert while_v2.while_loop is tf.while_loop
        try:
            trt_convert.TrtGraphConverter
        except AttributeError as error:
            print(len(paths) > 1500, error)
        """
    )
    assert out == (
        "True module 'tensorflow.python.compiler.tensorrt.trt_convert' has no attribute 'TrtGraphConverter': tfcore "
        "does not have tensorflow.python.compiler yet.\n"
    )


def test_the_profiler():
    out = installed(
        """
        import tensorflow as tf
        from tensorflow.contrib.tfprof import model_analyzer as contrib
        from tensorflow.core.profiler import tfprof_log_pb2, tfprof_output_pb2
        from tensorflow.python.framework import ops
        from tensorflow.python.profiler import model_analyzer, option_builder, profiler, tfprof_logger

        @ops.RegisterStatistics("Sinh", "flops")
        def count(graph, node):
            return ops.OpStats("flops", 9)

        x = tf.sinh(tf.get_variable("w", [2, 3], initializer=tf.zeros_initializer()))
        assert ops.get_stats_for_node_def(x.graph, x.op.node_def, "flops").value == 9
        B = option_builder.ProfileOptionBuilder
        options = B(B.float_operation()).with_empty_output().build()
        found = model_analyzer.profile(x.graph, options=options, op_log=tfprof_log_pb2.OpLogProto())
        assert isinstance(found, tfprof_output_pb2.GraphNodeProto)
        print(found.total_float_ops, profiler.profile is tf.profiler.profile, contrib.print_model_analysis.__name__)
        print(tfprof_logger.merge_default_with_oplog(x.graph).log_entries[0].name)
        """
    )
    assert out.splitlines() == ["9 True print_model_analysis", "Sinh"]


def test_the_debugger():
    out = installed(
        """
        import io, sys
        import tensorflow as tf
        from tensorflow.python import debug as tf_debug
        from tensorflow.python.debug.lib import debug_data, debug_utils
        from tensorflow.python.debug.wrappers import framework, hooks, local_cli_wrapper
        sys.stdin = io.StringIO("run -n")
        sess = tf_debug.LocalCLIDebugWrapperSession(tf.Session(), ui_type="readline")
        sess.add_tensor_filter("has_inf_or_nan", tf_debug.has_inf_or_nan)
        print(sess.run(tf.constant(4)), local_cli_wrapper.LocalCLIDebugWrapperSession is type(sess))
        assert debug_data.has_inf_or_nan is tf_debug.has_inf_or_nan and debug_utils.watch_graph is tf_debug.watch_graph
        assert framework.WatchOptions is tf_debug.WatchOptions and hooks.LocalCLIDebugHook
        """
    )
    assert out.splitlines()[-1].endswith("4 True")


def test_contrib_slim_is_tf_slim(tmp_path):
    package = tmp_path / "tf_slim" / "nets"
    package.mkdir(parents=True)
    (tmp_path / "tf_slim" / "__init__.py").write_text("from tensorflow.python.ops import nn\n")
    (package / "__init__.py").write_text("")
    (package / "small.py").write_text("size = 3\n")
    code = (
        "import tfcore.as_tensorflow as a; a.install()\nimport tensorflow as tf\nslim = tf.contrib.slim\n"
        "from tensorflow.contrib.slim.nets import small\n"
        "from tensorflow.contrib.slim.python.slim.nets import small as s\n"
        "import tf_slim.nets.small\nassert small is s is tf_slim.nets.small and slim is tf_slim\n"
        "assert tf_slim.__spec__.name == 'tf_slim'\n"
    )
    env = environment()
    run("-c", code, env={**env, "PYTHONPATH": f"{tmp_path}{os.pathsep}{env['PYTHONPATH']}"})


def test_modules_of_the_tutorials():
    installed(
        """
        import tensorflow as tf
        from tensorflow.examples.tutorials.mnist import input_data, mnist
        from tensorflow.contrib.learn.python.learn.datasets import mnist as reader
        assert reader.read_data_sets is input_data.read_data_sets is tf.contrib.learn.datasets.mnist.read_data_sets
        assert mnist.inference(tf.ones([2, mnist.IMAGE_PIXELS]), 5, 4).shape == (2, mnist.NUM_CLASSES)
        """
    )


def test_every_module_of_the_table_can_be_imported():
    code = """
        import importlib
        from tfcore.as_tensorflow import modules
        for name in modules.known():
            module = importlib.import_module(name) if name != "tensorflow.contrib.slim" else None
            assert module is None or dir(module) is not None
        for name, renamed in modules.RENAMED.items():
            module = importlib.import_module(f"tensorflow.{name}")
            for key, path in renamed.items():
                if path.startswith("tfcore."):
                    assert getattr(module, key) is not None, (name, key)
        """
    parts = {name for name in modules.known() if name.startswith("tensorflow.contrib.")}
    assert len(modules.known()) > 250 and parts
    installed(code.replace("modules.known()", "[n for n in modules.known() if '.contrib.' not in n]"))


def test_utilities():
    installed(
        """
        import functools, inspect
        from tensorflow.python.util import (
            compat, deprecation, function_utils, nest, tf_contextlib, tf_decorator, tf_export, tf_inspect,
            tf_should_use)
        from tensorflow.python.framework import common_shapes, ops, tensor_shape, tensor_util, op_def_library
        from tensorflow.python.eager import context
        from tensorflow.python.lib.io import file_io
        from tensorflow.python import tf2
        import tensorflow as tf
        def f(a, b=1, *, c=2):
            return a
        assert tf_export.tf_export("x", v1=["y"])(f) is f and tf_should_use.should_use_result(f) is f
        assert tf_inspect.getargspec(f) == tf_inspect.ArgSpec(["a", "b"], None, None, (1,))
        assert function_utils.fn_args(functools.partial(f, 1)) == ("b", "c") and not function_utils.has_kwargs(f)
        @tf_contextlib.contextmanager
        def block():
            yield 3
        with block() as value:
            assert value == 3 and tf_decorator.unwrap(block)[0][0].decorator_name == "contextmanager"
        assert not context.executing_eagerly() and not tf2.enabled()
        assert context.context().num_gpus() == context.num_gpus()
        assert context.num_gpus() == sum(d.device_type == "GPU" for d in tf.Session().list_devices())
        with context.graph_mode():
            assert compat.as_bytes("a") == b"a" and nest.flatten([1, [2]]) == [1, 2]
        try: context.eager_mode()
        except NotImplementedError: pass
        else: raise AssertionError
        shape = tensor_shape.TensorShape
        assert common_shapes.broadcast_shape(shape([3, 1]), shape([None, 2])).as_list() == [3, 2]
        assert common_shapes.broadcast_shape(shape([None]), shape([None])).as_list() == [None]
        assert not common_shapes.is_broadcast_compatible(shape([3]), shape([2]))
        try: common_shapes.broadcast_shape(shape([3]), shape([2]))
        except ValueError as error: assert "Incompatible shapes for broadcasting: (3,) and (2,)" in str(error)
        else: raise AssertionError
        assert ops.strip_name_scope("a/b/c", "a/b") == "c" and ops.prepend_name_scope("^c", "a") == "^a/c"
        assert ops.strip_name_scope("loc:@a/b", "a") == "loc:@b" and ops.name_from_scope_name("a/") == "a"
        assert ops.get_name_scope() == "" and not ops.has_default_graph() and ops.uid() + 1 == ops.uid()
        from tensorflow.python.ops import confusion_matrix
        labels, predictions = confusion_matrix.remove_squeezable_dimensions(
            labels=tf.zeros([2, 1]), predictions=tf.zeros([2, 3]), expected_rank_diff=1
        )
        assert labels.shape == [2] and predictions.shape == [2, 3]
        assert op_def_library.apply_op("Neg", x=tf.constant(1.0)).op.type == "Neg"
        assert tensor_util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
        from tensorflow.python.framework import errors_impl
        assert isinstance(errors_impl._make_specific_exception(None, None, "x", 5), tf.errors.NotFoundError)
        """
    )


@pytest.mark.parametrize(
    "name, function",
    [
        ("MatMul", "mat_mul"),
        ("Conv2D", "conv2d"),
        ("TopKV2", "top_kv2"),
        ("LRN", "lrn"),
        ("L2Loss", "l2_loss"),
        ("FusedBatchNormV3", "fused_batch_norm_v3"),
        ("Conv2DBackpropInput", "conv2d_backprop_input"),
        ("RFFT", "rfft"),
        ("HSVToRGB", "hsv_to_rgb"),
        ("IFFT2D", "ifft2d"),
        ("SoftmaxCrossEntropyWithLogits", "softmax_cross_entropy_with_logits"),
        ("NonMaxSuppressionV4", "non_max_suppression_v4"),
        ("BatchToSpaceND", "batch_to_space_nd"),
    ],
)
def test_names_of_generated_functions(name, function):
    assert snake_case(name) == function


def test_the_table_names_public_namespaces():
    named = {source for sources in modules._TABLE.values() for source in sources if source.startswith("tf.")}
    missing = named - set(lazy.namespaces())
    assert len(named) > 30 and missing <= set(api.record()), missing  # those that tfcore lacks are TensorFlow's
