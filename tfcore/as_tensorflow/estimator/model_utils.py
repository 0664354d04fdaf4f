"""tensorflow.python.saved_model.model_utils: the signatures and folders of exported models."""

import logging
import os
import time

import tfcore as tf
from tfcore.as_tensorflow.estimator.export_output import (
    ClassificationOutput,
    EvalOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
    TrainOutput,
)
from tfcore.saved_model import constants, signature_constants, tag_constants

__all__ = [
    "ClassificationOutput",
    "EvalOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "TrainOutput",
]

SINGLE_FEATURE_DEFAULT_NAME = "feature"
SINGLE_LABEL_DEFAULT_NAME = "label"
SINGLE_RECEIVER_DEFAULT_NAME = "input"
_SERVING = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
_EVAL = signature_constants.DEFAULT_EVAL_SIGNATURE_DEF_KEY
# Modes have the names of estimators and those of Keras.
EXPORT_TAG_MAP = {
    "train": [tag_constants.TRAINING],
    **dict.fromkeys(("eval", "test"), [tag_constants.EVAL]),
    **dict.fromkeys(("infer", "predict"), [tag_constants.SERVING]),
}
SIGNATURE_KEY_MAP = {
    "train": signature_constants.DEFAULT_TRAIN_SIGNATURE_DEF_KEY,
    **dict.fromkeys(("eval", "test"), _EVAL),
    **dict.fromkeys(("infer", "predict"), _SERVING),
}
_ATTEMPTS = 10


class EstimatorModeKeys:
    """The modes of an estimator."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class KerasModeKeys:
    """The modes of a model of Keras."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


def build_all_signature_defs(receiver_tensors, export_outputs, receiver_tensors_alternatives=None, serving_only=True):
    """The signatures of a graph: one for each output and set of inputs that fit together.

    Args:
      receiver_tensors: The inputs: a tensor, or a dict of tensors.
      export_outputs: {key of the signature: ExportOutput}
      receiver_tensors_alternatives: {name: other inputs}; their signatures are called "NAME:KEY".
      serving_only: Whether signatures that TensorFlow Serving doesn't know are left out.

    Returns:
      {key: SignatureDef}

    Raises:
      ValueError: `export_outputs` or `receiver_tensors_alternatives` is not a dict.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(f"`export_outputs` must be a dict and not {type(export_outputs)}.")
    inputs = {None: receiver_tensors}
    if receiver_tensors_alternatives is not None:
        if not isinstance(receiver_tensors_alternatives, dict):
            raise ValueError(
                f"`receiver_tensors_alternatives` must be a dict and not {type(receiver_tensors_alternatives)}."
            )
        inputs.update(receiver_tensors_alternatives)
    found = {}
    for name, tensors in inputs.items():
        tensors = tensors if isinstance(tensors, dict) else {SINGLE_RECEIVER_DEFAULT_NAME: tensors}
        for key, output in export_outputs.items():
            full_key = key if name is None else f"{name or 'None'}:{key or 'None'}"
            try:
                found[full_key] = output.as_signature_def(tensors)
            except ValueError as error:
                logging.getLogger("tfcore").info("Export does not include the signature %r: %s", full_key, error)
    if not serving_only:
        return found
    return {key: signature for key, signature in found.items() if _is_for_serving(signature)}


def _is_for_serving(signature):
    return tf.saved_model.signature_def_utils.is_valid_signature(signature)


def get_timestamped_export_dir(export_dir_base):
    """A path, as bytes, for a new folder whose name is the current time in seconds.

    Raises:
      RuntimeError: There is a folder of that name, also after some seconds.
    """
    for _ in range(_ATTEMPTS):
        path = os.path.join(os.fsencode(export_dir_base), str(int(time.time())).encode())
        if not tf.gfile.Exists(path):
            return path
        time.sleep(1)
    raise RuntimeError(f"Failed to obtain a unique export directory name after {_ATTEMPTS} attempts.")


def get_temp_export_dir(timestamped_export_dir):
    """A path, as bytes, for the folder while it is written."""
    folder, name = os.path.split(os.fsencode(timestamped_export_dir))
    return os.path.join(folder, b"temp-" + name)


def get_export_outputs(export_outputs, predictions):
    """The outputs of a model for serving; without any, its predictions. One of them is the default signature.

    Raises:
      TypeError: They are not a dict of ExportOutputs.
      ValueError: There are several, and none is the default.
    """
    if export_outputs is None:
        export_outputs = {_SERVING: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {export_outputs}")
    for output in export_outputs.values():
        if not isinstance(output, ExportOutput):
            raise TypeError(f"Values in export_outputs must be ExportOutput objects. Given: {export_outputs}")
    if len(export_outputs) == 1:
        return {_SERVING: next(iter(export_outputs.values())), **export_outputs}
    if export_outputs and _SERVING not in export_outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default.  Do this by naming "
            "one of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    return export_outputs


def export_outputs_for_mode(mode, serving_export_outputs=None, predictions=None, loss=None, metrics=None):
    """What a graph for training, evaluation or serving exports: {key of the signature: ExportOutput}.

    Raises:
      ValueError: There is no such mode.
    """
    if mode not in SIGNATURE_KEY_MAP:
        raise ValueError(f"Export output type not found for mode: {mode}. Expected one of: {list(SIGNATURE_KEY_MAP)}.")
    key = SIGNATURE_KEY_MAP[mode]
    if key == _SERVING:
        return get_export_outputs(serving_export_outputs, predictions)
    kind = EvalOutput if key == _EVAL else TrainOutput
    return {key: kind(loss=loss, predictions=predictions, metrics=metrics)}


# ---- utils_impl


def get_variables_dir(export_dir):
    """The folder of the variables of a SavedModel, as a str."""
    return os.path.join(os.fsdecode(export_dir), constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir):
    """The checkpoint in a SavedModel."""
    return os.path.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir):
    """The folder of the files that a SavedModel comes with."""
    return os.path.join(os.fsdecode(export_dir), constants.ASSETS_DIRECTORY)
