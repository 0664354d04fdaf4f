"""tf.print and tf.strings.format: formats and prints tensors while the graph runs."""

import itertools
import sys

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.graph.operation import Tensor, is_dense_tensor_like
from tfcore.framework.values.conversion import convert_to_tensor

StringFormat = define_op(
    "StringFormat",
    inputs=["inputs: T"],
    outputs=["output: string"],
    attrs=[
        "T: list(type) >= 0",
        'template: string = "%s"',
        'placeholder: string = "%s"',
        "summarize: int = 3",
    ],
    shape=shapes.scalar,
    doc="The template with each placeholder replaced by an input, its first and last elements.",
)


PrintV2 = define_op(
    "PrintV2",
    inputs=["input: string"],
    attrs=['output_stream: string = "stderr"', 'end: string = "\n"'],
    stateful=True,
    doc="Writes a string and `end` to a stream: stdout, stderr, log(info) or file://path.",
)
not_differentiable("StringFormat", "PrintV2")


def string_format(template, inputs, placeholder="{}", summarize=3, name=None):
    """Formats tensors as text: replaces each placeholder of `template` by a tensor.

    Args:
      template: A Python string.
      inputs: A `Tensor` or a list of them, one for each placeholder.
      placeholder: The text to replace.
      summarize: How many elements at each end of a dimension are shown; -1 for all.
      name: Name of the operation (optional).

    Returns:
      A scalar `Tensor` of type string.

    Raises:
      ValueError: The number of placeholders differs from that of `inputs`.

    Example:

    >>> print(sess.run(tf.strings.format("x = {}", tf.range(10))).decode())
    x = [0 1 2 ... 7 8 9]
    """
    tensors = [convert_to_tensor(x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    expected = template.count(placeholder)
    if expected != len(tensors):
        raise ValueError(
            f"The template expects {expected} tensors, but the inputs only has {len(tensors)}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    return StringFormat(tensors, template=template, placeholder=placeholder, summarize=summarize, name=name)


format = string_format


class _Slot:
    """A placeholder for a tensor in a structure that is converted to text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _placeholder(inputs):
    """A placeholder that does not occur in the inputs' texts."""
    text = repr(inputs) + "".join(str(x) for x in inputs)
    candidates = itertools.chain(["{}"], (f"{{{i}}}" for i in itertools.count()))
    return next(c for c in candidates if c not in text)


def _with_slots(value, placeholder, tensors):
    """The structure with a slot for each tensor, which is appended to `tensors`."""
    if is_dense_tensor_like(value):
        tensors.append(convert_to_tensor(value))
        return _Slot(placeholder)
    if hasattr(value, "nested_row_splits"):  # ragged; string_format takes it
        tensors.append(value)
        return _Slot(placeholder)
    if isinstance(value, dict):
        return {k: _with_slots(value[k], placeholder, tensors) for k in sorted(value)}
    if isinstance(value, list):
        return [_with_slots(v, placeholder, tensors) for v in value]
    if isinstance(value, tuple):
        return tuple([_with_slots(v, placeholder, tensors) for v in value])
    return value


def _stream_name(stream):
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. "
        "File needs to be in the form of 'file://<filepath>'."
    )


def print_v2(*inputs, **kwargs):
    """Makes an operation that prints tensors, strings and nests of them when it runs.

    Args:
      *inputs: What to print.
      **kwargs: `output_stream`: sys.stderr (the default), sys.stdout or "file://path". `summarize`: how many elements
        at each end of a dimension are shown, 3 by default, -1 for all. `sep`, `end`: as for Python's `print`. `name`:
        name of the operation.

    Returns:
      The `Operation`.

    Raises:
      ValueError: The stream or a keyword argument is not supported.
    """
    stream = _stream_name(kwargs.pop("output_stream", sys.stderr))
    summarize = kwargs.pop("summarize", 3)
    summarize = 3 if summarize is None else summarize
    separator, end, name = kwargs.pop("sep", " "), kwargs.pop("end", "\n"), kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    only = inputs[0] if len(inputs) == 1 else None
    if isinstance(only, Tensor) and only.dims == () and only.dtype.name == "string":
        return PrintV2(only, output_stream=stream, end=end, name=name)
    placeholder, tensors = _placeholder(inputs), []
    texts = [str(_with_slots(value, placeholder, tensors)) for value in inputs]
    text = string_format(separator.join(texts), tensors, placeholder, summarize)
    return PrintV2(text, output_stream=stream, end=end, name=name)


print = print_v2
