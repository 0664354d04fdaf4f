"""DecodeJSONExample: messages tf.train.Example from their JSON."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described

DecodeJSONExample = define_op(
    "DecodeJSONExample",
    inputs=["json_examples: string"],
    outputs=["binary_examples: string"],
    shape=shapes.unchanged,
    doc="Serialized messages tf.train.Example from their JSON.",
)
undefined_gradient("DecodeJSONExample")


@described(
    DecodeJSONExample,
    example="""
>>> text = '{"features": {"feature": {"n": {"int64List": {"value": ["7"]}}}}}'
>>> print(sess.run(tf.parse_single_example(tf.decode_json_example(text), {"n": tf.FixedLenFeature([], tf.int64)})["n"]))
7
""",
)
def decode_json_example(json_examples, name=None):
    """Converts messages tf.train.Example from JSON, as protocol buffers write it, to serialized messages.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a string is not the JSON of an example.
    """
    return DecodeJSONExample(json_examples, name=name)
