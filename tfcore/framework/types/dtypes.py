"""Element types of tensors, numbered and named as TensorFlow's DataType."""

import functools

import ml_dtypes
import numpy as np

_REF = 100


_integer_info = functools.cache(np.iinfo)  # np.iinfo takes longer than creating a small constant


class DType:
    """The type of the elements of a tensor, or of a reference to a variable (`_ref` types).

    There is one object for each type, so `is` and `==` agree; `==` also accepts whatever `as_dtype` accepts.

    Args:
      type_enum: Number of the type in TensorFlow's DataType enumeration.
      handle_data: Must be None: no type has handles.

    Raises:
      TypeError: There is no type of this number.

    Attributes:
      name: Such as "float32".
      as_datatype_enum: Number of the type in TensorFlow's DataType enumeration.
      as_numpy_dtype: The equivalent NumPy type, with one field for a quantized type; None if there is none.
      base_dtype: The type of the elements: this type, or for a `_ref` type the type that it refers to.
      size: Bytes of an element.

    Example:

    >>> tf.DType(1) is tf.float32
    True
    """

    __slots__ = ("as_datatype_enum", "name", "as_numpy_dtype", "_as_ref", "base_dtype", "size")

    def __new__(cls, type_enum, handle_data=None):
        found = None if isinstance(type_enum, _py_bool) else BY_ENUM.get(type_enum)
        if found is None or handle_data is not None:
            raise TypeError(
                f"{type_enum!r} does not correspond to a valid tensorflow::DataType"
                if found is None
                else f"handle_data must be None, got {handle_data!r}"
            )
        return found

    @classmethod
    def _make(cls, enum, name, np_type, size):
        self = object.__new__(cls)
        values = {"as_datatype_enum": enum, "name": name, "as_numpy_dtype": np_type, "size": size}
        for attribute, value in {**values, "base_dtype": self, "_as_ref": self}.items():
            object.__setattr__(self, attribute, value)
        return self

    def __setattr__(self, name, value):
        raise AttributeError(f"can't set attribute {name!r} of a DType")

    @property
    def _is_ref_dtype(self):
        return self.as_datatype_enum > _REF

    @property
    def real_dtype(self):
        """The type of the real part: float32 for complex64, float64 for complex128, else itself."""
        base = self.base_dtype
        return float32 if base is complex64 else float64 if base is complex128 else self

    @property
    def is_numpy_compatible(self):
        """Whether NumPy has an equivalent type."""
        return self.as_numpy_dtype is not None

    @property
    def is_numeric(self):
        """Whether it is a type of numbers: not boolean, string, resource or variant."""
        return self.base_dtype not in (bool, string, resource, variant)

    @property
    def is_bool(self):
        """Whether it is the boolean type."""
        return self.base_dtype is bool

    @property
    def is_integer(self):
        """Whether it is a (non-quantized) integer type."""
        return self.base_dtype in _INTEGERS

    @property
    def is_unsigned(self):
        """Whether it is an unsigned integer type."""
        return self.base_dtype in (uint8, uint16, uint32, uint64)

    @property
    def is_floating(self):
        """Whether it is a real floating-point type."""
        return self.base_dtype in _FLOATS

    @property
    def is_complex(self):
        """Whether it is a complex type."""
        return self.base_dtype in (complex64, complex128)

    @property
    def is_quantized(self):
        """Whether it is a quantized integer type."""
        return self.base_dtype in _QUANTIZED

    @property
    def min(self):
        """The smallest representable value.

        Raises:
          TypeError: The type is not ordered.
        """
        return self._limit("min")

    @property
    def max(self):
        """The largest representable value.

        Raises:
          TypeError: The type is not ordered.
        """
        return self._limit("max")

    def _limit(self, which):
        base = self.base_dtype
        if base.is_floating:
            return ml_dtypes.finfo(base.as_numpy_dtype).__getattribute__(which)
        if base.is_integer:
            return getattr(_integer_info(base.as_numpy_dtype), which)
        raise TypeError(f"Cannot find {which}imum value of {self}.")

    @property
    def limits(self):
        """The range of values of an image of this type: (0, 1) for floating-point, else (0, largest)."""
        base = self.base_dtype
        if base is bool:
            return False, True
        return 0, 1 if base.is_floating else self.max

    def is_compatible_with(self, other):
        """Whether a tensor of another type may be used where this type is expected.

        Args:
          other: A value that converts to a `DType`.

        Returns:
          A bool.
        """
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other):
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self.as_datatype_enum

    def __int__(self):
        return self.as_datatype_enum

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __reduce__(self):
        return as_dtype, (self.name,)


def _make():
    table = [
        (1, "float32", np.float32, 4),
        (2, "float64", np.float64, 8),
        (3, "int32", np.int32, 4),
        (4, "uint8", np.uint8, 1),
        (5, "int16", np.int16, 2),
        (6, "int8", np.int8, 1),
        (7, "string", object, 16),
        (8, "complex64", np.complex64, 8),
        (9, "int64", np.int64, 8),
        (10, "bool", np.bool_, 1),
        (11, "qint8", [("qint8", np.int8)], 1),
        (12, "quint8", [("quint8", np.uint8)], 1),
        (13, "qint32", [("qint32", np.int32)], 4),
        (14, "bfloat16", ml_dtypes.bfloat16, 2),
        (15, "qint16", [("qint16", np.int16)], 2),
        (16, "quint16", [("quint16", np.uint16)], 2),
        (17, "uint16", np.uint16, 2),
        (18, "complex128", np.complex128, 16),
        (19, "float16", np.float16, 2),
        (20, "resource", None, 8),
        (21, "variant", None, 8),
        (22, "uint32", np.uint32, 4),
        (23, "uint64", np.uint64, 8),
    ]
    for enum, name, np_type, size in table:
        if type(np_type) is list:
            np_type = np.dtype(np_type)
        base = DType._make(enum, name, np_type, size)
        ref = DType._make(enum + _REF, name + "_ref", np_type, size)
        object.__setattr__(base, "_as_ref", ref)
        object.__setattr__(ref, "base_dtype", base)
        for t in (base, ref):
            BY_ENUM[t.as_datatype_enum] = t
            _BY_NAME[t.name] = t
        if np_type is not None:
            BY_NUMPY[np.dtype(np_type)] = base


_py_bool, _py_int, _py_float, _py_complex, _py_str, _py_bytes = bool, int, float, complex, str, bytes
BY_ENUM, _BY_NAME, BY_NUMPY = {}, {}, {}
_make()

float32 = _BY_NAME["float32"]
float64 = _BY_NAME["float64"]
int32 = _BY_NAME["int32"]
uint8 = _BY_NAME["uint8"]
int16 = _BY_NAME["int16"]
int8 = _BY_NAME["int8"]
string = _BY_NAME["string"]
complex64 = _BY_NAME["complex64"]
int64 = _BY_NAME["int64"]
qint8 = _BY_NAME["qint8"]
quint8 = _BY_NAME["quint8"]
qint32 = _BY_NAME["qint32"]
bfloat16 = _BY_NAME["bfloat16"]
qint16 = _BY_NAME["qint16"]
quint16 = _BY_NAME["quint16"]
uint16 = _BY_NAME["uint16"]
complex128 = _BY_NAME["complex128"]
float16 = _BY_NAME["float16"]
resource = _BY_NAME["resource"]
variant = _BY_NAME["variant"]
uint32 = _BY_NAME["uint32"]
uint64 = _BY_NAME["uint64"]
np_resource = np.dtype([("resource", np.ubyte, (1,))])  # of fetched handles, as in TensorFlow
half = float16
double = float64
bool = _BY_NAME["bool"]  # noqa: A001  the public name in the tf namespace

_FLOATS = frozenset([float16, bfloat16, float32, float64])
_INTEGERS = frozenset([int8, int16, int32, int64, uint8, uint16, uint32, uint64])
_QUANTIZED = frozenset([qint8, quint8, qint16, quint16, qint32])
QUANTIZED_DTYPES = _QUANTIZED | {t._as_ref for t in _QUANTIZED}
_BY_NAME.update(half=float16, double=float64, float=float32)
_BY_NAME.update(half_ref=float16._as_ref, double_ref=float64._as_ref, float_ref=float32._as_ref)
_BY_PYTHON = {
    _py_float: float32,
    _py_int: int32,
    _py_bool: bool,
    _py_complex: complex64,
    _py_str: string,
    _py_bytes: string,
}
# The names used in op definitions and in error messages of TensorFlow's C++ runtime.
SHORT_NAMES = {t: t.name for t in BY_ENUM.values()}
SHORT_NAMES.update({float16: "half", float32: "float", float64: "double"})


def fed_dtype(dtype):
    """The NumPy type of arrays that are fed and fetched: that of plain integers for a quantized type."""
    np_type = dtype.as_numpy_dtype
    return np_type and np.dtype(np_type[0] if dtype.is_quantized else np_type)


def as_dtype(type_value):
    """Converts a value to a `DType`.

    Args:
      type_value: A `DType`, its number or name, a NumPy type, or a Python type (float, int, bool, complex, str or
        bytes).

    Returns:
      A `DType`.

    Raises:
      TypeError: The value does not name a type.

    Example:

    >>> tf.as_dtype("float32"), tf.as_dtype(np.int64), tf.as_dtype(bool)
    (tf.float32, tf.int64, tf.bool)
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        if isinstance(type_value, (_py_int, _py_float)):  # True and 1.0 are 1, as in TensorFlow
            return BY_ENUM[type_value]
        if isinstance(type_value, _py_str):
            found = _BY_NAME.get(type_value)
            if found is not None:
                return found
        if type_value in _BY_PYTHON:
            return _BY_PYTHON[type_value]
    except (KeyError, TypeError):
        pass
    try:
        np_dtype = np.dtype(type_value)
    except TypeError:
        np_dtype = None
    if np_dtype is not None and type_value is not None:
        if np_dtype.kind in "SUT":
            return string
        found = BY_NUMPY.get(np_dtype.newbyteorder("=") if np_dtype.kind != "V" else np_dtype)
        if found is not None:
            return found
    raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")
