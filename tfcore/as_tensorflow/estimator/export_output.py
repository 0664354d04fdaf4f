"""tensorflow.python.saved_model.model_utils.export_output: what a signature of an exported model computes."""

import abc

import tfcore as tf
from tfcore.saved_model import signature_constants, signature_def_utils

_SEPARATOR = "/"


class ExportOutput(abc.ABC):
    """The outputs of a signature."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors):
        """The SignatureDef from some inputs to these outputs; ValueError if they do not fit."""


def _named(outputs, default, what):
    """A dict of tensors by name, for one tensor or a dict; a key that is a tuple is joined."""
    outputs = outputs if isinstance(outputs, dict) else {default: outputs}
    named = {}
    for key, value in outputs.items():
        if not isinstance(value, tf.Tensor):
            raise ValueError(f"{what} output value must be a Tensor; got {value}.")
        named[_key(key, what)] = value
    return named


def _key(key, what):
    key = _SEPARATOR.join(key) if isinstance(key, tuple) else key
    if not isinstance(key, str):
        raise ValueError(f"{what} output key must be a string; got {key}.")
    return key


def _is_of(tensor, test):
    return isinstance(tensor, tf.Tensor) and test(tensor.dtype)


def _one_string(receiver_tensors, what):
    """The only input, serialized examples."""
    if len(receiver_tensors) == 1:
        [tensor] = receiver_tensors.values()
        if tf.as_dtype(tensor.dtype) == tf.string:
            return tensor
    raise ValueError(f"{what} input must be a single string Tensor; got {receiver_tensors}")


class ClassificationOutput(ExportOutput):
    """The scores of classes, their labels, or both.

    Args:
      scores: A tensor of floats [batch, classes].
      classes: A tensor of strings, of the same shape or [batch].
    """

    def __init__(self, scores=None, classes=None):
        if scores is not None and not _is_of(scores, lambda dtype: dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and not _is_of(classes, lambda dtype: dtype == tf.string):
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self.scores, self.classes = scores, classes

    def as_signature_def(self, receiver_tensors):
        examples = _one_string(receiver_tensors, "Classification")
        return signature_def_utils.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """A tensor of floats [batch]."""

    def __init__(self, value):
        if not _is_of(value, lambda dtype: dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value

    def as_signature_def(self, receiver_tensors):
        examples = _one_string(receiver_tensors, "Regression")
        return signature_def_utils.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any tensors: one, called "output", or a dict."""

    def __init__(self, outputs):
        self.outputs = _named(outputs, "output", "Prediction")

    def as_signature_def(self, receiver_tensors):
        return signature_def_utils.predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """The loss, predictions and metrics of a graph for training or evaluation.

    Args:
      loss: A tensor, or a dict of tensors.
      predictions: A tensor, or a dict of tensors.
      metrics: A pair (value, update), or a dict of pairs or metrics of Keras.
    """

    _SEPARATOR_CHAR = "/"  # between the parts of names

    LOSS_NAME = "loss"
    PREDICTIONS_NAME = "predictions"
    METRICS_NAME = "metrics"
    METRIC_VALUE_SUFFIX = "value"
    METRIC_UPDATE_SUFFIX = "update_op"
    METHOD_NAME = None

    def __init__(self, loss=None, predictions=None, metrics=None):
        self.loss = self.predictions = self.metrics = None
        if loss is not None:
            self.loss = _prefixed(_named(loss, self.LOSS_NAME, "Loss"), self.LOSS_NAME)
        if predictions is not None:
            named = _named(predictions, self.PREDICTIONS_NAME, "Prediction")
            self.predictions = _prefixed(named, self.PREDICTIONS_NAME)
        if metrics is not None:
            self.metrics = _prefixed(self._tensors_of(metrics), self.METRICS_NAME)

    def _tensors_of(self, metrics):
        tensors = {}
        for key, metric in (metrics if isinstance(metrics, dict) else {self.METRICS_NAME: metrics}).items():
            key = _key(key, self.METRICS_NAME)
            value, update = metric if isinstance(metric, tuple) else (metric.result(), tf.group(*metric.updates))
            if not isinstance(value, tf.Tensor):
                raise ValueError(f"{key} output value must be a Tensor; got {value}.")
            if isinstance(update, tf.Operation):
                with tf.control_dependencies([update]):
                    update = tf.constant([], name="metric_op_wrapper")
            if not isinstance(update, tf.Tensor):
                raise ValueError(f"{key} update_op must be a Tensor or Operation; got {update}.")
            tensors[f"{key}/{self.METRIC_VALUE_SUFFIX}"] = value
            tensors[f"{key}/{self.METRIC_UPDATE_SUFFIX}"] = update
        return tensors

    def as_signature_def(self, receiver_tensors):
        outputs = {**(self.loss or {}), **(self.predictions or {}), **(self.metrics or {})}
        infos = (
            {name: tf.saved_model.utils.build_tensor_info(tensor) for name, tensor in tensors.items()}
            for tensors in (receiver_tensors, outputs)
        )
        return signature_def_utils.build_signature_def(*infos, self.METHOD_NAME)


def _prefixed(tensors, prefix):
    return {key if key.startswith(prefix) else f"{prefix}/{key}": tensor for key, tensor in tensors.items()}


class TrainOutput(SupervisedOutput):
    """Of a graph for training."""

    METHOD_NAME = signature_constants.SUPERVISED_TRAIN_METHOD_NAME


class EvalOutput(SupervisedOutput):
    """Of a graph for evaluation."""

    METHOD_NAME = signature_constants.SUPERVISED_EVAL_METHOD_NAME
