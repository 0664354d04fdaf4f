"""Names inside TensorFlow's modules that libraries use, and that tfcore has no public name for."""

from tests.as_tensorflow.test_programs import installed


def test_ops():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.framework import ops, tensor_shape
        from tensorflow.python.ops import init_ops

        registry = ops._gradient_registry
        if "GuidedRelu" not in registry._registry:
            @ops.RegisterGradient("GuidedRelu")
            def guided(op, grad):
                return tf.where(grad > 0, grad, tf.zeros_like(grad))
        assert "GuidedRelu" in registry.list() and registry.lookup("GuidedRelu") is guided
        try:
            registry.lookup("NoSuchGradient")
            assert False
        except LookupError as error:
            assert str(error) == "gradient registry has no entry for: NoSuchGradient"
        assert issubclass(type("Mine", (ops._TensorLike,), {}), ops._TensorLike)
        assert isinstance(tf.sparse_placeholder(tf.float32), ops._TensorLike) and not isinstance(3, ops._TensorLike)
        assert isinstance(tf.constant(1.0), ops._TensorLike)
        assert tensor_shape.matrix(2, None).as_list() == [2, None] and tensor_shape.vector(3) == [3]
        assert tensor_shape.scalar().ndims == 0 and init_ops._compute_fans([3, 3, 4, 5]) == (36, 45)
        """
    )


def test_operators_of_tensors_for_other_classes():
    installed(
        """
        import tensorflow as tf

        class Mine:
            def __init__(self, value):
                self.value = value

        for name in tf.Tensor.OVERLOADABLE_OPERATORS:
            method = getattr(tf.Tensor, name)
            setattr(Mine, name, lambda self, *args, method=method: method(self.value, *args))
        x = Mine(tf.constant([1.0, 2.0]))
        with tf.Session() as sess:
            assert sess.run([x + 1.0, 2.0 * x, -x, x[0]])[2].tolist() == [-1, -2]
        assert x == x and not x != x and x != x.value
        """
    )


def test_hessian_vector_product():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops.gradients_impl import _hessian_vector_product
        x = tf.constant([1.0, 2.0])
        y = tf.reduce_sum(x**3) + x[0] * x[1]
        product = _hessian_vector_product(y, [x], [tf.constant([1.0, 2.0])])
        with tf.Session() as sess:
            assert sess.run(product)[0].tolist() == [8.0, 25.0]
        try:
            _hessian_vector_product(y, [x], [])
            assert False
        except ValueError as error:
            assert str(error) == "xs and v must have the same length."
        """
    )


def test_recurrent_networks():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops import rnn, rnn_cell_impl
        n = tf.placeholder_with_default(5, [])
        small, large = rnn_cell_impl._zero_state_tensors((2, tf.TensorShape([3])), n, tf.float32)
        [known] = rnn_cell_impl._zero_state_tensors([4], 7, tf.int32)
        flipped = rnn._transpose_batch_time(tf.ones([2, 3, 4]))
        vector = rnn._transpose_batch_time(tf.ones([2]))
        assert small.shape.as_list() == [None, 2] and known.shape == [7, 4] and flipped.shape == [3, 2, 4]
        with tf.Session() as sess:
            shapes = [v.shape for v in sess.run([small, large, known, flipped, vector])]
        assert shapes == [(5, 2), (5, 3), (7, 4), (3, 2, 4), (2,)]
        try:
            rnn._transpose_batch_time(tf.placeholder(tf.float32))
            assert False
        except ValueError as error:
            assert "must be known" in str(error)
        assert rnn_cell_impl._like_rnncell(tf.nn.rnn_cell.LSTMCell(3)) and not rnn_cell_impl._like_rnncell(3)
        try:
            rnn_cell_impl.assert_like_rnncell("cell", 3)
            assert False
        except TypeError as error:
            assert "'output_size' property is missing" in str(error) and "is not callable" in str(error)
        """
    )


def test_utils_of_layers():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.layers import utils
        assert utils.convert_data_format("channels_first", 4) == "NCHW"
        assert utils.convert_data_format("channels_last", 5) == "NDHWC"
        assert utils.normalize_padding("SAME") == "same"
        assert utils.normalize_tuple(2, 3, "n") == (2, 2, 2) and utils.normalize_tuple([1, 2], 2, "n") == (1, 2)
        assert utils.normalize_data_format("Channels_Last") == "channels_last"
        assert [utils.conv_output_length(10, 3, p, 2) for p in ("same", "valid", "full")] == [5, 4, 6]
        assert utils.conv_output_length(10, 3, "valid", 1, dilation=2) == 6
        assert [utils.conv_input_length(4, 3, p, 2) for p in ("same", "valid", "full")] == [7, 9, 5]
        assert [utils.deconv_output_length(4, 3, p, 2) for p in ("same", "valid", "full")] == [8, 9, 5]
        nothing = (utils.conv_output_length, utils.conv_input_length, utils.deconv_output_length)
        assert [f(None, 3, "same", 1) for f in nothing] == [None] * 3
        assert utils.constant_value(tf.constant(True)) is True and utils.constant_value(0) is False
        assert utils.constant_value(tf.placeholder(tf.bool)) is None and utils.constant_value(True) is True
        for function, arguments in (
            (utils.normalize_tuple, ("ab", 2, "n")), (utils.normalize_tuple, (object(), 2, "n")),
            (utils.normalize_tuple, ([1], 2, "n")), (utils.convert_data_format, ("x", 4)),
            (utils.convert_data_format, ("channels_last", 6)), (utils.normalize_padding, ("full",)),
            (utils.normalize_data_format, ("x",)),
        ):
            try:
                function(*arguments)
            except ValueError:
                continue
            assert False, arguments
        """
    )


def test_nest():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.data.util import nest as of_data
        from tensorflow.python.util import nest
        assert tf.contrib.framework.nest.is_sequence is nest.is_sequence
        assert nest.is_sequence([1]) and not nest.is_sequence("ab") and of_data.is_sequence((1,))
        assert tf.contrib.framework.nest.flatten_dict_items is nest.flatten_dict_items
        assert nest.flatten_dict_items({(4, 5): ("a", "b"), 6: "c"}) == {4: "a", 5: "b", 6: "c"}
        tree = {"b": [1, (2, 3)], "a": 0}
        named = nest.flatten_with_joined_string_paths(tree)
        assert named == [("a", 0), ("b/0", 1), ("b/1/0", 2), ("b/1/1", 3)]
        assert list(nest.yield_flattened_paths([5, {"x": 6}])) == [(0,), (1, "x")]
        assert nest.flatten_with_tuple_paths([5]) == [((0,), 5)]
        assert list(nest.yield_flattened_up_to([0, 0], [1, [2]])) == [1, [2]]
        text = nest.map_structure_with_paths(lambda path, a, b: f"{path}:{a + b}", [1, {"k": 2}], [3, {"k": 4}])
        assert text == ["0:4", {"k": "1/k:6"}]
        assert nest.map_structure_with_tuple_paths(lambda path, a: path[0], {"k": 2}) == {"k": "k"}
        sparse = tf.SparseTensor([[0]], [1], [1])
        assert nest.is_nested_or_composite(sparse) and not nest.is_nested_or_composite(tf.ones([]))
        for wrong in ({(1, 1): (2, 3)}, {(1, 2): (3,)}):
            try:
                nest.flatten_dict_items(wrong)
            except ValueError:
                continue
            assert False, wrong
        """
    )


def test_datasets():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.data import Dataset
        from tensorflow.python.data.ops import dataset_ops, iterator_ops, readers
        assert Dataset is dataset_ops.DatasetV1 is dataset_ops.Dataset is tf.data.Dataset
        assert iterator_ops.Iterator is tf.data.Iterator and readers.TFRecordDatasetV1 is tf.data.TFRecordDataset
        """
    )


def test_files_and_checkpoints():
    out = installed(
        """
        import os, tempfile
        import tensorflow as tf
        from tensorflow.python import pywrap_tensorflow
        from tensorflow.python.lib.io import file_io
        from tensorflow.python.tools.inspect_checkpoint import print_tensors_in_checkpoint_file
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "f")
        file_io.atomic_write_string_to_file(path, "text")
        assert file_io.read_file_to_string(path) == "text" and os.listdir(folder) == ["f"]
        try:
            file_io.atomic_write_string_to_file(path, "other", overwrite=False)
            assert False
        except tf.errors.AlreadyExistsError:
            assert os.listdir(folder) == ["f"] and file_io.read_file_to_string(path) == "text"
        tf.Variable(7.0, name="v")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(sess, os.path.join(folder, "m"))
        assert pywrap_tensorflow.NewCheckpointReader(path).get_tensor("v") == 7
        print_tensors_in_checkpoint_file(path, "", all_tensors=True)
        print_tensors_in_checkpoint_file(path, "v", all_tensors=False)
        print_tensors_in_checkpoint_file(path, "", all_tensors=False, all_tensor_names=True)
        print_tensors_in_checkpoint_file(path, "", all_tensors=False)
        """
    )
    assert list(filter(None, out.splitlines())) == [
        "tensor_name:  v",
        "7.0",
        "tensor_name:  v",
        "7.0",
        "tensor_name:  v",
        "v (DT_FLOAT) []",
    ]


def test_modules_of_distributions():
    installed(
        """
        import tensorflow as tf
        from tensorflow.contrib.distributions.python.ops import bijectors, distribution_util, mvn_diag
        from tensorflow.contrib.distributions.python.ops.bijectors import masked_autoregressive
        from tensorflow.contrib.distributions.python.ops.bijectors.permute import Permute
        from tensorflow.python.ops.distributions import bijector, special_math
        from tensorflow.python.ops.distributions import util

        ds = tf.contrib.distributions
        assert mvn_diag.MultivariateNormalDiag is ds.MultivariateNormalDiag and bijectors.Permute is Permute
        assert masked_autoregressive.masked_dense is ds.bijectors.masked_dense and Permute is ds.bijectors.Permute
        assert bijector.Bijector is ds.bijectors.Bijector
        assert distribution_util.gen_new_seed(1, "a") == util.gen_new_seed(1, "a")
        assert tf.Session().run(special_math.ndtr(tf.constant(0.0))) == 0.5
        """
    )


def test_linear_and_shapes_of_cells():
    installed(
        """
        import tensorflow as tf
        from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq
        from tensorflow.contrib.rnn.python.ops import core_rnn_cell
        from tensorflow.python.ops import rnn_cell_impl

        assert seq2seq.rnn_decoder is tf.contrib.legacy_seq2seq.rnn_decoder
        x = [tf.ones([2, 3]), tf.ones([2, 1])]
        with tf.variable_scope("a"):
            linear = core_rnn_cell._Linear(x, output_size=5, build_bias=True)
        with tf.variable_scope("b"):
            y = rnn_cell_impl._linear(x, 5, False)
        assert linear(x).shape == y.shape == (2, 5) and rnn_cell_impl._Linear is core_rnn_cell._Linear
        assert [v.op.name for v in tf.global_variables()] == ["a/kernel", "a/bias", "b/kernel"]
        assert rnn_cell_impl._concat(7, [None, 2], static=True) == [7, None, 2]
        shape = rnn_cell_impl._concat(tf.placeholder_with_default(7, []), [2])
        assert tf.Session().run(shape).tolist() == [7, 2]
        assert issubclass(tf.nn.rnn_cell.GRUCell, rnn_cell_impl.LayerRNNCell)
        """
    )


def test_pure_variable_scope():
    """It sets the names of variables, not of operations."""
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops import variable_scope
        with tf.name_scope("ops"), variable_scope._pure_variable_scope("a", old_name_scope="x/") as scope:
            v = tf.get_variable("v", [])
            assert v.name == "a/v:0" and tf.constant(1, name="c").name == "ops/c:0"
        with variable_scope._pure_variable_scope(scope, reuse=True):
            assert tf.get_variable("v", []) is v
        """
    )


def test_set_shapes_for_outputs():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.framework.ops import set_shapes_for_outputs
        x = tf.placeholder(tf.float32)
        y = tf.negative(x)
        x.set_shape([2])
        set_shapes_for_outputs(y.op)
        assert y.shape == (2,)
        """
    )


def test_resources():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops import resources

        made = tf.Variable(False)
        assert resources.shared_resources() == [] == resources.local_resources()
        with tf.Session() as sess:
            assert sess.run(resources.report_uninitialized_resources()).tolist() == []
            sess.run(resources.initialize_resources(resources.shared_resources()))
            resources.register_resource(tf.constant(1, name="handle"), made.assign(True).op, made, is_shared=False)
            sess.run(made.initializer)
            missing = resources.report_uninitialized_resources()
            assert sess.run(missing).tolist() == [b"handle:0"]
            sess.run(resources.initialize_resources(resources.local_resources()))
            assert sess.run(missing).tolist() == []
        """
    )


def test_internals_of_training():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.training import monitored_session, optimizer, saver
        assert issubclass(saver.BulkSaverBuilder, saver.BaseSaverBuilder) and saver.Saver is tf.train.Saver
        assert monitored_session.MonitoredSession is tf.train.MonitoredSession
        tf.train.get_or_create_global_step()
        found = optimizer._deduplicate_indexed_slices(tf.constant([1.0, 2.0, 4.0]), tf.constant([3, 1, 3]))
        default = monitored_session.USE_DEFAULT
        with monitored_session.MonitoredTrainingSession(save_summaries_steps=default) as sess:
            assert [x.tolist() for x in sess.run(found)] == [[5, 2], [3, 1]]
        """
    )


def test_objects_that_sessions_fetch_and_feed():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.client import session

        class Pair:
            __hash__ = object.__hash__
            def __init__(self, a, b):
                self.parts = [a, b]
            def __eq__(self, other):
                raise AssertionError("compared")

        class Unhashable(Pair):
            __hash__ = None

        register = session.register_session_run_conversion_functions
        register(
            Pair, lambda p: (p.parts, lambda v: ("pair", *v)), lambda p, v: list(zip(p.parts, v)), lambda p: p.parts
        )
        for known in (Pair, object, tf.SparseTensor):
            try:
                register(known, None)
                assert False
            except ValueError as error:
                assert str(error) == f"{known} has already been registered so ignore it."
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        pair, total = Pair(a, b), a + 2 * b
        sess = tf.Session()
        for _ in range(2):
            assert sess.run(total, {pair: (1, 2)}) == 5 and sess.run(Pair(total, a), {pair: (3, 4)}) == ("pair", 11, 3)
        loose = Unhashable(a, tf.no_op().name)
        assert sess.run({"x": [loose, total]}, {a: 1, b: 1}) == {"x": [("pair", 1, None), 3]}
        loose.parts = [b, total]
        assert sess.run({"x": [loose, total]}, {a: 1, b: 2}) == {"x": [("pair", 2, 5), 5]}
        pair.parts = [b, a]
        assert sess.run(total, {pair: (1, 2)}) == 4
        assert sess.run(total, {(pair,): ((1, 2),)}) == 4
        assert sess.make_callable(Pair(total, b), [a, b])(1, 2) == ("pair", 5, 2)
        handle = sess.partial_run_setup([total], [pair])
        assert sess.partial_run(handle, total, {pair: (1, 2)}) == 4

        class OnlyFetched:
            pass

        register(OnlyFetched, lambda _: ([], None))
        assert sess.run([OnlyFetched(), total], {a: 1, b: 1}) == [None, 3]
        for call in (
            lambda: sess.run(total, {OnlyFetched(): 1}), lambda: sess.partial_run_setup([total], [OnlyFetched()])
        ):
            try:
                call()
                assert False
            except TypeError as error:
                assert "Feed argument" in str(error) and "has invalid type" in str(error)
        """
    )


def test_rows_in_place():
    installed(
        """
        import numpy as np, tensorflow as tf
        from tensorflow.python.ops import inplace_ops
        x = tf.constant(np.arange(6.0).reshape(3, 2))
        wanted = [
            (inplace_ops.inplace_update(x, 1, [7, 8]), [[0, 1], [7, 8], [4, 5]]),
            (inplace_ops.inplace_add(x, [0, -1, 3], [[1, 1], [2, 2], [3, 3]]), [[4, 5], [2, 3], [6, 7]]),
            (inplace_ops.alias_inplace_sub(x, [2], [[4, 5]]), [[0, 1], [2, 3], [0, 0]]),
            (inplace_ops.alias_inplace_update(x, None, -x), [[0, -1], [-2, -3], [-4, -5]]),
            (inplace_ops.alias_inplace_add(x, None, x), [[0, 2], [4, 6], [8, 10]]),
        ]
        with tf.Session() as sess:
            for tensor, value in wanted:
                assert sess.run(tensor).tolist() == value
            assert sess.run(x).tolist() == [[0, 1], [2, 3], [4, 5]]
            assert sess.run(inplace_ops.empty([2, 3], tf.int32)).shape == (2, 3)
            assert sess.run(inplace_ops.empty_like(x, init=True)).dtype == np.float64
        """
    )


def test_object_identity():
    installed(
        """
        import gc
        from tensorflow.python.util import object_identity as by
        class Same:
            __hash__ = None
            def __eq__(self, other):
                raise AssertionError("compared")
        a, b = Same(), Same()
        table = by.ObjectIdentityDictionary([(a, 1)])
        table[b] = 2
        del table[a]
        assert b in table and a not in table and len(table) == 1 and [k is b for k in table] == [True]
        found = by.ObjectIdentitySet([a, b, a])
        found.discard(b)
        assert a in found and b not in found and len(found) == 1 and len(found | [b]) == 2
        assert len(found.difference([a])) == 0 and len(found.intersection([a, b])) == 1
        weak, entries = by.ObjectIdentityWeakSet([a, b]), by.ObjectIdentityWeakKeyDictionary()
        entries[a], entries[b] = 3, 4
        assert len(weak) == len(entries) == 2 and a in weak and entries[b] == 4
        del b, table, found
        gc.collect()
        assert len(weak) == len(entries) == 1 and entries[a] == 3 and len(entries._storage) == 1
        assert by.Reference(a) == by.Reference(a) and by.Reference(a).deref() is a
        assert by.Reference(a) != by.Reference(Same()) and by._ObjectIdentityWrapper(a).unwrapped is a
        """
    )


def test_trackable(tmp_path):
    installed(
        f"""
        import tensorflow as tf
        from tensorflow.python.training.checkpointable import base as old, tracking as old_tracking
        from tensorflow.python.training.tracking import base, tracking, util
        assert util.Checkpoint is tf.train.Checkpoint and old.CheckpointableBase is base.Trackable
        assert old_tracking.Checkpointable is tracking.AutoTrackable and issubclass(tf.Module, tracking.AutoTrackable)

        class Model(base.Trackable):
            def __init__(self):
                self.v = self._track_trackable(tf.Variable(3.0), "v")
                self.w = tf.Variable(4.0)

        model = Model()
        assert model._track_trackable(model.v, "v") is model._lookup_dependency("v") is model.v
        for value, error in ((model.w, ValueError), (7, TypeError)):
            try:
                model._track_trackable(value, "v")
                assert False
            except error:
                pass
        checkpoint = tf.train.Checkpoint(model=model)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = checkpoint.save("{tmp_path}/c", session=sess)
            names = [name for name, _ in tf.train.list_variables(path) if name.startswith("model")]
            assert names == ["model/v/.ATTRIBUTES/VARIABLE_VALUE"], names

            class Own(base.Trackable):
                def _gather_saveables_for_checkpoint(self):
                    return {{"x": lambda name: None}}

            try:
                tf.train.Checkpoint(own=Own()).save("{tmp_path}/c", session=sess)
                assert False
            except NotImplementedError as error:
                assert "Own has values of its own" in str(error)
        """
    )


def test_values_of_replicas():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.distribute import values
        from tensorflow.python.distribute.values import DistributedValues
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        found = strategy.run(lambda: tf.constant(1.0))
        assert isinstance(found, values.PerReplica) and isinstance(found, DistributedValues)
        assert strategy.run(lambda x: x + 1, (values.PerReplica([1, 2]),)).values == (2, 3)
        """
    )


def test_processors_and_devices():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops import template
        from tensorflow.python.training import optimizer
        sgd = tf.train.GradientDescentOptimizer(0.5)
        with tf.Session() as sess:
            for resource in (False, True):
                v = tf.Variable([1.0, 2.0], use_resource=resource)
                processor = optimizer._get_processor(v)
                assert isinstance(processor, optimizer._OptimizableVariable)
                [grad] = tf.gradients(3 * v, [processor.target()])
                sgd._prepare()
                update = processor.update_op(sgd, grad)
                sess.run(v.initializer)
                sess.run(update)
                assert sess.run(v).tolist() == [-0.5, 0.5]
        x = tf.constant(1.0)
        assert optimizer._get_processor(x).target() is x
        for call in (lambda: optimizer._get_processor(x).update_op(sgd, x), lambda: optimizer._get_processor(3)):
            try:
                call()
                assert False
            except NotImplementedError:
                pass
        with tf.device("/job:worker"), tf.device(lambda op: "/task:1"):
            tf.get_default_graph()._apply_device_functions(x.op)
            assert x.device == "/job:worker/task:1"

            class Asker:
                device = None

                def _set_device(self, device):
                    self.device = device

            tf.get_default_graph()._apply_device_functions(asker := Asker())
            assert asker.device == "/job:worker/task:1"
        tf.Graph()._apply_device_functions(asker := Asker())
        assert asker.device is None
        scaled = template.make_template("t", lambda x: x * tf.get_variable("s", []))
        scaled(x), scaled(x)
        assert [v.name for v in scaled.variables] == ["t/s:0"] and isinstance(scaled, template.Template)
        """
    )


def test_sessions_with_hooks():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.training.monitored_session import _HookedSession

        class Hook(tf.train.SessionRunHook):
            seen = []
            def before_run(self, run_context):
                return tf.train.SessionRunArgs(y, {x: 2.0})
            def after_run(self, run_context, run_values):
                self.seen.append(run_values.results)
                if len(self.seen) == 2:
                    run_context.request_stop()

        x = tf.placeholder(tf.float32)
        y = x * 3
        session = _HookedSession(tf.Session(), [Hook()])
        assert session.graph is x.graph and session.run(x + 1) == 3 and not session.should_stop()
        session.run([])
        assert Hook.seen == [6, 6] and session.should_stop()
        try:
            session.run(x)
            assert False
        except RuntimeError as error:
            assert str(error) == "Run called even after should_stop requested."
        session.close()
        assert _HookedSession(tf.Session(), []).run(y, {x: 1.0}) == 3
        """
    )


def test_what_libraries_import_and_what_python_asks_modules_for():
    installed(
        """
        import inspect
        import tensorflow as tf
        from tensorflow.python.autograph.impl.api import do_not_convert
        from tensorflow.python.ops.rnn import rnn_cell_impl
        from tensorflow.contrib.rnn.python.ops.core_rnn import static_rnn, static_bidirectional_rnn
        assert static_rnn is tf.nn.static_rnn and rnn_cell_impl.LSTMCell is tf.nn.rnn_cell.LSTMCell

        @do_not_convert
        def f():
            return 1

        @do_not_convert()
        def g():
            return 2

        assert (f(), g()) == (1, 2) and inspect.getmodule(f).__name__ == "__main__"
        import tensorflow.python.autograph as autograph
        assert not hasattr(autograph, "__file__") and not hasattr(tf.contrib, "__no_such_name__")
        """
    )


def test_operators_of_python_2():
    installed(
        """
        import tensorflow as tf
        with tf.Session() as sess:
            assert sess.run(tf.constant([7, -7]).__div__(2)).tolist() == [3, -4]
            assert sess.run(tf.constant([2.0]).__rdiv__(1.0)).tolist() == [0.5]
        try:
            tf.constant(True).__nonzero__()
            assert False
        except TypeError as error:
            assert "as a Python `bool` is not allowed" in str(error)
        """
    )


def test_modules_of_tests_and_restores():
    installed(
        """
        import tensorflow as tf
        from tensorflow.contrib.eager.python import tfe
        from tensorflow.python.keras.utils import tf_utils
        from tensorflow.python.ops import io_ops

        @tfe.run_all_tests_in_graph_and_eager_modes
        class Test(tf.test.TestCase):
            @tf.contrib.eager.run_test_in_graph_and_eager_modes
            def test(self):
                assert tf.get_default_session() is not None and not tfe.in_eager_mode()

        Test("test").debug()
        assert io_ops.restore_v2 and tf.contrib.util.constant_value(tf.constant(3)) == 3
        class Mine:
            pass
        assert not tf_utils.is_symbolic_tensor(Mine())
        tf_utils.register_symbolic_tensor_type(Mine)
        assert tf_utils.is_symbolic_tensor(Mine()) and tf_utils.is_symbolic_tensor(tf.constant(1))
        """
    )


def test_parts_of_estimators_of_tensorflow_2():
    installed(
        """
        import numpy as np
        import tensorflow as tf
        from tensorflow.contrib.framework.python.ops import variables
        from tensorflow.python.feature_column import feature_column_lib
        from tensorflow.python.keras.optimizer_v2 import adagrad, optimizer_v2
        from tensorflow.python.ops import array_ops
        from tensorflow.python.platform import tf_logging
        from tfcore.as_tensorflow.estimator import keras_parts
        from unittest import mock

        with tf.Session() as sess:
            sess.run([variables.get_or_create_global_step().initializer])
            losses, weights = tf.constant([[1.0], [3.0]]), tf.constant([1.0, 2.0])
            loss = lambda reduction, w=weights: sess.run(keras_parts.compute_weighted_loss(losses, w, reduction))
            assert loss("sum") == 7.0 and loss("sum", None) == 4.0
            assert loss("auto") == loss("sum_over_batch_size") == 3.5
            assert loss("none", tf.constant([[[1.0]], [[2.0]]])).tolist() == [[1.0], [6.0]]
            assert keras_parts.scale_loss_for_distribution(losses) is losses
            with tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).scope():
                assert sess.run(keras_parts.scale_loss_for_distribution(losses)).tolist() == [[0.5], [1.5]]
            assert sess.run(array_ops.boolean_mask_v2(np.eye(2), [True, False], 1)).tolist() == [[1.0], [0.0]]
        for wrong, kind in ((lambda: loss("mean"), ValueError), (adagrad.Adagrad, NotImplementedError)):
            try:
                wrong()
                assert False
            except kind:
                pass
        class Mine(optimizer_v2.OptimizerV2):
            pass
        assert Mine("mine").iterations is None
        assert feature_column_lib.make_parse_example_spec_v2 and feature_column_lib._numeric_column("x").key == "x"
        with mock.patch.object(tf_logging, "info") as info:
            from tfcore.platform import tf_logging as own
            own.info("text")
        info.assert_called_once_with("text")
        """
    )
