"""Signatures, the inputs and outputs of a SavedModel's graph: `tf.saved_model.signature_def_utils`.

A signature is a SignatureDef: TensorInfos by name, and the name of a method of TensorFlow Serving.
"""

from tfcore.framework import errors, protos
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.lazy import lazy_names
from tfcore.framework.tensor_proto import array_to_proto
from tfcore.framework.types import dtypes
from tfcore.saved_model import signature_constants as keys
from tfcore.saved_model.method_name_updater import MethodNameUpdater
from tfcore.saved_model.utils import build_tensor_info, build_tensor_info_from_op, get_element_from_tensor_info

__all__ = [
    "MethodNameUpdater",
    "build_signature_def",
    "classification_signature_def",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
]

__getattr__, __dir__ = lazy_names(globals(), {})


def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """Makes a SignatureDef.

    Args:
      inputs: A dict from names to TensorInfos (optional).
      outputs: A dict from names to TensorInfos (optional).
      method_name: A string (optional).
      defaults: A dict from names of inputs to constant `Tensor`s that are used where an input is not given (optional).

    Returns:
      A SignatureDef.

    Raises:
      ValueError: A default is not a constant.
      TypeError: Something is not a TensorInfo.
    """
    result = protos.SignatureDef()
    for target, given in ((result.inputs, inputs), (result.outputs, outputs)):
        for name, info in (given or {}).items():
            target[name].CopyFrom(protos.as_message(protos.TensorInfo, info))
    if method_name is not None:
        result.method_name = method_name
    for name, default in (defaults or {}).items():
        if not isinstance(default, Tensor) or default.op.type != "Const":
            raise ValueError(f"Unable to convert object {default} of type {type(default)} to TensorProto.")
        result.defaults[name].CopyFrom(array_to_proto(default.op.attrs["value"]))
    return result


def _typed(tensor, dtype, error):
    info = build_tensor_info(tensor)
    if info.dtype != dtype.as_datatype_enum:
        raise ValueError(error)
    return info


def _check_examples(method, examples):
    if examples is None:
        raise ValueError(f"{method} examples cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(f"{method} examples must be a string Tensor.")


def regression_signature_def(examples, predictions):
    """A signature for TensorFlow Serving's Regress: from serialized examples to numbers.

    Args:
      examples: A `Tensor` of type string.
      predictions: A `Tensor` of type float32.

    Returns:
      A SignatureDef.

    Raises:
      ValueError: One is missing or has another type.
    """
    _check_examples("Regression", examples)
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    inputs = {keys.REGRESS_INPUTS: _typed(examples, dtypes.string, "Regression input tensors must be of type string.")}
    outputs = {
        keys.REGRESS_OUTPUTS: _typed(predictions, dtypes.float32, "Regression output tensors must be of type float.")
    }
    return build_signature_def(inputs, outputs, keys.REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    """A signature for TensorFlow Serving's Classify: from serialized examples to labels and scores.

    Args:
      examples: A `Tensor` of type string.
      classes: A `Tensor` of type string, the labels; or None.
      scores: A `Tensor` of type float32; or None.

    Returns:
      A SignatureDef.

    Raises:
      ValueError: `examples`, or both outputs, are missing; or one has another type.
    """
    _check_examples("Classification", examples)
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    examples = _typed(examples, dtypes.string, "Classification input tensors must be of type string.")
    outputs = {}
    if classes is not None:
        error = "Classification classes must be of type string Tensor."
        outputs[keys.CLASSIFY_OUTPUT_CLASSES] = _typed(classes, dtypes.string, error)
    if scores is not None:
        error = "Classification scores must be a float Tensor."
        outputs[keys.CLASSIFY_OUTPUT_SCORES] = _typed(scores, dtypes.float32, error)
    return build_signature_def({keys.CLASSIFY_INPUTS: examples}, outputs, keys.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs, outputs):
    """A signature for TensorFlow Serving's Predict: any inputs and outputs.

    Args:
      inputs: A dict from names to `Tensor`s.
      outputs: A dict from names to `Tensor`s.

    Returns:
      A SignatureDef.

    Raises:
      ValueError: There are no inputs, or no outputs.

    Example:

    >>> x = tf.placeholder(tf.float32)
    >>> tf.saved_model.predict_signature_def({"x": x}, {"y": 2 * x}).method_name
    'tensorflow/serving/predict'
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(_infos(inputs), _infos(outputs), keys.PREDICT_METHOD_NAME)


def _infos(tensors):
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


def is_valid_signature(signature_def):
    """Whether TensorFlow Serving can serve a signature.

    Args:
      signature_def: A SignatureDef, or None.

    Returns:
      A bool.

    Raises:
      AttributeError: It is something else.
    """
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    inputs = {name: dtypes.as_dtype(info.dtype) for name, info in signature_def.inputs.items() if info.dtype}
    outputs = {name: dtypes.as_dtype(info.dtype) for name, info in signature_def.outputs.items() if info.dtype}
    if signature_def.method_name == keys.PREDICT_METHOD_NAME:
        return True
    if signature_def.method_name == keys.REGRESS_METHOD_NAME:
        return inputs == {keys.REGRESS_INPUTS: dtypes.string} and outputs == {keys.REGRESS_OUTPUTS: dtypes.float32}
    if signature_def.method_name == keys.CLASSIFY_METHOD_NAME:
        types = {keys.CLASSIFY_OUTPUT_CLASSES: dtypes.string, keys.CLASSIFY_OUTPUT_SCORES: dtypes.float32}
        known = set(signature_def.outputs) <= set(types) and outputs.items() <= types.items()
        return inputs == {keys.CLASSIFY_INPUTS: dtypes.string} and known and len(outputs) == len(signature_def.outputs)
    return False


def op_signature_def(op, key):
    """A signature that names an operation (or tensor), so that a loader finds it by the key."""
    return build_signature_def(outputs={key: build_tensor_info_from_op(op)})


def load_op_from_signature_def(signature_def, key, import_scope=None):
    """The operation or tensor of `op_signature_def`. NotFoundError: the graph lacks it."""
    try:
        return get_element_from_tensor_info(signature_def.outputs[key], import_scope=import_scope)
    except KeyError:
        raise errors.NotFoundError(
            None,
            None,
            f'The key "{key}" could not be found in the graph. Please make sure the SavedModel does not use it for a '
            "signature of its own.",
        ) from None
