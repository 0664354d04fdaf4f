"""Tensor arrays in graphs written before TensorFlow 1.0, whose handles are strings (V2) or references to them.

The compiler replaces these operations by the current ones (`tfcore/compiler/legacy_tensor_arrays.py`), so their handles
can only be passed to each other.
"""

import tfcore.ops.state.tensor_array as tensor_array
import tfcore.ops.state.tensor_array_join as tensor_array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable, undefined_gradient

_ARRAY = [
    "dtype: type",
    "element_shape: shape = { unknown_rank: true }",
    "dynamic_size: bool = false",
    "clear_after_read: bool = true",
    "tensor_array_name: string = ''",
]
_GATHER = ["dtype: type", "element_shape: shape = { unknown_rank: true }"]
_CONCAT = ["dtype: type", "element_shape_except0: shape = { unknown_rank: true }"]
_FLOW = "flow_in: float"


def _handle_shape(op):
    return [(2,)]  # as in TensorFlow: the names of a container and of the array in it


def _pack_shape(op):
    dims = op.attrs["element_shape"]
    return [None if dims is None else (None, *dims)]


def _define(name, version, inputs, outputs, attrs, shape, stateful=False):
    define_op(
        name + version,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        stateful=stateful,
        doc=f"{name}V3 for handles as they were before.",
    )


_ARRAY_1 = [
    *(attr for attr in _ARRAY if "shape" not in attr),
    *(attr for attr in _ARRAY if "shape" in attr),
]  # its order

for _version, _handle, _arrays in (("", "handle: Ref(string)", _ARRAY_1), ("V2", "handle: string", _ARRAY)):
    _flow_out = ["flow_out: float"]
    for _kind, _inputs, _outputs, _attrs, _shape in (
        ("Write", ["index: int32", "value: T", _FLOW], _flow_out, ["T: type"], tensor_array.write_shape),
        ("Read", ["index: int32", _FLOW], ["value: dtype"], ["dtype: type"], tensor_array.read_shape),
        ("Gather", ["indices: int32", _FLOW], ["value: dtype"], _GATHER, tensor_array_join.gather_shape),
        ("Scatter", ["indices: int32", "value: T", _FLOW], _flow_out, ["T: type"], tensor_array_join.scatter_shape),
        ("Concat", [_FLOW], ["value: dtype", "lengths: int64"], _CONCAT, tensor_array_join.concat_shape),
        ("Split", ["value: T", "lengths: int64", _FLOW], _flow_out, ["T: type"], tensor_array_join.split_shape),
        ("Size", [_FLOW], ["size: int32"], [], lambda op: [()]),
        ("Close", [], [], [], None),
    ):
        _define("TensorArray" + _kind, _version, [_handle, *_inputs], _outputs, _attrs, _shape)
    _define("TensorArray", _version, ["size: int32"], [_handle], _arrays, _handle_shape, True)
    _define(
        "TensorArrayGrad",
        _version,
        ["handle: string", _FLOW],
        ["grad_" + _handle],
        ["source: string"],
        _handle_shape,
        True,
    )
    not_differentiable(*(f"TensorArray{kind}{_version}" for kind in ("", "Grad", "Size", "Close")))

define_op(
    "TensorArrayPack",
    inputs=["handle: Ref(string)", _FLOW],
    outputs=["value: dtype"],
    attrs=_GATHER,
    shape=_pack_shape,
    doc="All elements as the rows of one tensor.",
)
define_op(
    "TensorArrayUnpack",
    inputs=["handle: Ref(string)", "value: T", _FLOW],
    outputs=["flow_out: float"],
    attrs=["T: type"],
    shape=lambda op: [()],
    doc="Writes the rows of `value` to the elements in order.",
)
undefined_gradient("TensorArrayPack", "TensorArrayUnpack")


class LegacyTensorArray:
    """An array of an old kind, with the part of TensorArray that gradients use."""

    def __init__(self, dtype, handle, flow, version):
        self._dtype, self._handle, self.flow, self._version = dtype, handle, flow, version

    def _call(self, kind, *inputs, **attrs):
        return get_op_def(f"TensorArray{kind}{self._version}")(self._handle, *inputs, self.flow, **attrs)

    def _at(self, flow):
        return LegacyTensorArray(self._dtype, self._handle, flow, self._version)

    def grad(self, source, flow):
        handle = get_op_def("TensorArrayGrad" + self._version)(self._handle, flow, source=source)
        return LegacyTensorArray(self._dtype, handle, flow, self._version)

    def read(self, index):
        return self._call("Read", index, dtype=self._dtype)

    def gather(self, indices):
        return self._call("Gather", indices, dtype=self._dtype)

    def concat(self):
        return self._call("Concat", dtype=self._dtype)[0]

    def write(self, index, value):
        return self._at(self._call("Write", index, value))

    def scatter(self, indices, value):
        return self._at(self._call("Scatter", indices, value))

    def split(self, value, lengths):
        return self._at(self._call("Split", value, lengths))
