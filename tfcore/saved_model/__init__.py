"""The namespace tf.saved_model: graphs with their variables and files, in TensorFlow's format."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfcore.saved_model.signature_constants import (
    CLASSIFY_INPUTS,
    CLASSIFY_METHOD_NAME,
    CLASSIFY_OUTPUT_CLASSES,
    CLASSIFY_OUTPUT_SCORES,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    PREDICT_INPUTS,
    PREDICT_METHOD_NAME,
    PREDICT_OUTPUTS,
    REGRESS_INPUTS,
    REGRESS_METHOD_NAME,
    REGRESS_OUTPUTS,
)
from tfcore.saved_model.tag_constants import GPU, SERVING, TPU, TRAINING

_SIGNATURES = (
    "build_signature_def",
    "classification_signature_def",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
)
_MODULES = (
    "builder",
    "constants",
    "loader",
    "main_op",
    "signature_constants",
    "signature_def_utils",
    "tag_constants",
    "utils",
)

__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "Builder",
    "CLASSIFY_INPUTS",
    "CLASSIFY_METHOD_NAME",
    "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "GPU",
    "LEGACY_INIT_OP_KEY",
    "MAIN_OP_KEY",
    "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME",
    "PREDICT_OUTPUTS",
    "REGRESS_INPUTS",
    "REGRESS_METHOD_NAME",
    "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_SCHEMA_VERSION",
    "SERVING",
    "TPU",
    "TRAINING",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
    "build_tensor_info",
    "contains_saved_model",
    "get_tensor_from_tensor_info",
    "load",
    "main_op_with_restore",
    "maybe_saved_model_directory",
    "simple_save",
    *_MODULES,
    *_SIGNATURES,
]

# Imported on first use, as they need protocol buffers.
__getattr__, __dir__ = _lazy_names(
    globals(),
    {
        "Builder": "tfcore.saved_model.builder:SavedModelBuilder",
        "build_tensor_info": "tfcore.saved_model.utils",
        "contains_saved_model": "tfcore.saved_model.loader:maybe_saved_model_directory",
        "get_tensor_from_tensor_info": "tfcore.saved_model.utils",
        "load": "tfcore.saved_model.loader",
        "main_op_with_restore": "tfcore.saved_model.main_op",
        "maybe_saved_model_directory": "tfcore.saved_model.loader",
        "simple_save": "tfcore.saved_model.builder",
        **dict.fromkeys(_SIGNATURES, "tfcore.saved_model.signature_def_utils"),
        **{name: f"tfcore.saved_model.{name}." for name in _MODULES},
    },
)
