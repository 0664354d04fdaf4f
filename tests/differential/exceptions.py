"""What is known to differ, with reasons. Everything else that differs is a deviation, and a bug.

Three kinds: ops that are not drawn at all, calls that TensorFlow's processor kernels reject or leave undefined (not
drawn), and values that differ because TensorFlow's are less exact or follow another convention.
"""

import re

import numpy as np

from tfcore.framework.definitions.op_def import registered_ops
from tfcore.testing.arrays import float_limits
from tfcore.testing.oracle import is_float

# ---- Ops that are not drawn

# Besides these: ops whose name begins with "_", which tfcore's compiler makes and no GraphDef has, and those for which
# TensorFlow has no kernel on processors.
NOT_DRAWN = {
    **dict.fromkeys(["TileGrad", "TopK"], "TensorFlow's kernels ask for an attribute that the op has not"),
    "PyFunc": "the function lives in the process that made the graph",
    "PyFuncStateless": "the function lives in the process that made the graph",
    **dict.fromkeys(
        ["Group" + kind for kind in ("Allgather", "Allreduce", "Barrier", "Broadcast", "ReduceScatter")],
        "between tasks; TensorFlow has no such ops",
    ),
    **dict.fromkeys(
        "Case If PartitionedCall StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile SymbolicGradient "
        "While".split(),
        "functions: see test_functions.py",
    ),
    **dict.fromkeys(
        "ControlTrigger LoopCond".split()
        + [ref + op for ref in ("", "Ref") for op in "Enter Exit Merge NextIteration Switch".split()]
        + [op.name for op in registered_ops() if re.fullmatch("(Stack|TensorArray).*", op.name)],
        "loops, conditionals and what they keep: see test_control_flow.py",
    ),
    "PlaceholderV2": "deprecated: TensorFlow's importer refuses it since GraphDef version 23",
}

# TensorFlow looks at the shapes of these inputs when the graph is built.
# SplitV's shape function takes an axis that it does not know for the last one.
# MatrixDiag's takes sizes that it does not know for -1, MatrixSetDiag's (which is MatrixDiagPart's gradient) a band
# that it does not know for one diagonal.
_DIAGONALS = {f"Matrix{kind}{version}" for kind in ("Diag", "DiagPart", "SetDiag") for version in ("V2", "V3")}
NEEDS_CONSTANTS = {"SplitV", *_DIAGONALS}
# Substr's shape function wants the same dimensions to be known of both positions and lengths. The gradient of
# MatrixSetDiag has a conditional otherwise.
NEEDS_STATIC_SHAPES = {"SpaceToBatchND", "BatchToSpaceND", "Substr", "Variable", "VariableV2", *_DIAGONALS}
# RandomIndexShuffle's takes a size of the seed that it does not know for -1.
NEEDS_STATIC_SHAPES.add("RandomIndexShuffle")
# That of patches of volumes has four dimensions if it does not know all sizes; gradients of both need them, too.
NEEDS_STATIC_SHAPES |= {"ExtractImagePatches", "ExtractVolumePatches"}

NOT_DIFFERENTIATED = {
    ("SoftmaxCrossEntropyWithLogits", 1): "TensorFlow's gradient of the second output forgets the labels",
    ("SparseToDense", 0): "TensorFlow's gradient serves only indices in a matrix with a value for each",
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
_CONJUGATED += " Cumprod"
OTHER_GRADIENTS = {
    **dict.fromkeys(_CONJUGATED.split(), ("complex", "TensorFlow forgets to conjugate")),
    "EuclideanNorm": ("complex", "TensorFlow lets the imaginary part of the gradient of a norm flow back"),
    **dict.fromkeys(
        ("MatrixDiagV2", "MatrixDiagPartV2", "MatrixSetDiagV2"),
        ("", "TensorFlow pads the diagonals of the second version's gradients as those of the third"),
    ),
    **dict.fromkeys(
        [f"{kind}RFFT{axes}" for kind in ("", "I") for axes in ("", "2D", "3D")],
        ("", "TensorFlow takes the input's sizes for the lengths of the transform: elements that are cut flow back"),
    ),
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
    "Conv3D": "Conv3DBackpropInputV2",
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
    if differentiated and op_type == "Tile" and values[0].ndim > 10:
        return "its gradient has twice as many dimensions, and tfcore's tensors have at most 20"
    for function in [function for name in types for function in _REFUSALS.get(name, ())]:
        if function(values, attrs):
            return function.__doc__
    return None


@_refuses(
    "AvgPool", "AvgPoolGrad", "MaxPool", "MaxPoolV2", "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad",
    "MaxPoolGradGradV2", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "SpaceToDepth", "DepthToSpace",
    "AvgPool3D", "AvgPool3DGrad", "MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad", "Conv3D",
    "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2",
)  # fmt: skip
def _channels_first(values, attrs):
    """on processors only channels last"""
    return attrs.get("data_format", "NHWC") not in ("NHWC", "NDHWC")


@_refuses("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _inference_channels_first(values, attrs):
    """without training, gradients of channels-last only"""
    return not attrs.get("is_training", True) and attrs.get("data_format") not in ("NHWC", "NDHWC")


@_refuses("Conv2DBackpropFilter", "Conv2DBackpropInput", "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter",
          "DepthwiseConv2dNativeBackpropInput", "Conv3DBackpropFilter", "Conv3DBackpropFilterV2",
          "Conv3DBackpropInput", "Conv3DBackpropInputV2")  # fmt: skip
def _dilated(values, attrs):
    """no dilation in gradients and depthwise convolutions"""
    return any(d != 1 for d in attrs.get("dilations", ()))


@_refuses("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput")
def _unequal_strides(values, attrs):
    """depthwise convolutions with equal strides only"""
    return len({s for s in attrs["strides"] if s != 1} | {1}) > 2 or sorted(attrs["strides"])[2] != max(
        attrs["strides"]
    )


@_refuses("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
def _ranges_of_slices(values, attrs):
    """its kernel wants one range for all slices, and its shape function one for each"""
    return attrs["range_given"] and attrs["axis"] >= 0


@_refuses("FusedPadConv2D", "FusedResizeAndPadConv2D")
def _several_images(values, attrs):
    """it takes the first image for all of a batch"""
    return len(values[0]) > 1


@_refuses("DenseCountSparseOutput")
def _no_weights_of_a_matrix(values, attrs):
    """its shape function wants weights of the rank of the values, even if there are none"""
    return values[0].ndim != values[1].ndim


@_refuses("TridiagonalSolve")
def _no_right_sides(values, attrs):
    """its kernel ends the process if there are no right-hand sides"""
    return values[1].size == 0


@_refuses("QuantizeAndDequantizeV3")
def _scalar(values, attrs):
    """no scalars: the axis -1 is compared with the number of dimensions"""
    return not values[0].ndim


@_refuses("FractionalMaxPoolGrad")
def _more_borders_than_pixels(values, attrs):
    """borders of regions are counted, where regions should be, and there must not be more of them than pixels"""
    return values[3].size * values[4].size > values[0].size


@_refuses("Conv3D")
def _unequal_dilations(values, attrs):
    """of volumes equal dilations only: elsewhere the shape function and the kernel exchange them"""
    return len(set(attrs["dilations"][1:4])) > 1


@_refuses("Conv3D")
def _dilated_volumes(values, attrs):
    """of volumes dilations on processors only where oneDNN has the type: float32 and bfloat16"""
    return max(attrs["dilations"]) > 1 and values[0].dtype.name not in ("float32", "bfloat16")


@_refuses("Conv3D", "MaxPool3D", "AvgPool3D")
def _windows_that_leave_elements_out(values, attrs):
    """windows with "SAME" padding that do not reach the ends: it cuts the ends off, and its gradients do not"""
    return _leave_elements_out(values[0].shape, attrs.get("ksize", (1, *values[-1].shape)), attrs)


@_refuses("Conv3DBackpropInputV2", "AvgPool3DGrad")
def _gradients_of_windows_that_leave_elements_out(values, attrs):
    """the gradients of these gradients, which are convolutions and pools with such windows"""
    return _leave_elements_out(values[0], attrs.get("ksize", (1, *values[1].shape)), attrs)


def _leave_elements_out(sizes, window, attrs):
    along = zip(sizes[1:4], window[1:4], attrs["strides"][1:4])
    return attrs["padding"] == "SAME" and any((size - 1) // stride * stride + w < size for size, w, stride in along)


@_refuses("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "FusedBatchNormGrad", "FusedBatchNormGradV2",
          "FusedBatchNormGradV3", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput",
          "SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad",
          "MaxPoolWithArgmax", "MaxPoolGradWithArgmax", "MaxPool3DGradGrad")  # fmt: skip
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


@_refuses("SparseSoftmax")
def _out_of_order(values, attrs):
    """indices must be in order: the results are in the order of the sorted ones, whatever the order of the values"""
    indices = values[0].tolist()
    return indices != sorted(indices)


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

_STRICTER, _MORE_LENIENT, _OTHER_ERROR = {}, {}, {}


def _if_wrong(table, *ops):
    """When, with these values and attributes, the libraries treat a wrong call differently; the docstring says why."""

    def register(function):
        table.update(dict.fromkeys(ops, function))
        return function

    return register


def excuse(op_type, values, attrs, theirs, ours):
    """Why a wrong call gives `theirs` (a class of errors, or "values") in TensorFlow and `ours` in tfcore, or None."""
    table = _STRICTER if theirs == "values" else _MORE_LENIENT if ours == "values" else _OTHER_ERROR
    function = table.get(op_type)
    return function.__doc__ if function is not None and function(values, attrs) else None


@_if_wrong(_STRICTER, "AvgPoolGrad")
def _other_gradient(values, attrs):
    """TensorFlow does not compare the shape of the gradient with that of the image"""
    image, gradient = values[0].tolist(), values[1].shape
    sides = [
        -(-size // stride) if attrs["padding"] == "SAME" else (size - window) // stride + 1
        for size, window, stride in zip(image[1:3], attrs["ksize"][1:3], attrs["strides"][1:3], strict=False)
    ]
    return list(gradient) != [*image[:1], *sides, *image[3:]]


@_if_wrong(_STRICTER, "DepthwiseConv2dNativeBackpropInput", "Conv2DBackpropInput")
def _empty_filter(values, attrs):
    """TensorFlow lets empty filters pass"""
    return not values[1].size


@_if_wrong(_STRICTER, "FusedPadConv2D", "FusedResizeAndPadConv2D")
def _last_filter_is_empty(values, attrs):
    """TensorFlow lets empty filters pass"""
    return not values[-1].size


@_if_wrong(_STRICTER, "MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2")
def _windows_in_a_matrix(values, attrs):
    """TensorFlow takes windows in a matrix, and any stride of depth beside a window of 1"""
    if any(v.ndim != 1 for v in values[-2:]):
        return True
    window, stride = (v.tolist() for v in values[-2:])
    return len(window) == len(stride) == 4 and min(*window, *stride[:3]) > 0 and window[3] == 1


@_if_wrong(_STRICTER, "Conv2D")
def _empty_batch(values, attrs):
    """TensorFlow does not look at the filter where the batch is empty"""
    return not len(values[0])


@_if_wrong(_STRICTER, "MaxPoolGradWithArgmax")
def _places_in_another_image(values, attrs):
    """TensorFlow lets the places of one image lie in another"""
    image, _, places = values
    if attrs.get("include_batch_in_index") or len(image) != len(places):
        return False
    places = places + np.arange(len(image))[:, None, None, None] * image[0].size
    return bool(np.all((places >= 0) & (places < image.size)))


@_if_wrong(_STRICTER, "FractionalMaxPoolGrad")
def _unlike_the_output(values, attrs):
    """TensorFlow does not compare the shapes of the output and its gradient, nor counts regions"""
    image, out, grad, *axes = values
    fit = all(
        len(axis) == n + 1 and axis[0] >= 0 and np.all(np.diff(axis) > 0) for axis, n in zip(axes, out.shape[1:3])
    )
    return out.shape != grad.shape or out.shape[::3] != image.shape[::3] or not fit


@_if_wrong(_STRICTER, "FractionalAvgPoolGrad")
def _unlike_the_input(values, attrs):
    """TensorFlow does not compare the gradient's batch and depth with the input's, and reads no more than it needs"""
    shape, grad = values[0].tolist(), values[1].shape
    return len(shape) == len(grad) == 4 and (shape[0] != grad[0] or shape[3] != grad[3])


@_if_wrong(_STRICTER, "Reverse")
def _axes_of_a_scalar(values, attrs):
    """TensorFlow does not look at the axes of a scalar"""
    return not values[0].ndim


@_if_wrong(_STRICTER, "Gather", "GatherV2")
def _nothing_to_gather(values, attrs):
    """TensorFlow does not look at indices where there is nothing to gather"""
    return not values[0].size


@_if_wrong(_STRICTER, "ReverseV2")
def _nothing_to_reverse_along(values, attrs):
    """TensorFlow does not look at axes where there is nothing to reverse"""
    return not values[0].size or not values[0].ndim


@_if_wrong(_STRICTER, "MatrixTriangularSolve")
def _other_batches(values, attrs):
    """TensorFlow 2 lets batches broadcast"""
    return values[0].shape[:-2] != values[1].shape[:-2]


@_if_wrong(_STRICTER, "All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
def _axes_in_a_matrix(values, attrs):
    """TensorFlow takes axes in a matrix"""
    return values[1].ndim > 1


@_if_wrong(_STRICTER, "InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad")
def _as_many_elements(values, attrs):
    """TensorFlow does not compare the shapes where the numbers of elements are the same"""
    return values[0].size == values[1].size and values[0].shape != values[1].shape


@_if_wrong(_MORE_LENIENT, "MirrorPadGrad")
def _padded_nothing(values, attrs):
    """tfcore pads what is empty by nothing"""
    return not values[0].size


@_if_wrong(_MORE_LENIENT, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _unused_statistics(values, attrs):
    """tfcore does not look at statistics that are not used"""
    return attrs.get("is_training", True)


@_if_wrong(_OTHER_ERROR, "MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2")
def _two_faults(values, attrs):
    """two things are wrong, and TensorFlow looks at the batch's stride first"""
    return any(v.shape != (4,) or min(v.tolist()) < 1 or v[0] != 1 for v in values[-2:])


@_if_wrong(_OTHER_ERROR, "MirrorPadGrad")
def _six_dimensions(values, attrs):
    """TensorFlow first refuses more than five dimensions, which tfcore pads"""
    return values[0].ndim > 5


# ---- Values that differ

# TensorFlow's error may be so many times the record's bound. tfcore keeps the record's bound there.
LESS_EXACT = {
    "Elu": {"float32": 1e6, "float64": 1e6, "float16": 1e3, "bfloat16": 1e3},  # exp(x) - 1
    "Selu": {"float32": 1e6, "float64": 1e6, "float16": 1e3, "bfloat16": 1e3},  # exp(x) - 1
    "Conv2DBackpropFilter": {"float32": 4},
    "Log1p": {"complex64": 1e4, "complex128": 1e4},  # log(1 + x)
    "Xlog1py": {"complex64": 1e4, "complex128": 1e4},  # log(1 + y)
    "Xlogy": {"complex64": 10, "complex128": 10},
    "Erfinv": {"float32": 1e6, "float64": 1e6},  # through the quantile of the normal distribution
    # with weights in single precision
    **dict.fromkeys(["ResizeBilinearGrad", "ResizeBicubicGrad", "CropAndResizeGradImage"], {"float64": 1e8}),
    "RandomGammaGrad": {"float32": 1e6, "float64": 16},  # far out it becomes 0
    "SoftplusGrad": {"bfloat16": 4},
    "CTCBeamSearchDecoder": {"float64": 1e8},  # sums of logarithms in single precision
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
    for function in _DIFFERENCES.get(op.type, ()):
        if function(op, index, ours, theirs, inputs):
            return function.__doc__
    return None


FLUSHED = "TensorFlow takes subnormal numbers for zero"


def flushed(inputs):
    """The inputs as TensorFlow sees them, with zeros for subnormal numbers; None where they have none."""
    result = [_without_subnormals(x) for x in inputs]
    return result if any(new is not old for new, old in zip(result, inputs)) else None


def _without_subnormals(x):
    if x.dtype.kind == "c":
        parts = [_without_subnormals(np.array(p)) for p in (x.real, x.imag)]
        new = (parts[0] + 1j * parts[1]).astype(x.dtype)
        return x if np.array_equal(new, x, equal_nan=True) else new
    if not is_float(x.dtype):
        return x
    small = (x != 0) & (np.abs(x.astype(np.float64)) < float_limits(x.dtype)[0])
    return np.where(small, np.zeros_like(x), x) if np.any(small) else x


def _is_nan(x):
    return x != x


@_differs("Relu6Grad", "ReluGrad", "LeakyReluGrad", "EluGrad", "SeluGrad")
def _masked_nan(op, index, ours, theirs, inputs):
    """a gradient that is not finite is multiplied by 0 where the unit is off, and gives NaN; tfcore gives 0"""
    off = ~np.isfinite(inputs[0].astype(np.float64)) & _is_nan(theirs) & (ours == 0)
    return _only_where(ours, theirs, off)


@_differs("Round", "Rint")
def _rounded_integers(op, index, ours, theirs, inputs):
    """TensorFlow rounds integers to 0"""
    return inputs[0].dtype.kind in "iu" and np.array_equal(ours, inputs[0]) and not np.any(theirs)


@_differs("EuclideanNorm")
def _wrapped_norm(op, index, ours, theirs, inputs):
    """squares of integers wrap in TensorFlow, those of half overflow"""
    x, axes = inputs
    if x.dtype.kind not in "iu":
        return x.dtype == np.float16 and _only_where(ours, theirs, np.isinf(theirs))
    squares = np.sum(np.square(x.astype(np.float64)), tuple(axes.flat), keepdims=op.get_attr("keep_dims"))
    return _only_where(ours, theirs, squares > np.iinfo(x.dtype).max)


@_differs("Erfinv")
def _quantile_near_half(op, index, ours, theirs, inputs):
    """the quantile that TensorFlow goes through is that of (1 + x) / 2: its error is absolute, not relative"""
    error = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    return _only_where(ours, theirs, error <= 4 * np.finfo(ours.dtype).eps)


@_differs("HistogramFixedWidth")
def _far_above_the_range(op, index, ours, theirs, inputs):
    """numbers so far above the range that their place is no int32 are counted in the first bin by TensorFlow"""
    x, (low, high), bins = (v.astype(np.float64) for v in inputs)
    far = np.count_nonzero((x - low) / (high - low) * bins >= 2**31)
    moved = ours.copy()
    moved[0] += far
    moved[-1] -= far
    return far > 0 and np.array_equal(moved, theirs)


@_differs("CTCLoss")
def _single_precision(op, index, ours, theirs, inputs):
    """TensorFlow's sums of logarithms have single precision for float64, too"""
    error = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    return ours.dtype == np.float64 and _only_where(ours, theirs, error <= 1e-5 * np.maximum(1, np.abs(ours)))


@_differs("Mean")
def _overflowing_sum(op, index, ours, theirs, inputs):
    """the sum of halves overflows in TensorFlow, where their mean is a number"""
    return inputs[0].dtype == np.float16 and _only_where(ours, theirs, np.isinf(theirs))


@_differs("Cast")
def _out_of_range(op, index, ours, theirs, inputs):
    """numbers that the integer type does not hold: undefined"""
    if theirs.dtype.kind not in "iu" or inputs[0].dtype.kind not in "fVc":
        return False
    info, wide = np.iinfo(theirs.dtype), inputs[0].real.astype(np.float64)
    return _only_where(ours, theirs, ~((wide > info.min - 1.0) & (wide < info.max + 1.0)))


@_differs("StringFormat")
def _no_booleans(op, index, ours, theirs, inputs):
    """TensorFlow's text of a tensor without booleans lacks brackets"""
    pairs = zip(ours.item().split(b"|"), theirs.item().split(b"|"), inputs, strict=True)
    return all(a == b or (not b and x.dtype == bool and not x.size) for a, b, x in pairs)


@_differs("Unique", "UniqueWithCounts", "ListDiff")
def _signed_zeros(op, index, ours, theirs, inputs):
    """in half and bfloat16 TensorFlow takes 0 and -0 for two values"""
    if inputs[0].dtype.name not in ("float16", "bfloat16"):
        return False
    keys, *others = ([v.tobytes() if v == v else object() for v in x] for x in inputs)
    if others:
        places = [i for i, key in enumerate(keys) if key not in others[0]]
        wanted = [inputs[0][places], places]
    else:
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        order = [number[key] for key in keys]
        wanted = [inputs[0][[keys.index(key) for key in number]], order, np.bincount(order)]
    return _only_where(np.asarray(wanted[index], theirs.dtype), theirs, False)


def is_unwritten(op, index):
    """Whether TensorFlow leaves an output of an operation unwritten, with other values in each step."""
    return op.type in _WITH_RESERVE and index in (3, 4) and not op.get_attr("is_training")


_WITH_RESERVE = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")


@_differs(*_WITH_RESERVE)
def _unused_reserve(op, index, ours, theirs, inputs):
    """without training TensorFlow leaves the reserved outputs unwritten"""
    return is_unwritten(op, index)


@_differs("Erf")
def _infinite(op, index, ours, theirs, inputs):
    """TensorFlow's erf of very large numbers is NaN in float64"""
    return _only_where(ours, theirs, (np.abs(inputs[0]) > 1e100) & _is_nan(theirs))


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


@_differs("SoftplusGrad")
def _overflowing_exponential(op, index, ours, theirs, inputs):
    """the exponential of a feature overflows in half, and the gradient becomes 0"""
    return theirs.dtype == np.float16 and _only_where(ours, theirs, (inputs[1] < -11) & (theirs == 0))


@_differs("Rsqrt")
def _branch_cut(op, index, ours, theirs, inputs):
    """TensorFlow does not look at the sign of a zero imaginary part on the branch cut"""
    x = inputs[0]
    return x.dtype.kind == "c" and _only_where(ours, theirs, (x.real < 0) & (x.imag == 0))


_EXTREMES = "SegmentMax SegmentMin UnsortedSegmentMax UnsortedSegmentMin TensorScatterMax TensorScatterMin ScatterMax"
_EXTREMES += " ScatterMin ScatterNdMax ScatterNdMin MaxPool MaxPoolV2 MaxPoolWithArgmax"


@_differs(*_EXTREMES.split())
def _extreme_of_nan(op, index, ours, theirs, inputs):
    """the largest of values with a NaN depends on their order in TensorFlow"""
    if index == 1:  # places of extremes
        return bool(np.any(_is_nan(inputs[0])))
    return _only_where(ours, theirs, _is_nan(ours))


@_differs("ArgMax", "ArgMin", "TopKV2", "NthElement")
def _order_of_nan(op, index, ours, theirs, inputs):
    """the order of values with a NaN depends on where it is in TensorFlow"""
    axis = int(inputs[1]) if op.type.startswith("Arg") else -1
    return _only_where(ours, theirs, np.any(_is_nan(inputs[0]), axis, keepdims=op.type == "TopKV2"))


def _only_where(ours, theirs, places):
    """Whether values differ by more than rounding only in these places."""
    if ours.shape != theirs.shape:
        return False
    same = (ours == theirs) | (_is_nan(ours) & _is_nan(theirs))
    with np.errstate(all="ignore"):
        if is_float(ours.dtype):  # as bounds do: infinity is as good as the largest number, a subnormal one as zero
            tiny, _, largest = float_limits(ours.dtype)
            ours, theirs = (np.clip(x.astype(np.float64), -largest, largest).astype(x.dtype) for x in (ours, theirs))
            same |= np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) <= tiny
        if ours.dtype.kind in "fc":
            same |= np.abs(ours - theirs) <= 8 * np.finfo(ours.dtype).eps * np.abs(theirs)
    return bool(np.all(same | np.broadcast_to(places, ours.shape)))
