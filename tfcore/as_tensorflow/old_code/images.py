"""Images as scipy.misc had them until SciPy 1.2, and what Pillow has lost since."""

import numpy as np
from PIL import Image, ImageFilter

ANTIALIAS, CUBIC, LINEAR = (Image.Resampling.LANCZOS, Image.Resampling.BICUBIC, Image.Resampling.BILINEAR)
_RESAMPLING = {
    "nearest": Image.Resampling.NEAREST,
    "lanczos": Image.Resampling.LANCZOS,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "cubic": Image.Resampling.BICUBIC,
}
_FILTERS = ("blur", "contour", "detail", "edge_enhance", "edge_enhance_more", "emboss", "find_edges", "smooth")
_FILTERS += ("smooth_more", "sharpen")
_MODES = {3: ("RGB", "YCbCr"), 4: ("RGBA", "CMYK")}


def bytescale(data, cmin=None, cmax=None, high=255, low=0):
    """Values from `cmin` to `cmax` (default: the least and the greatest) as bytes from `low` to `high`."""
    if data.dtype == np.uint8:
        return data
    if high > 255:
        raise ValueError("`high` should be less than or equal to 255.")
    if low < 0:
        raise ValueError("`low` should be greater than or equal to 0.")
    if high < low:
        raise ValueError("`high` should be greater than or equal to `low`.")
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    if cmax < cmin:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scale = float(high - low) / ((cmax - cmin) or 1)
    return (((data - cmin) * scale + low).clip(low, high) + 0.5).astype(np.uint8)


def imread(name, flatten=False, mode=None):
    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def fromimage(im, flatten=False, mode=None):
    if mode is not None:
        im = im.convert(mode) if mode != im.mode else im
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imsave(name, arr, format=None):
    toimage(arr, channel_axis=2).save(name, format)


def imshow(arr):
    toimage(arr).show()


def imresize(arr, size, interp="bilinear", mode=None):
    """size: percent as a whole number, a factor as a float, or (height, width)."""
    im = toimage(arr, mode=mode)
    if isinstance(size, (int, np.integer)):
        size = tuple(int(n * (size / 100.0)) for n in im.size)
    elif isinstance(size, (float, np.floating)):
        size = tuple(int(n * size) for n in im.size)
    else:
        size = (int(size[1]), int(size[0]))
    return fromimage(im.resize(size, resample=_RESAMPLING[interp]))


def imrotate(arr, angle, interp="bilinear"):
    return fromimage(toimage(arr).rotate(angle, resample=_RESAMPLING[interp]))


def imfilter(arr, ftype):
    if ftype not in _FILTERS:
        raise ValueError("Unknown filter type.")
    return fromimage(toimage(arr).filter(getattr(ImageFilter, ftype.upper())))


def toimage(arr, high=255, low=0, cmin=None, cmax=None, pal=None, mode=None, channel_axis=None):
    """An array as an image of Pillow; values are scaled unless they are bytes."""
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _gray(data, high, low, cmin, cmax, pal, mode)
    if data.ndim != 3 or not {3, 4} & {*data.shape}:
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    if channel_axis is None:
        channel_axis = data.shape.index(3) if 3 in data.shape else data.shape.index(4)
    modes = _MODES.get(data.shape[channel_axis])
    if modes is None:
        raise ValueError("Channel axis dimension is not valid.")
    if mode is not None and mode not in modes:
        raise ValueError(f"Invalid mode for an image of {data.shape[channel_axis]} channels: {mode!r}")
    pixels = np.moveaxis(bytescale(data, cmin, cmax, high, low), channel_axis, 2)
    return Image.frombytes(mode or modes[0], (pixels.shape[1], pixels.shape[0]), pixels.tobytes())


def _gray(data, high, low, cmin, cmax, pal, mode):
    size = (data.shape[1], data.shape[0])
    if mode == "F":
        return Image.frombytes(mode, size, data.astype(np.float32).tobytes())
    if mode in (None, "L", "P"):
        image = Image.frombytes("L", size, bytescale(data, cmin, cmax, high, low).tobytes())
        if pal is not None or mode == "P":
            image.putpalette(np.asarray(np.repeat(np.arange(256), 3) if pal is None else pal, np.uint8).tobytes())
        return image
    if mode == "1":
        return Image.frombytes(mode, size, np.packbits(data > high, axis=1).tobytes())
    if mode != "I":
        raise ValueError(f"Invalid mode for an image of one channel: {mode!r}")
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    scaled = (data * 1.0 - cmin) * (high - low) / ((cmax - cmin) or 1) + low
    return Image.frombytes(mode, size, scaled.astype(np.int32).tobytes())


# Methods of Pillow's fonts and pictures that are to be drawn.


def getsize(self, text, *args, **kwargs):
    left, top, right, bottom = self.getbbox(text, *args, **kwargs)
    return right, bottom


def textsize(self, text, font=None, *args, **kwargs):
    left, top, right, bottom = self.textbbox((0, 0), text, font, *args, **kwargs)
    return int(right), int(bottom)
