"""tfcore: TensorFlow 1's dataflow graphs on a small native runtime. `import tfcore as tf`.

The public namespace. Op families (tfcore/ops/*.py) list their names in `__all__` for `tf.` and in `__nn__`, `__math__`
and so on for the namespaces of these names (a dict where a function has another name there).
"""

import importlib as _importlib
import os as _os
import sys as _sys
import types as _types

import tfcore.ops as _ops
from tfcore.client import timeline
from tfcore.client.fetches import IndexedSlicesValue
from tfcore.client.growth import GraphGrowthWarning
from tfcore.client.metadata import RunMetadata
from tfcore.client.session import InteractiveSession, Session
from tfcore.core.memory.tensor import TensorValue
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    RegisterShape,
    no_gradient,
)
from tfcore.framework.definitions.op_def import registered_ops as _registered_ops
from tfcore.framework.device import DeviceSpec
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import (
    Graph,
    GraphKeys,
    add_to_collection,
    add_to_collections,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_collection,
    get_collection_ref,
    get_default_graph,
    name_scope,
    op_scope,
    reset_default_graph,
)
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.framework.protos import PUBLIC as _MESSAGES
from tfcore.framework.types import dtypes as _dtypes
from tfcore.framework.types.dtypes import (
    QUANTIZED_DTYPES,
    DType,
    as_dtype,
    bfloat16,
    bool,  # noqa: A004  TensorFlow's names
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tfcore.framework.types.tensor_shape import Dimension, TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import (
    convert_n_to_tensor,
    convert_to_tensor,
    register_tensor_conversion_function,
)
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.load_library import load_library, load_op_library

__version__ = "0.1.0"
VERSION = __version__

# Families first: variables and training depend on them.
_PARTS = sorted(
    f"tfcore.ops.{family.name}.{file[:-3]}"
    for family in _os.scandir(_ops.__path__[0])
    if family.is_dir() and family.name != "__pycache__"
    for file in _os.listdir(family.path)
    if file.endswith(".py") and file != "__init__.py"
)
_PARTS.remove("tfcore.ops.gradients.function")  # has no names or ops, and would import the code for functions
_PARTS.remove("tfcore.ops.state.tensor_array_spec")  # has no ops, and would import the code for type specifications
_PARTS += [f"tfcore.composed.{name}" for name in ("confusion_matrix", "norms", "numerics", "weights_broadcast")]
_PARTS += [f"tfcore.composed.nn.{name}" for name in ("conv_nd", "embedding", "sampled_losses")]
_PARTS += ["tfcore.variables.variables", "tfcore.variables.variable_collections", "tfcore.variables.variable_scope"]
_PARTS += ["tfcore.variables.partitioned", "tfcore.variables.initializers", "tfcore.framework.definitions.strict"]
_PARTS += [
    "tfcore.framework.values.sparse_tensor",
    "tfcore.framework.types.nest",
    "tfcore.framework.values.tensor_kinds",
]
_PARTS += ["tfcore.framework.behavior", "tfcore.variables.creators"]
_NAMESPACES = (
    "nn",
    "nest",
    "dtypes",
    "math",
    "random",
    "linalg",
    "strings",
    "bitwise",
    "debugging",
    "signal",
    "spectral",
    "sets",
    "sparse",
    "manip",
    "quantization",
    "queue",
    "lookup",
)
# Names of these namespaces that are imported on first use, by the module that defines them.
_COMPOSED = {
    "debugging": {"debugging": "assert_shapes"},
    "lookup": {
        "lookup": "KeyValueTensorInitializer StaticHashTable TextFileIndex TextFileInitializer",
        "vocabulary": "StaticVocabularyTable",
    },
    "linalg": {"linalg": "adjoint expm logdet normalize trace tridiagonal_matmul"},
    "math": {
        "nn.approximate": "approx_max_k approx_min_k",
        "special": "bessel_i0 bessel_i1 erfcinv lbeta polyval reciprocal_no_nan",
    },
    "signal": {
        "signal.fourier": "dct fftnd fftshift idct ifftnd ifftshift irfft irfft2d irfft3d irfftnd rfft rfft2d "
        "rfft3d rfftnd",
        "signal.frames": "frame inverse_mdct inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix mdct "
        "mfccs_from_log_mel_spectrograms overlap_and_add stft",
        "signal.windows": "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window",
    },
    "spectral": {"signal.fourier": "dct idct irfft irfft2d irfft3d rfft rfft2d rfft3d"},
    "nn": {
        "nn.approximate": "approx_max_k approx_min_k",
        "nn.nn": "collapse_repeated compute_average_loss dilation2d erosion2d scale_regularization_loss "
        "with_space_to_batch",
        "sparse.embedding": "safe_embedding_lookup_sparse",
    },
}


# Likewise tf.sparse: "name" is sparse_name of the module, "name=own" is own. What is called sparse_... is in tf., too.
_SPARSE = {
    "sparse.arrange": "reorder reshape retain transpose",
    "sparse.math": "add maximum minimum reduce_max reduce_max_sparse reduce_sum reduce_sum_sparse softmax "
    "matmul=sparse_tensor_dense_matmul sparse_dense_matmul=sparse_tensor_dense_matmul",
    "sparse.parts": "concat expand_dims=expand_dims fill_empty_rows reset_shape slice split",
    "sparse.values": "eye=eye from_dense=from_dense mask merge to_dense=sparse_tensor_to_dense to_indicator",
}


def _sparse_names():
    """The tables of tf.sparse and of tf. for what `_SPARSE` lists."""
    inside = {}
    for part, names in _SPARSE.items():
        for entry in names.split():
            name, _, own = entry.partition("=")
            inside[name] = f"tfcore.composed.{part}:{own or 'sparse_' + name}"
    paths = [path.partition(":") for path in inside.values()]
    return inside, {own: path for path, _, own in paths if own.startswith("sparse_")}


def _composed(space):
    if space == "sparse":
        return _sparse_names()[0]
    parts = _COMPOSED.get(space, {})
    return {name: f"tfcore.composed.{part}" for part, names in parts.items() for name in names.split()}


def _collect():
    spaces = {}
    for name in _NAMESPACES:
        space = spaces[name] = _types.ModuleType(f"tfcore.{name}", f"The namespace tf.{name}.")
        space.__all__ = []
        space.__getattr__, space.__dir__ = _lazy_names(vars(space), _composed(name))
        _sys.modules[space.__name__] = space
    here = globals()
    for path in _PARTS:
        module = _importlib.import_module(path)
        for name in getattr(module, "__all__", ()):
            here[name] = getattr(module, name)
        for key, space in spaces.items():
            names = getattr(module, f"__{key}__", ())
            for name, own in names.items() if isinstance(names, dict) else zip(names, names):
                setattr(space, name, getattr(module, own))
                space.__all__.append(name)
    here.update(spaces)
    raw = _types.ModuleType("tfcore.raw_ops", "Every registered op by its type: tf.raw_ops.MatMul(a=..., b=...).")
    raw.__getattr__, raw.__dir__ = _lazy_names(vars(raw), {})
    for op_def in _registered_ops():
        setattr(raw, op_def.name, op_def)
    here["raw_ops"] = _sys.modules["tfcore.raw_ops"] = raw
    _sys.modules["tfcore.errors"] = errors
    for name, value in vars(_dtypes).items():
        if isinstance(value, DType) or name in ("DType", "QUANTIZED_DTYPES", "as_dtype"):
            setattr(spaces["dtypes"], name, value)


_collect()

# Imported on first use: names that need protocol buffers, and modules that are also programs.
__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        **dict.fromkeys(_MESSAGES, "tfcore.framework.protos"),
        **{
            name: f"tfcore.{name}."
            for name in ("distributed", "initializers", "layers", "losses", "metrics", "summary", "test")
        },
        **dict.fromkeys(("Declare", "Defun", "function"), "tfcore.framework.functions.function"),
        **dict.fromkeys(
            (
                "IndexedSlicesSpec",
                "NoneTensorSpec",
                "SparseTensorSpec",
                "TensorSpec",
                "TypeSpec",
                "type_spec_from_value",
            ),
            "tfcore.framework.values.type_spec",
        ),
        "TensorArraySpec": "tfcore.ops.state.tensor_array_spec",
        "init_scope": "tfcore.framework.functions.func_graph",
        "OpError": "tfcore.framework.errors",
        "get_seed": "tfcore.ops.random.random",
        **dict.fromkeys(("dimension_at_index", "dimension_value"), "tfcore.framework.types.tensor_shape"),
        **{name: f"tfcore.platform.{name}." for name in ("app", "flags", "gfile", "resource_loader", "version")},
        **dict.fromkeys(("COMPILER_VERSION", "GIT_VERSION"), "tfcore.platform.version"),
        "get_logger": "tfcore.platform.tf_logging",
        "logging": "tfcore.platform.tf_logging.",
        **dict.fromkeys(("CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD"), "tfcore.sysconfig"),
        "GRAPH_DEF_VERSION": "tfcore.framework.exchange.graph_def",
        "GRAPH_DEF_VERSION_MIN_CONSUMER": "tfcore.framework.exchange.graph_def",
        "GRAPH_DEF_VERSION_MIN_PRODUCER": "tfcore.framework.exchange.graph_def",
        "compat": "tfcore.compat.",
        "contrib": "tfcore.contrib.",
        "distributions": "tfcore.distributions.",
        "approx_top_k": "tfcore.composed.nn.approximate",
        "extract_image_patches": "tfcore.composed.arrays",
        "GradientTape": "tfcore.composed.gradient_tape",
        "extract_volume_patches": "tfcore.composed.arrays",
        **dict.fromkeys(("fftnd", "ifftnd", "irfftnd", "rfftnd"), "tfcore.composed.signal.fourier_nd"),
        "lbeta": "tfcore.composed.special",
        "recompute_grad": "tfcore.composed.recompute",
        "repeat": "tfcore.composed.arrays",
        "trace": "tfcore.composed.linalg",
        "unravel_index": "tfcore.composed.arrays",
        "graph_util": "tfcore.framework.exchange.graph_util.",
        "import_graph_def": "tfcore.framework.exchange.importer",
        "io": "tfcore.io.",
        "Module": "tfcore.variables.module",
        "make_template": "tfcore.variables.template",
        "make_ndarray": "tfcore.framework.tensor_proto",
        "make_tensor_proto": "tfcore.framework.tensor_proto",
        **_sparse_names()[1],
        "saved_model": "tfcore.saved_model.",
        "sysconfig": "tfcore.sysconfig.",
        "train": "tfcore.train.",
    },
)

# tf.nn has names of both kinds.
_nn = vars(globals()["nn"])
_nn["__getattr__"], _nn["__dir__"] = _lazy_names(
    _nn,
    {
        **_composed("nn"),
        "bidirectional_dynamic_rnn": "tfcore.rnn",
        "dynamic_rnn": "tfcore.rnn",
        "raw_rnn": "tfcore.rnn",
        "rnn_cell": "tfcore.rnn.rnn_cell.",
        "static_bidirectional_rnn": "tfcore.rnn",
        "static_rnn": "tfcore.rnn",
        "static_state_saving_rnn": "tfcore.rnn",
    },
)

import tfcore.distributed.task.registration  # noqa: E402
