"""Where the names of each module inside TensorFlow come from.

A module looks a name up in its sources, in order. A source is a namespace of tf, a module of tfcore, or the op types:
`generated` for modules that TensorFlow generates, and `raw` for those that pass on what these have. Many modules share
one list of sources, so a function may also be found in a module that lacks it in TensorFlow.
"""

import collections
import functools
import os
import re

import tfcore
from tfcore.as_tensorflow import estimator, keras
from tfcore.framework import protos

# For tensorflow.python.ops.*: after what the table says for the module.
_OPS = "tf tf.nn tf.math tf.linalg tf.strings tf.random tf.bitwise tf.debugging tf.sparse tf.sets tf.image tf.io raw"

# For tensorflow.python.feature_column.*
_COLUMNS = "tf.feature_column tfcore.as_tensorflow.feature_columns" + "".join(
    f" tfcore.feature_column.{name}" for name in "base numeric categorical dense sequence models".split()
)

# For tensorflow.python.debug
_DEBUG = "".join(f" tfcore.as_tensorflow.debug.{name}" for name in "dump watch wrappers local_cli hooks".split())

_PYTHON = {
    "autograph.impl.api": "tfcore.as_tensorflow.util",
    "client.device_lib": "tfcore.as_tensorflow.framework",
    "client.session": "tf tfcore.client.session tfcore.framework.values.run_conversions",
    "client.timeline": "tf.timeline",
    "compat.compat": "tf.compat",
    "data": "tf.data",
    "data.ops.dataset_ops": "tf.data tf.data.experimental",
    "data.ops.iterator_ops": "tf.data",
    "data.ops.readers": "tf.data",
    "data.util.nest": "tf.nest tfcore.framework.types.nest tfcore.as_tensorflow.nest",
    "debug": _DEBUG,
    "debug.lib.debug_data": "tfcore.as_tensorflow.debug.dump",
    "debug.lib.debug_utils": "tfcore.as_tensorflow.debug.watch",
    "debug.wrappers.dumping_wrapper": "tfcore.as_tensorflow.debug.wrappers",
    "debug.wrappers.framework": "tfcore.as_tensorflow.debug.wrappers tfcore.as_tensorflow.debug.watch",
    "debug.wrappers.grpc_wrapper": "tfcore.as_tensorflow.debug.wrappers",
    "debug.wrappers.hooks": "tfcore.as_tensorflow.debug.hooks tfcore.as_tensorflow.debug.wrappers",
    "debug.wrappers.local_cli_wrapper": "tfcore.as_tensorflow.debug.local_cli",
    "eager.backprop": "tf",
    "eager.context": "tfcore.as_tensorflow.context",
    "eager.function": "tf",
    "eager.monitoring": "tfcore.as_tensorflow.monitoring",
    "eager.test": "tf.test",
    "feature_column.dense_features": "tf.feature_column",
    "feature_column.dense_features_v2": "tf.feature_column",
    "feature_column.feature_column": _COLUMNS,
    "feature_column.feature_column_lib": _COLUMNS,
    "feature_column.feature_column_v2": _COLUMNS,
    "feature_column.sequence_feature_column": _COLUMNS,
    "feature_column.utils": _COLUMNS,
    "framework.common_shapes": "tfcore.as_tensorflow.framework",
    "framework.config": "tf.config tf.config.threading tf.config.experimental",
    "framework.constant_op": "tf tfcore.framework.values.constant",
    "framework.device": "tf tfcore.framework.device",
    "framework.device_spec": "tf",
    "framework.dtypes": "tfcore.framework.types.dtypes tf tfcore.as_tensorflow.framework",
    "framework.errors": "tf.errors",
    "framework.errors_impl": "tf.errors",
    "framework.func_graph": "tfcore.framework.functions.func_graph tf",
    "framework.function": "tf",
    "framework.graph_io": "tf.train tf.io",
    "framework.graph_util": "tf.graph_util",
    "framework.graph_util_impl": "tf.graph_util",
    "framework.importer": "tf",
    "framework.indexed_slices": "tf",
    "framework.load_library": "tf",
    "framework.meta_graph": "tfcore.io.meta_graph tf.train",
    "framework.op_def_library": "tfcore.as_tensorflow.framework",
    "framework.op_def_registry": "tfcore.framework.definitions.op_def",
    "framework.ops": "tf tfcore.as_tensorflow.framework tfcore.framework.graph.graph tfcore.framework.graph.operation"
    " tfcore.profiler.float_ops",
    "framework.random_seed": "tf tf.random",
    "framework.smart_cond": "tf.contrib.framework",
    "framework.sparse_tensor": "tf tfcore.as_tensorflow.framework",
    "framework.tensor": "tf",
    "framework.tensor_conversion": "tf",
    "framework.tensor_conversion_registry": "tf",
    "framework.tensor_shape": "tf tfcore.framework.types.tensor_shape tfcore.as_tensorflow.framework",
    "framework.tensor_spec": "tf tf.contrib.framework",
    "framework.tensor_util": "tf tfcore.as_tensorflow.framework tfcore.framework.values.constant",
    "framework.test_util": "tfcore.as_tensorflow.test_util tf.test",
    "framework.versions": "tf.version tf",
    "keras.engine.input_spec": "tf.layers",
    "layers.base": "tf.layers tfcore.layers.base",
    "layers.convolutional": "tf.layers tfcore.layers.convolutional",
    "layers.core": "tf.layers tfcore.layers.core",
    "layers.layers": "tf.layers",
    "layers.normalization": "tf.layers tfcore.layers.normalization",
    "layers.pooling": "tf.layers tfcore.layers.pooling",
    "layers.utils": "tfcore.as_tensorflow.layers tf.contrib.framework",
    "lib.io.file_io": "tf.io.gfile tf.gfile",
    "lib.io.python_io": "tf.python_io tf.io",
    "lib.io.tf_record": "tf.python_io tf.io",
    "ops.control_flow_grad": "tfcore.ops.control_flow.grad",
    "ops.control_flow_ops": "tfcore.ops.control_flow.context tfcore.ops.control_flow.cond"
    " tfcore.ops.control_flow.while_loop",
    "ops.control_flow_util": "tfcore.framework.graph.control_flow_util tfcore.as_tensorflow.framework",
    "ops.data_flow_ops": "tfcore.ops.queues.queue tfcore.ops.queues.accumulator tfcore.ops.queues.stage"
    " tfcore.ops.queues.stage_map"
    " tfcore.ops.queues.barrier",
    **dict.fromkeys(
        ("ops.distributions.bijector", "ops.distributions.bijector_impl", "ops.distributions.identity_bijector"),
        "tf.contrib.distributions.bijectors",
    ),
    "ops.distributions.special_math": "tfcore.distributions.util",
    "ops.distributions.util": "tfcore.distributions.util tf.contrib.distributions",
    "ops.gradient_checker": "tf.test",
    "ops.gradients_impl": "tfcore.ops.gradients.gradients",
    "ops.inplace_ops": "tfcore.as_tensorflow.inplace_ops",
    "ops.resources": "tfcore.as_tensorflow.resources",
    "ops.init_ops": "tfcore.variables.initializers tf.initializers",
    "ops.io_ops": "tfcore.ops.io.reader tfcore.ops.io.files tf.io generated",
    "ops.linalg.linalg": "tf.linalg",
    "ops.linalg.linalg_impl": "tf.linalg",
    "ops.linalg.linear_operator_addition": "tfcore.as_tensorflow.linear_operators",
    "ops.linalg.linear_operator_util": "tfcore.as_tensorflow.linear_operators",
    "ops.lookup_ops": "tf.contrib.lookup tfcore.composed.vocabulary tf.lookup",
    "ops.losses.losses": "tf.losses",
    "ops.losses.losses_impl": "tf.losses",
    "ops.losses.util": "tf.losses",
    "ops.manip_ops": "tf.manip",
    "ops.metrics": "tf.metrics",
    "ops.metrics_impl": "tf.metrics",
    "ops.partitioned_variables": "tfcore.variables.partitioned",
    "ops.ragged.ragged_array_ops": "tf.ragged tfcore.composed.ragged.arrange",
    "ops.ragged.ragged_factory_ops": "tf.ragged",
    "ops.ragged.ragged_functional_ops": "tf.ragged",
    "ops.ragged.ragged_math_ops": "tf.ragged tfcore.composed.ragged.math",
    "ops.ragged.ragged_string_ops": "tf.strings",
    "ops.ragged.ragged_tensor": "tf tfcore.composed.ragged.tensor",
    "ops.ragged.ragged_tensor_value": "tf.ragged",
    "ops.ragged.segment_id_ops": "tf.ragged",
    "ops.resource_variable_ops": "tfcore.variables.resource_variable",
    "ops.rnn_cell": "tf.nn.rnn_cell",
    "ops.rnn_cell_impl": "tf.nn.rnn_cell",
    "ops.sets": "tf.sets",
    "ops.sets_impl": "tf.sets",
    "ops.signal.signal": "tf.signal",
    "ops.template": "tfcore.variables.template",
    "ops.tensor_array_ops": "tfcore.ops.state.tensor_array",
    "ops.variable_scope": "tfcore.variables.variable_scope tfcore.variables.variable_store",
    "ops.variables": "tfcore.variables.variables tfcore.variables.partitioned",
    "ops.weights_broadcast_ops": "tfcore.composed.weights_broadcast",
    "platform.app": "tf.app",
    "pywrap_tensorflow": "tf.train tf.io tfcore.io.checkpoint_reader",
    "platform.benchmark": "tf.test",
    "platform.flags": "tf.flags",
    "platform.gfile": "tf.gfile",
    "platform.googletest": "tf.test",
    "platform.resource_loader": "tf.resource_loader",
    "platform.sysconfig": "tf.sysconfig",
    "platform.test": "tf.test",
    "profiler.model_analyzer": "tfcore.profiler.model_analyzer",
    "profiler.option_builder": "tfcore.profiler.option_builder",
    "profiler.profiler": "tf.profiler",
    "profiler.tfprof_logger": "tfcore.profiler.op_log",
    "saved_model.builder": "tf.saved_model.builder",
    "saved_model.builder_impl": "tfcore.saved_model.builder",
    "saved_model.constants": "tfcore.saved_model.constants",
    "saved_model.loader": "tf.saved_model.loader",
    "saved_model.loader_impl": "tfcore.saved_model.loader",
    "saved_model.model_utils": "tfcore.as_tensorflow.estimator.model_utils",
    "saved_model.model_utils.export_output": "tfcore.as_tensorflow.estimator.export_output",
    "saved_model.model_utils.export_utils": "tfcore.as_tensorflow.estimator.model_utils",
    "saved_model.model_utils.mode_keys": "tfcore.as_tensorflow.estimator.model_utils",
    "saved_model.main_op": "tf.saved_model.main_op",
    "saved_model.main_op_impl": "tf.saved_model.main_op",
    "saved_model.saved_model": "tf.saved_model",
    "saved_model.signature_constants": "tfcore.saved_model.signature_constants",
    "saved_model.signature_def_utils": "tf.saved_model.signature_def_utils",
    "saved_model.signature_def_utils_impl": "tfcore.saved_model.signature_def_utils",
    "saved_model.simple_save": "tf.saved_model",
    "saved_model.tag_constants": "tfcore.saved_model.tag_constants",
    "saved_model.utils": "tf.saved_model.utils",
    "saved_model.utils_impl": "tfcore.saved_model.utils tfcore.as_tensorflow.estimator.model_utils",
    "summary.summary": "tf.summary",
    "summary.summary_iterator": "tf.train",
    "summary.writer.writer": "tf.summary",
    "summary.writer.writer_cache": "tf.summary",
    "tf2": "tfcore.as_tensorflow.util",
    "tools.freeze_graph": "tfcore.tools.freeze_graph",
    "tools.inspect_checkpoint": "tfcore.as_tensorflow.framework",
    "tools.saved_model_cli": "tfcore.tools.saved_model_cli",
    "training.checkpointable.base": "tfcore.as_tensorflow.tracking",
    "training.checkpointable.tracking": "tfcore.as_tensorflow.tracking",
    "training.checkpointable.util": "tf.train",
    "training.device_setter": "tf.train tfcore.train.optimizers.device_setter",
    "training.learning_rate_decay": "tf.train",
    "training.monitored_session": "tf.train tfcore.train.sessions.monitored_training_session",
    "training.moving_averages": "tf.train tfcore.train.optimizers.moving_averages",
    "training.optimizer": "tf.train tfcore.train.optimizers.optimizer",
    "training.saver": "tf.train tfcore.train.checkpoints.saver_builder",
    "training.slot_creator": "tfcore.train.optimizers.slot_creator",
    "training.tracking.base": "tfcore.as_tensorflow.tracking",
    "training.tracking.tracking": "tfcore.as_tensorflow.tracking",
    "training.tracking.util": "tf.train",
    "training.training_ops": "tfcore.ops.training.training generated",
    "util.all_util": "tfcore.as_tensorflow.util",
    "util.compat": "tf.compat tfcore.as_tensorflow.util",
    "util.compat_internal": "tfcore.as_tensorflow.util",
    "util.decorator_utils": "tfcore.as_tensorflow.util",
    "util.deprecation": "tfcore.platform.deprecation tfcore.as_tensorflow.util",
    "util.dispatch": "tfcore.as_tensorflow.util",
    "util.function_utils": "tfcore.as_tensorflow.util",
    "util.keyword_args": "tfcore.as_tensorflow.util",
    "util.lazy_loader": "tfcore.as_tensorflow.util",
    "util.nest": "tf.nest tfcore.framework.types.nest tfcore.as_tensorflow.nest",
    "util.object_identity": "tfcore.as_tensorflow.object_identity",
    "util.tf_contextlib": "tfcore.as_tensorflow.util",
    "util.tf_decorator": "tfcore.platform.tf_decorator",
    "util.tf_export": "tfcore.as_tensorflow.util",
    "util.tf_inspect": "tfcore.as_tensorflow.inspection",
    "util.tf_should_use": "tfcore.as_tensorflow.util",
}

# Modules that only versions before or after 1.15 have.
_OTHERS = """
    contrib.coder contrib.gan contrib.gdr contrib.kfac contrib.lite contrib.mpi_collectives contrib.nccl
    contrib.rnn.python.ops.core_rnn contrib.verbs python.ops.array_ops_stack python.ops.batch_norm_ops
    python.ops.bincount_ops python.ops.cond python.ops.control_flow_assert python.ops.control_flow_case
    python.ops.gen_rpc_ops python.ops.ref_variable python.ops.spectral_ops python.ops.summary_ops
    python.ops.variable_v1 python.ops.while_loop python.training.quantize_training
""".split()

# Where the modules of a folder look that the table does not list. Those of a part of tf.contrib look in that part.
_FOLDERS = {
    "contrib.distributions.python.ops.distribution_util": "tf.contrib.distributions tfcore.distributions.util",
    "contrib.distributions.python.ops.bijectors": "tf.contrib.distributions.bijectors",
    "python.client": "tf",
    "python.data": "tf.data tf.data.experimental",
    "python.distribute": "tf.distribute tf.distribute.experimental tfcore.as_tensorflow.distribute",
    "python.distribute.cluster_resolver": "tf.distribute.cluster_resolver",
    "python.eager": "tf",
    "python.feature_column": _COLUMNS,
    "python.framework": "tf tfcore.as_tensorflow.framework",
    "python.ops": _OPS,
    "python.ops.distributions": "tf.distributions tf.contrib.distributions",
    "python.ops.linalg": f"tf.linalg {_OPS}",
    "python.ops.losses": "tf.losses",
    "python.ops.ragged": f"tf.ragged tf.strings {_OPS}",
    "python.ops.signal": "tf.signal",
    "python.saved_model": "tf.saved_model",
    "python.summary": "tf.summary",
    "python.training": "tf.train",
    "python.util": "tfcore.as_tensorflow.util",
}

# Names that stand for another one, by module.
RENAMED = {
    f"python.{module}": dict(pair.split("=") for pair in text.split())
    for module, text in {
        "data.ops.dataset_ops": "DatasetV1=tf.data.Dataset DatasetV2=tf.data.Dataset DatasetV1Adapter=tf.data.Dataset",
        "data.ops.readers": """
            TFRecordDatasetV1=tf.data.TFRecordDataset TFRecordDatasetV2=tf.data.TFRecordDataset
            TextLineDatasetV1=tf.data.TextLineDataset TextLineDatasetV2=tf.data.TextLineDataset
        """,
        "client.session": "BaseSession=tf.Session SessionInterface=tf.Session",
        **dict.fromkeys(
            ("feature_column.feature_column", "feature_column.feature_column_v2", "feature_column.feature_column_lib"),
            """
            make_parse_example_spec_v2=tf.feature_column.make_parse_example_spec
            _numeric_column=tf.feature_column.numeric_column
            _bucketized_column=tf.feature_column.bucketized_column
            _embedding_column=tf.feature_column.embedding_column
            _indicator_column=tf.feature_column.indicator_column
            _categorical_column_with_hash_bucket=tf.feature_column.categorical_column_with_hash_bucket
            _categorical_column_with_identity=tf.feature_column.categorical_column_with_identity
            _categorical_column_with_vocabulary_list=tf.feature_column.categorical_column_with_vocabulary_list
            _LazyBuilder=tfcore.feature_column.base.FeatureTransformationCache
            _FeatureColumn=tfcore.feature_column.base.FeatureColumn
            _DenseColumn=tfcore.feature_column.base.DenseColumn
            _CategoricalColumn=tfcore.feature_column.base.CategoricalColumn
            _SequenceDenseColumn=tfcore.feature_column.base.SequenceDenseColumn
            _NumericColumn=tfcore.feature_column.numeric.NumericColumn
            _BucketizedColumn=tfcore.feature_column.numeric.BucketizedColumn
            _HashedCategoricalColumn=tfcore.feature_column.categorical.HashedCategoricalColumn
            _IdentityCategoricalColumn=tfcore.feature_column.categorical.IdentityCategoricalColumn
            _VocabularyFileCategoricalColumn=tfcore.feature_column.categorical.VocabularyFileCategoricalColumn
            _VocabularyListCategoricalColumn=tfcore.feature_column.categorical.VocabularyListCategoricalColumn
            _WeightedCategoricalColumn=tfcore.feature_column.categorical.WeightedCategoricalColumn
            _CrossedColumn=tfcore.feature_column.categorical.CrossedColumn
            _IndicatorColumn=tfcore.feature_column.dense.IndicatorColumn
            _EmbeddingColumn=tfcore.feature_column.dense.EmbeddingColumn
            _SharedEmbeddingColumn=tfcore.feature_column.dense.SharedEmbeddingColumn
            _SequenceCategoricalColumn=tfcore.feature_column.sequence.SequenceCategoricalColumn
            _LinearModel=tfcore.feature_column.models.LinearModel
            """,
        ),
        "framework.constant_op": "constant_v1=tf.constant",
        "framework.device": """
            canonical_name=tfcore.framework.device.canonical_name
            is_device_spec=tfcore.as_tensorflow.framework.is_device_spec
        """,
        "framework.device_spec": "DeviceSpecV1=tf.DeviceSpec DeviceSpecV2=tf.DeviceSpec",
        "framework.errors_impl": "_make_specific_exception=tfcore.as_tensorflow.framework.make_specific_exception",
        "framework.func_graph": "FuncGraph=tfcore.framework.functions.func_graph.FuncGraph",
        "framework.op_def_registry": "get_registered_ops=tfcore.as_tensorflow.framework.get_registered_ops",
        "framework.ops": """
            get_name_scope=tf.contrib.framework.get_name_scope
            strip_name_scope=tf.contrib.framework.strip_name_scope
            prepend_name_scope=tf.contrib.framework.prepend_name_scope
            name_scope_v1=tf.name_scope internal_convert_to_tensor=tf.convert_to_tensor
            internal_convert_n_to_tensor=tf.convert_n_to_tensor
            internal_convert_to_tensor_or_indexed_slices=tf.convert_to_tensor_or_indexed_slices
            register_proto_function=tfcore.io.meta_graph.register_proto_function
            get_gradient_function=tfcore.framework.definitions.op_def.gradient_function
            _get_graph_from_inputs=tf.contrib.framework.get_graph_from_inputs
            _default_graph_stack=tfcore.as_tensorflow.framework.default_graph_stack
            _TensorLike=tfcore.as_tensorflow.framework.TensorLike
            _gradient_registry=tfcore.as_tensorflow.framework.gradient_registry
        """,
        "framework.sparse_tensor": "is_sparse=tfcore.as_tensorflow.framework.is_sparse",
        "framework.tensor_util": """
            MakeNdarray=tf.make_ndarray is_tf_type=tf.is_tensor constant_value=tf.get_static_value
            constant_value_as_shape=tfcore.as_tensorflow.framework.constant_value_as_shape
        """,
        "framework.test_util": "TensorFlowTestCase=tf.test.TestCase",
        "layers.convolutional": """
            Convolution1D=tf.layers.Conv1D Convolution2D=tf.layers.Conv2D Convolution3D=tf.layers.Conv3D
            Convolution2DTranspose=tf.layers.Conv2DTranspose Convolution3DTranspose=tf.layers.Conv3DTranspose
            SeparableConvolution1D=tf.layers.SeparableConv1D SeparableConvolution2D=tf.layers.SeparableConv2D
        """,
        "lib.io.file_io": """
            FileIO=tf.gfile.GFile file_exists=tf.gfile.Exists delete_file=tf.gfile.Remove
            get_matching_files=tf.gfile.Glob create_dir=tf.gfile.MkDir recursive_create_dir=tf.gfile.MakeDirs
            delete_recursively=tf.gfile.DeleteRecursively is_directory=tf.gfile.IsDirectory
            list_directory=tf.gfile.ListDirectory copy=tf.gfile.Copy rename=tf.gfile.Rename stat=tf.gfile.Stat
            walk=tf.gfile.Walk
            atomic_write_string_to_file=tfcore.as_tensorflow.framework.atomic_write_string_to_file
            read_file_to_string=tfcore.as_tensorflow.framework.read_file_to_string
            write_string_to_file=tfcore.as_tensorflow.framework.write_string_to_file
        """,
        "ops.array_ops": """
            boolean_mask_v2=tfcore.as_tensorflow.framework.boolean_mask_v2
            listdiff=tf.setdiff1d shape_internal=tfcore.as_tensorflow.framework.shape_internal
            size_internal=tfcore.as_tensorflow.framework.size_internal
            rank_internal=tfcore.as_tensorflow.framework.rank_internal
        """,
        "ops.confusion_matrix": """
            remove_squeezable_dimensions=tfcore.composed.confusion_matrix.remove_squeezable_dimensions
        """,
        "ops.control_flow_ops": """
            with_dependencies=tfcore.as_tensorflow.framework.with_dependencies switch=tf.raw_ops.Switch
            merge=tf.raw_ops.Merge exit=tf.raw_ops.Exit
        """,
        "ops.resource_variable_ops": """
            ResourceVariable=tfcore.variables.resource_variable.ResourceVariable
            BaseResourceVariable=tfcore.variables.resource_variable.ResourceVariable
            is_resource_variable=tfcore.variables.resource_variable.is_resource_variable
        """,
        "ops.gradients_impl": "_hessian_vector_product=tfcore.as_tensorflow.framework.hessian_vector_product",
        "ops.init_ops": "_compute_fans=tfcore.as_tensorflow.framework.compute_fans",
        "ops.rnn": """
            rnn_cell_impl=tensorflow.python.ops.rnn_cell_impl
            _transpose_batch_time=tfcore.as_tensorflow.layers.transpose_batch_time
        """,
        "ops.rnn_cell_impl": """
            _zero_state_tensors=tfcore.as_tensorflow.layers.zero_state_tensors
            _like_rnncell=tfcore.as_tensorflow.layers.like_rnncell
            assert_like_rnncell=tfcore.as_tensorflow.layers.assert_like_rnncell
            LayerRNNCell=tfcore.rnn.base.LayerRNNCell
            _concat=tfcore.as_tensorflow.layers.concat_shapes _Linear=tfcore.as_tensorflow.layers.Linear
            _linear=tfcore.as_tensorflow.layers.linear
        """,
        "ops.random_ops": """
            parameterized_truncated_normal=tfcore.as_tensorflow.framework.parameterized_truncated_normal
        """,
        "ops.metrics_impl": """
            metric_variable=tfcore.metrics.parts.metric_variable
            _remove_squeezable_dimensions=tfcore.metrics.parts.match_shapes
            _safe_scalar_div=tf.math.divide_no_nan
            _aggregate_variable=tfcore.as_tensorflow.metrics.aggregate_variable
            _confusion_matrix_at_thresholds=tfcore.as_tensorflow.metrics.confusion_matrix_at_thresholds
            _streaming_sparse_average_precision_at_top_k=tfcore.metrics.top_k.average_precision_at_top_k
            precision_at_top_k=tfcore.metrics.top_k.precision_at_top_k
            recall_at_top_k=tfcore.metrics.top_k.recall_at_top_k
        """,
        "ops.variable_scope": """
            variable=tf.Variable _get_default_variable_store=tfcore.as_tensorflow.framework.default_variable_store
            _pure_variable_scope=tfcore.as_tensorflow.framework.pure_variable_scope
        """,
        "ops.variable_v1": "VariableV1=tf.Variable",
        "saved_model.loader_impl": "_get_main_op_tensor=tfcore.saved_model.loader.get_init_op",
        "ops.variables": "VariableV1=tf.Variable RefVariable=tf.Variable",
        "platform.benchmark": "TensorFlowBenchmark=tf.test.Benchmark",
        "platform.googletest": "GetTempDir=tf.test.get_temp_dir TestCase=tfcore.as_tensorflow.test_util.PlainTestCase",
        "tf2": "enabled=tf.executing_eagerly",
        "training.optimizer": """
            _deduplicate_indexed_slices=tfcore.train.optimizers.optimizer._deduplicate_indexed_slices
            _var_key=tfcore.train.optimizers.optimizer._var_key
            _get_processor=tfcore.as_tensorflow.processors.get_processor
            _OptimizableVariable=tfcore.as_tensorflow.processors.OptimizableVariable
            _RefVariableProcessor=tfcore.as_tensorflow.processors.VariableProcessor
            _DenseReadResourceVariableProcessor=tfcore.as_tensorflow.processors.VariableProcessor
            _DenseResourceVariableProcessor=tfcore.as_tensorflow.processors.VariableProcessor
            _TensorProcessor=tfcore.as_tensorflow.processors.TensorProcessor
        """,
        "training.checkpointable.base": """
            Checkpointable=tfcore.as_tensorflow.tracking.Trackable
            CheckpointableBase=tfcore.as_tensorflow.tracking.Trackable
            CheckpointableReference=tfcore.as_tensorflow.tracking.TrackableReference
        """,
        "training.checkpointable.tracking": """
            Checkpointable=tfcore.as_tensorflow.tracking.AutoTrackable
            AutoCheckpointable=tfcore.as_tensorflow.tracking.AutoTrackable
        """,
        "util.object_identity": """
            _ObjectIdentityWrapper=tfcore.as_tensorflow.object_identity.ObjectIdentityWrapper
            _WeakObjectIdentityWrapper=tfcore.as_tensorflow.object_identity.WeakObjectIdentityWrapper
        """,
        "saved_model.model_utils.export_output": """
            _SupervisedOutput=tfcore.as_tensorflow.estimator.export_output.SupervisedOutput
        """,
        "training.monitored_session": """
            _HookedSession=tfcore.train.sessions.monitored_session.HookedSession
        """,
        "training.training": (
            "get_or_create_steps_per_run_variable=tfcore.as_tensorflow.distribute.get_or_create_steps_per_run_variable"
        ),
        "training.training_util": """
            GLOBAL_STEP_READ_KEY=tfcore.as_tensorflow.framework.GLOBAL_STEP_READ_KEY
            _get_or_create_global_step_read=tfcore.as_tensorflow.framework.get_or_create_global_step_read
            _increment_global_step=tfcore.as_tensorflow.framework.increment_global_step
        """,
        "training.summary_io": "SummaryWriter=tf.summary.FileWriter SummaryWriterCache=tf.summary.FileWriterCache",
        "training.evaluation": """
            _StopAfterNEvalsHook=tf.contrib.training.StopAfterNEvalsHook
            _evaluate_once=tf.contrib.training.evaluate_once
            _get_or_create_eval_step=tf.contrib.training.get_or_create_eval_step
        """,
    }.items()
}
_LINEAR = {"_Linear": "tfcore.as_tensorflow.layers.Linear", "_linear": "tfcore.as_tensorflow.layers.linear"}
RENAMED["contrib.rnn.python.ops.core_rnn_cell"] = _LINEAR
RENAMED["contrib.eager"] = RENAMED["contrib.eager.python.tfe"] = {
    **{name: f"tf.{name}" for name in ("GradientTape", "custom_gradient", "enable_eager_execution")},
    **{name: f"tf.{name}" for name in ("executing_eagerly", "function")},
    "Checkpoint": "tf.train.Checkpoint",
    "Variable": "tf.Variable",
    "defun": "tf.function",
    "in_eager_mode": "tf.executing_eagerly",
    "run_all_tests_in_graph_and_eager_modes": "tfcore.as_tensorflow.test_util.run_all_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes": "tfcore.as_tensorflow.test_util.run_in_graph_and_eager_modes",
}
RENAMED["contrib.legacy_seq2seq.python.ops.seq2seq"] = {
    "linear": "tfcore.as_tensorflow.layers.linear",
    "Linear": "tfcore.as_tensorflow.layers.Linear",
    "_extract_argmax_and_embed": "tfcore.rnn.legacy_seq2seq.decoders.embed_best_symbol",
}

# Of tf.contrib.learn tfcore has the readers of data sets, ModeKeys, preprocessing and runs of graphs.
_LEARN = (
    ",.datasets,.datasets.base,.python,.python.learn,.python.learn.datasets,.python.learn.datasets.base,"
    ".python.learn.estimators,.python.learn.estimators.model_fn"
)

# Where the files of protocol buffers are that TensorFlow has elsewhere.
_MESSAGES = {
    "core.lib.core.error_codes_pb2": "protobuf/error_codes",
    "python.training.checkpoint_state_pb2": "protobuf/checkpoint_state",
}
# Classes with more than the message.
_MORE_THAN_MESSAGES = {
    "core.protobuf.config_pb2": {"RunMetadata": "tf.RunMetadata"},
    "core.protobuf.tensorflow_server_pb2": {"ServerDef": "tf.train.ServerDef"},
}

Target = collections.namedtuple("Target", ["module", "hint"])


def _table():
    table = {f"python.{name}": text.split() for name, text in _PYTHON.items()}
    for name, sources in table.items():
        if name.startswith("python.ops."):
            sources += _OPS.split()
    table["python.distribute.cluster_resolver"] = ["tf.distribute.cluster_resolver"]
    table["python.distribute.values"] = ["tfcore.distribute.values", *_FOLDERS["python.distribute"].split()]
    for name in "edit reroute select subgraph transform util".split():
        table[f"contrib.graph_editor.{name}"] = [f"tfcore.contrib.graph_editor.{name}"]
    for name, source in (("model_analyzer", "model_analyzer"), ("tfprof_logger", "op_log")):
        for package in ("contrib.tfprof", "contrib.tfprof.python.tools.tfprof"):
            table[f"{package}.{name}"] = [f"tfcore.profiler.{source}"]
    table["contrib.framework.python.ops.audio_ops"] = ["generated"]
    for name in ("", ".metric_loss_ops"):
        table[f"contrib.losses.python.metric_learning{name}"] = ["tf.contrib.losses.metric_learning"]
    table["contrib.tensorboard.plugins.projector"] = ["tfcore.as_tensorflow.projector"]
    table.update({f"contrib.learn{name}": ["tfcore.as_tensorflow.learn"] for name in _LEARN.split(",")})
    for name in ("contrib.learn", "contrib.learn.python.learn", "contrib.learn.python.learn.graph_actions"):
        table.setdefault(name, []).append("tfcore.as_tensorflow.learn_graph_actions")
    for name in ("", ".categorical", ".categorical_vocabulary", ".text"):
        for package in ("contrib.learn", "contrib.learn.python.learn"):
            table[f"{package}.preprocessing{name}"] = ["tfcore.as_tensorflow.learn_preprocessing"]
    return table


@functools.cache
def of_tensorflow():
    """The modules of TensorFlow, as a set of paths."""
    with open(os.path.join(os.path.dirname(__file__), "module_names.txt"), encoding="utf-8") as lines:
        packages = lines.read().replace("\n  ", " ").splitlines()[1:]
    found = {*_OTHERS}
    for line in packages:
        package, _, names = line.partition(":")
        found.update(f"{package}.{name}".lstrip(".") for name in names.split())
    return found


def _sources_of_folder(path):
    """The sources of a module of TensorFlow that the table does not list; None if tfcore has nothing of its folder."""
    words = path.split(".")
    if words[-1].startswith("gen_"):
        return ["generated"]
    folders = [".".join(words[:n]) for n in range(len(words), 1, -1)]
    listed = next((_FOLDERS[folder].split() for folder in folders if folder in _FOLDERS), None)
    if listed is not None or words[0] != "contrib":
        return listed
    part = ".".join(words[:2])
    return None if path == part or _is_absent(part) else [f"tf.{part}"]


_TABLE = _table()
PACKAGES = {"core", "core.example", "core.framework", "core.lib", "core.lib.core", "core.profiler", "core.protobuf"}
PACKAGES |= {"core.util", "examples", "examples.tutorials", "python", "python.keras.optimizer_v2", "tools"}
PACKAGES |= {path.rsplit(".", n)[0] for path in _TABLE for n in range(1, path.count("."))} - set(_TABLE) - {"contrib"}
PACKAGES -= {"contrib.framework", "contrib.graph_editor", "contrib.losses"}  # which tf.contrib has


def absent_part(path):
    """The part of TensorFlow, without a counterpart in tfcore, that has the module; None if it is in none of those.

    Only names in lower case can be modules.
    """
    words = path.split(".")
    if not words[-1].islower():
        return None
    parts = (".".join(words[:n]) for n in (1, 2))
    part = next((part for part in parts if part in of_tensorflow() and _is_absent(part)), None)
    return path if part is None and path in of_tensorflow() else part


def _is_absent(part):
    """Whether tfcore has nothing of a part of TensorFlow."""
    if part in _TABLE or part in PACKAGES or part in _FOLDERS or part == "contrib":
        return False
    return not part.startswith("contrib.") or not hasattr(tfcore.contrib, part.removeprefix("contrib."))


def sources(path):
    """The sources of a module, None if tfcore has none. Paths are relative to `tensorflow`."""
    found = _TABLE.get(path)
    if found is not None or path in PACKAGES or path not in of_tensorflow():
        return found
    return None if other_package(path) or messages_file(path) else _sources_of_folder(path)


def in_table(fullname):
    """Whether the table has a module. The name begins with `tensorflow`."""
    return fullname.removeprefix("tensorflow.") in _TABLE


def known():
    """Full names of the modules that are there for certain."""
    return [f"tensorflow.{path}" for path in (*_TABLE, *PACKAGES, *of_tensorflow(), "compat.v1", "contrib.slim")]


def is_module(path):
    """Whether there is a module below another one."""
    here = path in PACKAGES or sources(path) is not None or bool(messages_file(path)) or other_package(path) is not None
    return here or keras.is_module(path) or estimator.is_module(path) or absent_part(path) is not None


def other_package(path):
    """The module of another package, or another part of tfcore, that stands for one of TensorFlow's; None if none."""
    if slim := re.fullmatch(r"contrib\.slim(?:\.python(?:\.slim)?)?((?:\.\w+)*)", path):
        hint = " tf.contrib.slim needs the package tf_slim: pip install tf_slim"
        return Target(f"tf_slim{slim[1]}", hint)
    if re.fullmatch(r"python\.keras\.optimizer_v2\.\w+", path):
        return Target("tfcore.as_tensorflow.estimator.keras_parts", "")
    if path == "python.platform.tf_logging":  # tests replace functions in it
        return Target("tfcore.platform.tf_logging", "")
    if re.fullmatch(r"contrib\.learn(\.python\.learn)?\.datasets\.mnist", path):
        path = "examples.tutorials.mnist.input_data"
    if re.fullmatch(r"examples\.tutorials\.mnist(\.input_data|\.mnist)?", path):
        return Target(f"tfcore.{path}", "")
    return None


def messages_file(path):
    """The file of protocol buffers that a module stands for, and the names in it that stand for others; None if none.

    `("framework/graph", {})`
    """
    match = re.fullmatch(r"core\.(framework|protobuf|util|example|profiler)\.(\w+)_pb2", path)
    file = f"{match[1]}/{match[2]}" if match else _MESSAGES.get(path)
    return (file, _MORE_THAN_MESSAGES.get(path, {})) if file in protos.files() else None
