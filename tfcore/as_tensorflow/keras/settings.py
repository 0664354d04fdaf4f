"""The settings of tensorflow.python.keras.backend."""

_floatx = "float32"
_epsilon = 1e-7
_image_data_format = "channels_last"


def floatx():
    """The type of floats: "float16", "float32" or "float64"."""
    return _floatx


def set_floatx(value):
    global _floatx
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    _floatx = str(value)


def epsilon():
    """The number that keeps logarithms and quotients finite."""
    return _epsilon


def set_epsilon(value):
    global _epsilon
    _epsilon = value


def image_data_format():
    """ "channels_last" or "channels_first"."""
    return _image_data_format


def set_image_data_format(data_format):
    global _image_data_format
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Unknown data_format: {data_format}")
    _image_data_format = str(data_format)
