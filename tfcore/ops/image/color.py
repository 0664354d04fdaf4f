"""Colours of images: hue, saturation, contrast."""

import tfcore.ops.array.join as array_join
import tfcore.ops.cwise.binary as binary
import tfcore.ops.cwise.compare as compare
import tfcore.ops.indexing.indexing as indexing
import tfcore.ops.reduce.reduce as reduce
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank, with_rank_at_least
from tfcore.ops.cwise.cast import cast


def _color_shape(op):
    dims = with_rank_at_least(op.inputs[0].dims, 1)
    if dims is not None and dims[-1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {dims[-1]}")
    return [dims]


def _adjusted_shape(op):
    with_rank(op.inputs[1].dims, 0)
    return [with_rank_at_least(op.inputs[0].dims, 3)]


def _limited_shape(op):
    for amount in op.inputs[1:]:
        with_rank(amount.dims, 0)
    return [with_rank_at_least(op.inputs[0].dims, 3)]


def _define_conversion(name, doc):
    return define_op(
        name,
        inputs=["images: T"],
        outputs=["output: T"],
        attrs=["T: {half, bfloat16, float, double} = DT_FLOAT"],
        shape=_color_shape,
        doc=doc,
    )


def _define_adjustment(name, amount, doc):
    return define_op(
        name,
        inputs=["images: T", f"{amount}: float"],
        outputs=["output: T"],
        attrs=["T: {half, float} = DT_FLOAT"],
        shape=_adjusted_shape,
        doc=doc,
    )


RGBToHSV = _define_conversion("RGBToHSV", "Hue, saturation and value of colours, each in [0, 1].")
HSVToRGB = _define_conversion("HSVToRGB", "Colours of a hue, a saturation and a value in [0, 1].")
AdjustContrastv2 = _define_adjustment(
    "AdjustContrastv2", "contrast_factor", "Multiplies the distance of each channel to its mean over the image."
)
AdjustContrast = define_op(
    "AdjustContrast",
    inputs=["images: T", "contrast_factor: float", "min_value: float", "max_value: float"],
    outputs=["output: float"],
    attrs=["T: {uint8, int8, int16, int32, int64, float, double}"],
    shape=_limited_shape,
    doc="AdjustContrastv2 in graphs of TensorFlow before 1.0: of any type, between a smallest and a largest value.",
)
AdjustHue = _define_adjustment("AdjustHue", "delta", "Turns the hue of colours.")
AdjustSaturation = _define_adjustment("AdjustSaturation", "scale", "Multiplies the saturation of colours.")
undefined_gradient("HSVToRGB", "AdjustContrast", "AdjustContrastv2", "AdjustHue", "AdjustSaturation")


# ---- The gradient of RGBToHSV


def _largest_and_smallest(rgb):
    """Where the largest channel is, and where the smallest one is: 1 in one channel, 0 in the others.

    Of equal ones, the first is the largest and the last the smallest.
    """
    red, green, blue = array_join.unstack(rgb, 3, axis=-1)
    red_leads = (red >= green) & (red >= blue)
    green_leads = (green > red) & (green >= blue)
    blue_leads = (blue > red) & (blue > green)
    red_ends = (red < green) & (red < blue)
    green_ends = (green <= red) & (green < blue)
    blue_ends = (blue <= red) & (blue <= green)
    largest = array_join.stack([red_leads, green_leads, blue_leads], axis=-1)
    smallest = array_join.stack([red_ends, green_ends, blue_ends], axis=-1)
    return cast(largest, rgb.dtype), cast(smallest, rgb.dtype)


@gradient("RGBToHSV")
def _rgb_to_hsv_grad(op, grad):
    rgb, divide = op.inputs[0], binary.div_no_nan
    largest, smallest = _largest_and_smallest(rgb)

    def chosen(which):
        return reduce.reduce_sum(which * rgb, -1, keepdims=True)

    def turned(values, order):
        return indexing.gather(values, order, axis=-1)

    most, least = chosen(largest), chosen(smallest)
    spread = most - least
    d_value = largest
    d_saturation = divide(largest * least, most * most) - divide(smallest, most)
    # The hue is a constant + (the channel after the largest one - the channel before it) / spread / 6.
    d_lead = turned(largest, [2, 0, 1]) - turned(largest, [1, 2, 0])
    lead = chosen(d_lead)
    d_hue = (divide(d_lead, spread) - divide(lead * (largest - smallest), spread * spread)) / 6
    # As in TensorFlow, the saturation does not depend on a channel that is 0.
    positive, colored = (cast(compare.greater(x, 0), rgb.dtype) for x in (rgb, most))
    hue, saturation, value = array_join.split(grad, 3, axis=-1)
    return [value * d_value + positive * saturation * d_saturation + colored * hue * d_hue]


# ---- Wrappers


@described(RGBToHSV)
def rgb_to_hsv(images, name=None):
    """Converts colours from RGB to HSV."""
    return RGBToHSV(images, name=name)


@described(HSVToRGB)
def hsv_to_rgb(images, name=None):
    """Converts colours from HSV to RGB."""
    return HSVToRGB(images, name=name)
