"""Matrix products, convolutions, pools, normalization."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.onnx.elementwise import number
from tfcore.onnx.registry import converter

# ---- Matrix products


def _transposed(model, tensor, is_transposed, op):
    """The value of a tensor, with the last two dimensions exchanged if that is wanted."""
    if not is_transposed:
        return model.value(tensor)
    rank = model.rank(tensor, op)
    if model.is_static(tensor):
        index = list(op.inputs).index(tensor)
        return model.constant(np.ascontiguousarray(np.swapaxes(model.static(op, index), -1, -2)))
    return model.node("Transpose", [model.value(tensor)], op, perm=[*range(rank - 2), rank - 1, rank - 2])


@converter("MatMul")
def _matmul(model, op):
    flags = [op.get_attr("transpose_a"), op.get_attr("transpose_b")]
    given = [_transposed(model, tensor, flag, op) for tensor, flag in zip(op.inputs, flags)]
    model.set(op.outputs[0], model.node("MatMul", given, op))


@converter("BatchMatMul", "BatchMatMulV2")
def _batch_matmul(model, op):
    flags = [op.get_attr("adj_x"), op.get_attr("adj_y")]
    given = [_transposed(model, tensor, flag, op) for tensor, flag in zip(op.inputs, flags)]
    model.set(op.outputs[0], model.node("MatMul", given, op))


# ---- Layouts


def _is_channels_last(model, op):
    layout = op.get_attr("data_format")
    if layout not in (b"NHWC", b"NCHW"):
        raise model.unsupported(op, f"its data format is {layout.decode()}")
    return layout == b"NHWC"


def _input(model, op):
    """The value of the input with the channels first."""
    x = op.inputs[0]
    return model.channels_first(x) if _is_channels_last(model, op) else model.value(x)


def _set_output(model, op, name, index=0):
    if _is_channels_last(model, op):
        model.set_channels_first(op.outputs[index], name)
    else:
        model.set(op.outputs[index], name)


def _spatial(model, op, values):
    """The entries for height and width of an attribute with four."""
    return list(values[1:3]) if _is_channels_last(model, op) else list(values[2:4])


def _spatial_sizes(model, op, tensor):
    dims = tensor.get_shape().dims
    return [None, None] if dims is None else [d.value for d in _spatial(model, op, dims)]


# ---- Convolutions


def _pads(model, op, sizes, kernel, strides, dilations):
    """The attributes of padding: the numbers before and after, or SAME_UPPER where they depend on sizes."""
    padding = op.get_attr("padding")
    if padding == b"VALID":
        return {}
    if padding == b"EXPLICIT":
        numbers = op.get_attr("explicit_paddings")
        pairs = _spatial(model, op, [numbers[i : i + 2] for i in range(0, 8, 2)])
        return {"pads": [pair[side] for side in (0, 1) for pair in pairs]}
    totals = []
    for size, extent, stride, dilation in zip(sizes, kernel, strides, dilations):
        reach = (extent - 1) * dilation + 1
        if stride == 1 or reach == 1:
            totals.append(reach - 1)
        elif size is None:
            if max(dilations) > 1 or any(e < s for e, s in zip(kernel, strides)):  # runtimes refuse to choose these
                raise model.unsupported(op, "its padding depends on the height and width, which are unknown")
            return {"auto_pad": "SAME_UPPER"}
        else:
            totals.append(max((-(-size // stride) - 1) * stride + reach - size, 0))
    return {"pads": [t // 2 for t in totals] + [t - t // 2 for t in totals]}


def _filter(model, op, perm, shape=None):
    """The filter in ONNX's order."""
    tensor = op.inputs[1]
    if model.is_static(tensor):
        value = model.static(op, 1).transpose(perm)
        return model.constant(np.ascontiguousarray(value if shape is None else value.reshape(shape)))
    name = model.node("Transpose", [model.value(tensor)], op, perm=perm)
    return name if shape is None else model.node("Reshape", [name, model.int64(shape)], op)


def _filter_shape(model, op):
    shape = op.inputs[1].get_shape()
    if not shape.is_fully_defined():
        raise model.unsupported(op, "the shape of its filter is unknown")
    return shape.as_list()


def _conv(model, op, weights, kernel, group):
    strides = _spatial(model, op, op.get_attr("strides"))
    dilations = _spatial(model, op, op.get_attr("dilations"))
    pads = _pads(model, op, _spatial_sizes(model, op, op.inputs[0]), kernel, strides, dilations)
    given = [_input(model, op), weights]
    name = model.node("Conv", given, op, kernel_shape=kernel, strides=strides, dilations=dilations, group=group, **pads)
    _set_output(model, op, name)


@converter("Conv2D")
def _conv_2d(model, op):
    height, width, depth, _ = _filter_shape(model, op)
    channels = op.inputs[0].get_shape()[-1 if _is_channels_last(model, op) else 1].value
    if channels is None:
        raise model.unsupported(op, "the number of channels is unknown")
    _conv(model, op, _filter(model, op, (3, 2, 0, 1)), [height, width], channels // depth)


@converter("DepthwiseConv2dNative")
def _depthwise_conv_2d(model, op):
    height, width, channels, multiplier = _filter_shape(model, op)
    weights = _filter(model, op, (2, 3, 0, 1), [channels * multiplier, 1, height, width])
    _conv(model, op, weights, [height, width], channels)


@converter("Conv2DBackpropInput")
def _conv_2d_transpose(model, op):
    """The gradient of a convolution, as a layer of its own: ONNX derives the output's size from the padding."""
    _, filters, x = op.inputs
    if _is_channels_last(model, op):
        given = model.channels_first(x)
    else:
        given = model.value(x)
    height, width, depth, _ = _filter_shape(model, op)
    channels = op.outputs[0].get_shape()[-1 if _is_channels_last(model, op) else 1].value
    if channels is None:
        raise model.unsupported(op, "the number of channels of its output is unknown")
    kernel = [height, width]
    strides = _spatial(model, op, op.get_attr("strides"))
    dilations = _spatial(model, op, op.get_attr("dilations"))
    sizes = _spatial_sizes(model, op, op.outputs[0])
    small = _spatial_sizes(model, op, x)
    if None in sizes or None in small:
        raise model.unsupported(op, "the height and width of its output are unknown")
    pads = _pads(model, op, sizes, kernel, strides, dilations).get("pads", [0] * 4)
    extra = []
    for i in (0, 1):
        full = (small[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - pads[i] - pads[i + 2]
        extra.append(sizes[i] - full)
    attributes = {"strides": strides, "dilations": dilations, "pads": pads, "output_padding": extra}
    attributes.update(kernel_shape=kernel, group=channels // depth)
    weights = _filter(model, op, (3, 2, 0, 1))
    _set_output(model, op, model.node("ConvTranspose", [given, weights], op, **attributes))


@converter("BiasAdd")
def _bias_add(model, op):
    x, bias = op.inputs
    if op.get_attr("data_format") == b"NCHW" and (rank := model.rank(x, op)) > 2:
        b = model.node("Unsqueeze", [model.value(bias), model.int64(np.arange(1, rank - 1))], op)
        model.set(op.outputs[0], model.node("Add", [model.value(x), b], op))
    elif model.is_channels_first(x):
        b = _column(model, op, bias)
        model.set_channels_first(op.outputs[0], model.node("Add", [model.channels_first(x), b], op))
    else:
        model.set(op.outputs[0], model.node("Add", model.values((x, bias)), op))


def _column(model, op, bias):
    """A vector for channels that come before height and width."""
    if model.is_static(bias):
        return model.constant(model.static(op, 1).reshape(-1, 1, 1))
    return model.node("Unsqueeze", [model.value(bias), model.int64([1, 2])], op)


# ---- Pools


@converter("MaxPool", "AvgPool")
def _pool(model, op):
    if len(op.get_attr("ksize")) != 4 or any(
        op.get_attr(key)[i] != 1 for key in ("ksize", "strides") for i in _others(model, op)
    ):
        raise model.unsupported(op, "it pools over examples or channels")
    kernel, strides = (_spatial(model, op, op.get_attr(key)) for key in ("ksize", "strides"))
    pads = _pads(model, op, _spatial_sizes(model, op, op.inputs[0]), kernel, strides, (1, 1))
    name = "MaxPool" if op.type == "MaxPool" else "AveragePool"
    _set_output(model, op, model.node(name, [_input(model, op)], op, kernel_shape=kernel, strides=strides, **pads))


def _others(model, op):
    return (0, 3) if _is_channels_last(model, op) else (0, 1)


# ---- Normalization


@converter("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(model, op):
    if op.get_attr("is_training"):
        raise model.unsupported(op, "it normalizes by the batch, as in training; build the graph for inference")
    given = [_input(model, op), *model.values(op.inputs[1:5])]
    name = model.node("BatchNormalization", given, op, epsilon=float(op.get_attr("epsilon")))
    _set_output(model, op, name)
    for i in (1, 2):
        model.set(op.outputs[i], model.value(op.inputs[2 + i]))


@converter("LRN")
def _lrn(model, op):
    size = 2 * op.get_attr("depth_radius") + 1
    attributes = {"alpha": op.get_attr("alpha") * size, "beta": op.get_attr("beta"), "bias": op.get_attr("bias")}
    attributes = {key: float(value) for key, value in attributes.items()}
    name = model.node("LRN", [model.channels_first(op.inputs[0])], op, size=size, **attributes)
    model.set_channels_first(op.outputs[0], name)


@converter("Softmax", "LogSoftmax")
def _softmax(model, op):
    model.set(op.outputs[0], model.node(op.type, [model.value(op.inputs[0])], op, axis=-1))


@converter("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy(model, op):
    logits, labels = model.values(op.inputs)
    logs = model.node("LogSoftmax", [logits], op, axis=-1)
    loss = model.node("ReduceSum", [model.node("Mul", [labels, logs], op), model.int64([-1])], op, keepdims=0)
    model.set(op.outputs[0], model.node("Neg", [loss], op))
    difference = model.node("Sub", [model.node("Softmax", [logits], op, axis=-1), labels], op)
    model.set(op.outputs[1], difference)


# ---- Channels and space


@converter("DepthToSpace", "SpaceToDepth")
def _depth_and_space(model, op):
    name = model.node(op.type, [_input(model, op)], op, blocksize=int(op.get_attr("block_size")))
    _set_output(model, op, name)


def _blocks(model, op):
    """The block sizes, the numbers to add or remove at both ends, and all static sizes but the first."""
    sizes = op.inputs[0].get_shape()
    if sizes.ndims is None or not sizes[1:].is_fully_defined():
        raise model.unsupported(op, "the sizes of its input are unknown")
    return model.static(op, 1).tolist(), model.static(op, 2).tolist(), sizes[1:].as_list()


@converter("SpaceToBatchND")
def _space_to_batch(model, op):
    """Pads, cuts each dimension into blocks, and moves the places inside of blocks to the front."""
    blocks, paddings, sizes = _blocks(model, op)
    count, rank = len(blocks), len(sizes) + 1
    pads = [[0, 0], *paddings, *[[0, 0]] * (rank - 1 - count)]
    x = model.node("Pad", [model.value(op.inputs[0]), model.int64(np.transpose(pads).reshape(-1))], op)
    cut = [(size + sum(pad)) // block for size, pad, block in zip(sizes, paddings, blocks)]
    rest = sizes[count:]
    x = model.node("Reshape", [x, model.int64([0, *(n for pair in zip(cut, blocks) for n in pair), *rest])], op)
    inside, outside = [2 + 2 * i for i in range(count)], [1 + 2 * i for i in range(count)]
    last = range(1 + 2 * count, 1 + 2 * count + len(rest))
    x = model.node("Transpose", [x], op, perm=[*inside, 0, *outside, *last])
    model.set(op.outputs[0], model.node("Reshape", [x, model.int64([-1, *cut, *rest])], op))


@converter("BatchToSpaceND")
def _batch_to_space(model, op):
    """The reverse: moves the places inside of blocks back, and crops."""
    blocks, crops, sizes = _blocks(model, op)
    count, cut, rest = len(blocks), sizes[: len(blocks)], sizes[len(blocks) :]
    x = model.node("Reshape", [model.value(op.inputs[0]), model.int64([*blocks, -1, *sizes])], op)
    pairs = [place for i in range(count) for place in (count + 1 + i, i)]
    x = model.node("Transpose", [x], op, perm=[count, *pairs, *range(2 * count + 1, 2 * count + 1 + len(rest))])
    whole = [size * block for size, block in zip(cut, blocks)]
    x = model.node("Reshape", [x, model.int64([-1, *whole, *rest])], op)
    starts, ends = [crop[0] for crop in crops], [size - crop[1] for size, crop in zip(whole, crops)]
    given = [model.int64(starts), model.int64(ends), model.int64(np.arange(1, count + 1))]
    model.set(op.outputs[0], model.node("Slice", [x, *given], op))


@converter("InTopKV2")
def _in_top_k(model, op):
    """Whether fewer than k predictions are larger than that of the target; not if there is no such class, or one of
    the predictions is not finite."""
    predictions, targets, k = op.inputs
    given, places = model.value(predictions), model.as_int64(targets, op)
    zero, row = model.int64(0), model.int64([1])
    classes = model.node("Gather", [model.node("Shape", [given], op), model.int64(1)], op)
    outside = model.node(
        "Or", [model.node("Less", [places, zero], op), model.node("GreaterOrEqual", [places, classes], op)], op
    )
    column = model.node("Unsqueeze", [model.node("Where", [outside, zero, places], op), row], op)
    target = model.node("GatherElements", [given, column], op, axis=1)
    larger = model.cast(model.node("Greater", [given, target], op), dtypes.int64, op)
    count = model.node("ReduceSum", [larger, row], op, keepdims=0)
    fewer = model.node("Less", [count, model.as_int64(k, op)], op)
    finite = model.node("Less", [model.node("Abs", [given], op), number(model, predictions, np.inf)], op)
    strange = model.cast(model.node("Not", [finite], op), dtypes.int64, op)
    strange = model.cast(model.node("ReduceSum", [strange, row], op, keepdims=0), dtypes.bool, op)
    invalid = model.node("Or", [outside, strange], op)
    model.set(op.outputs[0], model.node("And", [fewer, model.node("Not", [invalid], op)], op))
