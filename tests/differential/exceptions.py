"""What is known to differ, with reasons. Everything else that differs is a deviation, and a bug.

Three kinds: ops that are not drawn at all, calls that TensorFlow's processor kernels refuse or leave undefined (they are not
drawn), and values that differ because TensorFlow's are less exact or follow another convention.
"""

import numpy as np

from tfcore.testing.arrays import float_limits
from tfcore.testing.oracle import is_float

# ---- Ops that are not drawn

# Besides these: ops whose name begins with "_", which tfcore's compiler makes and no GraphDef has, and those for which
# TensorFlow has no kernel on processors.
NOT_DRAWN = {
    "TopK": "TensorFlow's kernels ask for an attribute that the op has not",
    "PyFunc": "the function lives in the process that made the graph",
    "PyFuncStateless": "the function lives in the process that made the graph",
    "PlaceholderV2": "deprecated: TensorFlow's importer refuses it since GraphDef version 23",
}

# TensorFlow looks at the shapes of these inputs when the graph is built.
# SplitV's shape function takes an axis that it does not know for the last one.
NEEDS_CONSTANTS = {"SplitV"}
# Substr's shape function wants the same dimensions to be known of both positions and lengths.
NEEDS_STATIC_SHAPES = {"SpaceToBatchND", "BatchToSpaceND", "Substr", "Variable", "VariableV2"}

NOT_DIFFERENTIATED = {
    ("SoftmaxCrossEntropyWithLogits", 1): "TensorFlow's gradient of the second output forgets the labels",
    **{
        (f"FusedBatchNorm{version}", i): "TensorFlow's gradient is that of the first output"
        for version in ("", "V2", "V3")
        for i in range(1, 6)
    },
    **{
        (f"FusedBatchNormGrad{version}", i): "TensorFlow takes the reserved inputs for statistics of x"
        for version in ("", "V2", "V3")
        for i in range(5)
    },
}

# Gradients that TensorFlow makes differ where a graph has these ops on these types.
_CONJUGATED = "MulNoNan Xdivy Xlogy Xlog1py SegmentProd UnsortedSegmentProd MatrixDeterminant BatchMatrixDeterminant"
OTHER_GRADIENTS = {
    **dict.fromkeys(_CONJUGATED.split(), ("complex", "TensorFlow forgets to conjugate")),
    **dict.fromkeys(
        ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"),
        (
            "float",
            "TensorFlow takes the reserved inputs for statistics of x, and counts a tensor that is two inputs twice",
        ),
    ),
}

# ---- Calls that TensorFlow does not compute

_REFUSALS = {}


def _refuses(*ops):
    def register(function):
        for op in ops:
            _REFUSALS.setdefault(op, []).append(function)
        return function

    return register


# What holds for these ops holds for those, too, where gradients are needed.
_GRADIENTS = {
    "Conv2D": "Conv2DBackpropInput",
    "FusedBatchNorm": "FusedBatchNormGrad",
    "FusedBatchNormV2": "FusedBatchNormGradV2",
    "FusedBatchNormV3": "FusedBatchNormGradV3",
    "GatherNd": "TensorScatterAdd",
    "DepthToSpace": "SpaceToDepth",
}


def refusal(op_type, values, attrs, differentiated):
    """Why TensorFlow does not compute a call with these inputs (a flat list of arrays), or None.

    differentiated: its gradient is needed, too.
    """
    types = [op_type, _GRADIENTS.get(op_type)] if differentiated else [op_type]
    if differentiated and op_type == "Tile" and values[0].ndim > 4:
        return "its gradient has twice as many dimensions, and tfcore's tensors have at most 8"
    for function in [function for name in types for function in _REFUSALS.get(name, ())]:
        if function(values, attrs):
            return function.__doc__
    return None


@_refuses(
    "AvgPool", "AvgPoolGrad", "MaxPool", "MaxPoolV2", "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad",
    "MaxPoolGradGradV2", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "SpaceToDepth", "DepthToSpace",
)  # fmt: skip
def _channels_first(values, attrs):
    """on processors only channels last"""
    return attrs.get("data_format", "NHWC") != "NHWC"


@_refuses("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _inference_channels_first(values, attrs):
    """without training, gradients of channels-last only"""
    return not attrs.get("is_training", True) and attrs.get("data_format") not in ("NHWC", "NDHWC")


@_refuses("Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
          "DepthwiseConv2dNativeBackpropInput")  # fmt: skip
def _dilated(values, attrs):
    """no dilation in gradients and depthwise convolutions"""
    return any(d != 1 for d in attrs.get("dilations", ()))


@_refuses("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput")
def _unequal_strides(values, attrs):
    """depthwise convolutions with equal strides only"""
    return len({s for s in attrs["strides"] if s != 1} | {1}) > 2 or sorted(attrs["strides"])[2] != max(
        attrs["strides"]
    )


@_refuses("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "FusedBatchNormGrad", "FusedBatchNormGradV2",
          "FusedBatchNormGradV3", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput",
          "SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad",
          "MaxPoolWithArgmax", "MaxPoolGradWithArgmax")  # fmt: skip
def _nothing(values, attrs):
    """of an empty batch outputs are refused or left unwritten"""
    return not values[0].size


_ND_UPDATES = "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin"
_ND_UPDATES += " ScatterNdUpdate ScatterNdAdd ScatterNdSub ScatterNdMin ScatterNdMax"


@_refuses(*_ND_UPDATES.split())
def _single_index(values, attrs):
    """one index (a vector), which the shape function and the kernel read in contradicting ways; nothing empty"""
    return values[1].ndim < 2 or not all(v.size for v in values)


@_refuses("ScatterNd")
def _single_new_index(values, attrs):
    """one index (a vector), which the shape function and the kernel read in contradicting ways; nothing empty"""
    return values[0].ndim < 2 or not all(v.size for v in values)


_SEGMENTS = [
    f"SparseSegment{kind}{end}" for kind in ("Sum", "Mean", "SqrtN") for end in ("", "Grad", "WithNumSegments")
]


@_refuses(*_SEGMENTS)
def _no_segments(values, attrs):
    """without indices the gradient is left unwritten"""
    return not values[1].size


@_refuses("Transpose", "ConjugateTranspose")
def _single_string(values, attrs):
    """of a single string: its process ends"""
    return values[0].dtype.kind == "O" and values[0].ndim < 2


@_refuses("Reverse")
def _nothing_to_reverse(values, attrs):
    """not of something empty"""
    return not values[0].size


@_refuses("Substr")
def _many_dimensions(values, attrs):
    """broadcasts two dimensions at most"""
    text, position, _ = values
    return position.ndim > 0 and text.shape != position.shape and max(text.ndim, position.ndim) > 2


@_refuses("Tile")
def _rare_types(values, attrs):
    """not of these types"""
    return values[0].dtype.name in ("uint16", "uint32", "uint64", "int8")


@_refuses("Where")
def _scalar(values, attrs):
    """not of a scalar, not of half"""
    return values[0].ndim == 0 or values[0].dtype == np.float16


@_refuses("GatherNd")
def _empty_params(values, attrs):
    """not from something empty"""
    return not values[0].size


@_refuses("SplitV")
def _inferred_size(values, attrs):
    """sizes must be stated"""
    return bool(np.any(values[1] < 0))


@_refuses("BiasAdd", "BiasAddGrad")
def _few_dimensions(values, attrs):
    """channels first needs three dimensions"""
    return attrs.get("data_format") == "NCHW" and values[0].ndim < 3


@_refuses(*["SparseApply" + name for name in (
    "Adadelta", "Adagrad", "AdagradV2", "AdagradDA", "CenteredRMSProp", "Ftrl", "FtrlV2", "Momentum", "ProximalAdagrad",
    "ProximalGradientDescent", "RMSProp")])  # fmt: skip
def _empty_rows(values, attrs):
    """rows must have elements"""
    return any(not v.size for v in values)


# ---- Wrong calls that one of the libraries takes

_AXES = "TensorFlow takes axes in a matrix"
_NOTHING = "TensorFlow does not compare the shapes where one is empty"
STRICTER = {
    "AvgPoolGrad": "TensorFlow does not compare the shape of the gradient with that of the image",
    "DepthwiseConv2dNativeBackpropInput": "TensorFlow lets empty filters pass",
    **dict.fromkeys(("MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2"), "TensorFlow takes windows in a matrix"),
    "Conv2D": "TensorFlow does not look at the filter where the batch is empty",
    "Conv2DBackpropInput": "TensorFlow lets empty filters pass",
    "Reverse": "TensorFlow does not look at the axes of a scalar",
    "Gather": "TensorFlow does not look at indices where there is nothing to gather",
    "GatherV2": "TensorFlow does not look at indices where there is nothing to gather",
    "ReverseV2": "TensorFlow does not look at axes where there is nothing to reverse",
    "MatrixTriangularSolve": "TensorFlow 2 lets batches broadcast",
    **dict.fromkeys(("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"), _AXES),
    **dict.fromkeys(("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"), _NOTHING),
}

_UNUSED = "tfcore does not look at statistics that are not used"
MORE_LENIENT = {
    "MirrorPadGrad": "tfcore pads what is empty by nothing",
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"), _UNUSED),
}

# Two things are wrong, and TensorFlow looks at the other one first.
OTHER_ERROR = {
    **dict.fromkeys(
        ("MaxPoolGradV2", "MaxPoolGradGradV2", "MaxPoolV2"), "TensorFlow looks at the batch's stride first"
    ),
}


def excuse(op_type, theirs, ours):
    """Why a wrong call of an op gives `theirs` (a class of errors, or "values") in TensorFlow and `ours` in tfcore, or None."""
    table = STRICTER if theirs == "values" else MORE_LENIENT if ours == "values" else OTHER_ERROR
    return table.get(op_type)


# ---- Values that differ

# TensorFlow's error may be so many times the record's bound. tfcore keeps the record's bound there.
LESS_EXACT = {
    "Elu": {"float32": 1e6, "float64": 1e6, "float16": 1e3, "bfloat16": 1e3},  # exp(x) - 1
    "Selu": {"float32": 1e6, "float64": 1e6, "float16": 1e3, "bfloat16": 1e3},  # exp(x) - 1
    "Log1p": {"complex64": 1e4, "complex128": 1e4},  # log(1 + x)
    "Xlogy": {"complex64": 10, "complex128": 10},
    "Erfinv": {"float32": 1e6, "float64": 1e6},  # through the quantile of the normal distribution
}

_DIFFERENCES = {}


def _differs(*ops):
    def register(function):
        for op in ops:
            _DIFFERENCES.setdefault(op, []).append(function)
        return function

    return register


def explain(op, index, ours, theirs, inputs):
    """Why output `index` of an operation differs without being wrong, or None."""
    if any(_has_subnormals(x) for x in inputs):
        return "TensorFlow takes subnormal numbers for zero"
    for function in _DIFFERENCES.get(op.type, ()):
        if function(op, index, ours, theirs, inputs):
            return function.__doc__
    return None


def _has_subnormals(x):
    parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
    if not is_float(parts[0].dtype):
        return False
    tiny = float_limits(parts[0].dtype)[0]
    return any(bool(np.any((p != 0) & (np.abs(p.astype(np.float64)) < tiny))) for p in parts)


def _is_nan(x):
    return x != x


@_differs("ClipByValue")
def _crossed_limits(op, index, ours, theirs, inputs):
    """where the minimum is above the maximum"""
    _, low, high = inputs
    return bool(np.any(low > high))


@_differs("Relu6Grad", "ReluGrad", "LeakyReluGrad", "EluGrad", "SeluGrad")
def _masked_nan(op, index, ours, theirs, inputs):
    """a gradient that is not finite is multiplied by 0 where the unit is off, and gives NaN; tfcore gives 0"""
    return _only_where(ours, theirs, ~np.isfinite(inputs[0].astype(np.float64)))


@_differs("Round", "Rint")
def _rounded_integers(op, index, ours, theirs, inputs):
    """TensorFlow rounds integers to 0"""
    return inputs[0].dtype.kind in "iu" and np.array_equal(ours, inputs[0])


@_differs("EuclideanNorm")
def _wrapped_norm(op, index, ours, theirs, inputs):
    """squares of integers wrap in TensorFlow, those of half overflow"""
    return inputs[0].dtype.kind in "iu" or _only_where(ours, theirs, np.isinf(theirs.astype(np.float64)))


@_differs("Cast")
def _out_of_range(op, index, ours, theirs, inputs):
    """numbers that the integer type does not hold: undefined"""
    if theirs.dtype.kind not in "iu" or inputs[0].dtype.kind not in "fVc":
        return False
    info, wide = np.iinfo(theirs.dtype), inputs[0].real.astype(np.float64)
    return _only_where(ours, theirs, ~((wide > info.min - 1.0) & (wide < info.max + 1.0)))


@_differs("StringFormat")
def _empty_text(op, index, ours, theirs, inputs):
    """TensorFlow's texts of empty tensors lack brackets"""
    return any(not x.size for x in inputs)


@_differs("Unique", "UniqueWithCounts", "ListDiff")
def _signed_zeros(op, index, ours, theirs, inputs):
    """in half and bfloat16 TensorFlow takes 0 and -0 for two values"""
    if inputs[0].dtype.name not in ("float16", "bfloat16"):
        return False
    x = np.concatenate(inputs).astype(np.float64)
    return len(set(np.signbit(x[x == 0]))) == 2


@_differs("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _unused_reserve(op, index, ours, theirs, inputs):
    """without training TensorFlow leaves the reserved outputs unwritten"""
    return index >= 3 and not op.get_attr("is_training")


@_differs("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _no_outputs(op, index, ours, theirs, inputs):
    """the last two outputs are nothing, in another shape"""
    return index >= 3


@_differs("Erf")
def _infinite(op, index, ours, theirs, inputs):
    """TensorFlow's erf of very large numbers is NaN in float64"""
    return _only_where(ours, theirs, np.abs(inputs[0]) > 1e100)


@_differs("BroadcastGradientArgs")
def _nothing_to_add(op, index, ours, theirs, inputs):
    """axes of size 1 in both are left out: there is nothing to add up"""
    a, b = (x.tolist() for x in inputs)
    rank = max(len(a), len(b))
    full = [[1] * (rank - len(s)) + s for s in (a, b)]
    return set(theirs.tolist()) - set(ours.tolist()) <= {i for i in range(rank) if full[0][i] == full[1][i] == 1}


@_differs("AvgPoolGrad")
def _large_windows(op, index, ours, theirs, inputs):
    """TensorFlow miscounts windows that are larger than the image"""
    height, width = (op.get_attr("ksize")[i] for i in (1, 2))
    return height > inputs[0][1] or width > inputs[0][2]


@_differs("InvGrad", "ReciprocalGrad", "RsqrtGrad", "SqrtGrad", "SquaredDifference", "Inv", "TanhGrad", "SigmoidGrad")
def _half_overflow(op, index, ours, theirs, inputs):
    """products inside overflow or vanish in half"""
    if theirs.dtype != np.float16:
        return False
    with np.errstate(all="ignore"):
        first, last = (np.abs(x.astype(np.float64)) for x in (inputs[0], inputs[-1]))
        lost = [(x < 1e-4) | (x > 6e4) for x in (first * first, first * last, np.abs(theirs.astype(np.float64)))]
    return ours.shape == np.shape(lost[1]) and _only_where(ours, theirs, lost[0] | lost[1] | lost[2])


@_differs("Rsqrt")
def _branch_cut(op, index, ours, theirs, inputs):
    """TensorFlow does not look at the sign of a zero imaginary part on the branch cut"""
    x = inputs[0]
    return x.dtype.kind == "c" and _only_where(ours, theirs, (x.real < 0) & (x.imag == 0))


_EXTREMES = "SegmentMax SegmentMin UnsortedSegmentMax UnsortedSegmentMin TensorScatterMax TensorScatterMin ScatterMax"
_EXTREMES += " ScatterMin ScatterNdMax ScatterNdMin ArgMax ArgMin MaxPool MaxPoolV2 MaxPoolWithArgmax TopKV2 NthElement"


@_differs(*_EXTREMES.split())
def _extreme_of_nan(op, index, ours, theirs, inputs):
    """the largest of values with a NaN depends on their order in TensorFlow"""
    return any(x.dtype.kind in "fV" and bool(np.any(_is_nan(x))) for x in inputs)


def _only_where(ours, theirs, places):
    """Whether values differ by more than rounding only in these places."""
    if ours.shape != theirs.shape:
        return False
    same = (ours == theirs) | (_is_nan(ours) & _is_nan(theirs))
    if ours.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            same |= np.abs(ours - theirs) <= 8 * np.finfo(ours.dtype).eps * np.abs(theirs)
    return bool(np.all(same | np.broadcast_to(places, ours.shape)))
