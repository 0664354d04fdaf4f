"""ParseTensor, SerializeTensor: tensors from and to messages TensorProto."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.op_wrappers import described


def _parse_shape(op):
    shapes.with_rank(op.inputs[0].dims, 0)
    return [None]


ParseTensor = define_op(
    "ParseTensor",
    inputs=["serialized: string"],
    outputs=["output: out_type"],
    attrs=["out_type: type"],
    shape=_parse_shape,
    doc="The tensor in a serialized message TensorProto.",
)
SerializeTensor = define_op(
    "SerializeTensor",
    inputs=["tensor: T"],
    outputs=["serialized: string"],
    attrs=["T: type"],
    shape=shapes.scalar,
    doc="A tensor as a serialized message TensorProto.",
)
not_differentiable("ParseTensor", "SerializeTensor")


@described(
    ParseTensor,
    example="""
>>> print(sess.run(tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32)))
[1 2]
""",
)
def parse_tensor(serialized, out_type, name=None):
    """The tensor in a serialized message TensorProto, which must be of type `out_type`.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the string is not such a message, or the tensor is of another type.
    """
    return ParseTensor(serialized, out_type=out_type, name=name)


@described(SerializeTensor)
def serialize_tensor(tensor, name=None):
    """A tensor as a serialized message TensorProto, which `parse_tensor` reads."""
    return SerializeTensor(tensor, name=name)
