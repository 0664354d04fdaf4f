# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import Operation as Operation
from tfcore.saved_model import builder as builder
from tfcore.saved_model import constants as constants
from tfcore.saved_model import experimental as experimental
from tfcore.saved_model import loader as loader
from tfcore.saved_model import main_op as main_op
from tfcore.saved_model import signature_constants as signature_constants
from tfcore.saved_model import signature_def_utils as signature_def_utils
from tfcore.saved_model import tag_constants as tag_constants
from tfcore.saved_model import utils as utils
from typing import Any as _Any

__all__ = [
'ASSETS_DIRECTORY', 'ASSETS_KEY', 'Asset', 'Builder', 'CLASSIFY_INPUTS', 'CLASSIFY_METHOD_NAME',
'CLASSIFY_OUTPUT_CLASSES', 'CLASSIFY_OUTPUT_SCORES', 'DEBUG_DIRECTORY', 'DEBUG_INFO_FILENAME_PB',
'DEFAULT_SERVING_SIGNATURE_DEF_KEY', 'GPU', 'LEGACY_INIT_OP_KEY', 'MAIN_OP_KEY', 'PREDICT_INPUTS',
'PREDICT_METHOD_NAME', 'PREDICT_OUTPUTS', 'REGRESS_INPUTS', 'REGRESS_METHOD_NAME', 'REGRESS_OUTPUTS',
'SAVED_MODEL_FILENAME_PB', 'SAVED_MODEL_FILENAME_PBTXT', 'SAVED_MODEL_SCHEMA_VERSION', 'SERVING', 'SaveOptions', 'TPU',
'TRAINING', 'VARIABLES_DIRECTORY', 'VARIABLES_FILENAME', 'build_signature_def', 'build_tensor_info', 'builder',
'classification_signature_def', 'constants', 'contains_saved_model', 'experimental', 'get_tensor_from_tensor_info',
'is_valid_signature', 'load', 'loader', 'main_op', 'main_op_with_restore', 'maybe_saved_model_directory',
'predict_signature_def', 'regression_signature_def', 'signature_constants', 'signature_def_utils', 'simple_save',
'tag_constants', 'utils'
]

ASSETS_DIRECTORY: str

ASSETS_KEY: str

class Asset:
    """A file that a model needs, such as a vocabulary."""
    def __init__(self, path: _Any) -> None: ...
    @property
    def asset_path(self) -> _Any:
        """The path, a scalar `Tensor`."""

class Builder:
    """Writes a SavedModel: a folder with graphs, the values of their variables, and their files, for other programs."""
    def __init__(self, export_dir: _Any) -> None: ...
    def add_meta_graph(self, tags: _Any, signature_def_map: _Any = None, assets_collection: _Any = None, legacy_init_op: _Any = None, clear_devices: _Any = False, main_op: _Any = None, strip_default_attrs: _Any = False, saver: _Any = None) -> _Any:
        """Adds the default graph, which uses variables that are saved already."""
    def add_meta_graph_and_variables(self, sess: _Any, tags: _Any, signature_def_map: _Any = None, assets_collection: _Any = None, legacy_init_op: _Any = None, clear_devices: _Any = False, main_op: _Any = None, strip_default_attrs: _Any = False, saver: _Any = None) -> _Any:
        """Adds the default graph and saves its variables; to be called first, and once."""
    def save(self, as_text: _Any = False, experimental_image_format: _Any = False, experimental_image_writer_options: _Any = None) -> _Any:
        """Writes the file that makes the folder a SavedModel."""

CLASSIFY_INPUTS: str

CLASSIFY_METHOD_NAME: str

CLASSIFY_OUTPUT_CLASSES: str

CLASSIFY_OUTPUT_SCORES: str

DEBUG_DIRECTORY: str

DEBUG_INFO_FILENAME_PB: str

DEFAULT_SERVING_SIGNATURE_DEF_KEY: str

GPU: str

LEGACY_INIT_OP_KEY: str

MAIN_OP_KEY: str

PREDICT_INPUTS: str

PREDICT_METHOD_NAME: str

PREDICT_OUTPUTS: str

REGRESS_INPUTS: str

REGRESS_METHOD_NAME: str

REGRESS_OUTPUTS: str

SAVED_MODEL_FILENAME_PB: str

SAVED_MODEL_FILENAME_PBTXT: str

SAVED_MODEL_SCHEMA_VERSION: int

SERVING: str

class SaveOptions:
    """Options of TensorFlow 2's `tf.saved_model.save`. `tf.saved_model.Builder` needs none."""
    def __init__(self, namespace_whitelist: _Any = None, save_debug_info: _Any = False, function_aliases: _Any = None, experimental_debug_stripper: _Any = False, experimental_io_device: _Any = None, experimental_variable_policy: _Any = None, experimental_custom_gradients: _Any = True, experimental_image_format: _Any = False, experimental_skip_saver: _Any = False, experimental_sharding_callback: _Any = None, extra_tags: _Any = None) -> None: ...
    experimental_custom_gradients: _Any
    experimental_debug_stripper: _Any
    experimental_image_format: _Any
    experimental_io_device: _Any
    experimental_sharding_callback: _Any
    experimental_skip_saver: _Any
    experimental_variable_policy: _Any
    extra_tags: _Any
    function_aliases: _Any
    namespace_whitelist: _Any
    save_debug_info: _Any

TPU: str

TRAINING: str

VARIABLES_DIRECTORY: str

VARIABLES_FILENAME: str

def build_signature_def(inputs: _Any = None, outputs: _Any = None, method_name: _Any = None, defaults: _Any = None) -> _Any:
    """Makes a SignatureDef."""

def build_tensor_info(tensor: _Any) -> _Any:
    """Describes a tensor by its name, type and static shape."""

def classification_signature_def(examples: _Any, classes: _Any, scores: _Any) -> _Any:
    """A signature for TensorFlow Serving's Classify: from serialized examples to labels and scores."""

def contains_saved_model(export_dir: _Any) -> builtins.bool:
    """Whether a folder has the file of a SavedModel; it need not be complete."""

def get_tensor_from_tensor_info(tensor_info: _Any, graph: _Any = None, import_scope: _Any = None) -> _Any:
    """The tensor that a TensorInfo describes."""

def is_valid_signature(signature_def: _Any) -> builtins.bool:
    """Whether TensorFlow Serving can serve a signature."""

def load(sess: _Any, tags: _Any, export_dir: _Any, import_scope: _Any = None, **saver_kwargs: _Any) -> _Any:
    """Loads a graph of a SavedModel into a session: adds it to the session's graph, restores the variables, and runs
    the operation that the SavedModel names for this, with the paths of its assets."""

def main_op_with_restore(restore_op_name: _Any) -> Operation:
    """Adds an operation that initializes all variables and tables, and then restores."""

maybe_saved_model_directory = contains_saved_model

def predict_signature_def(inputs: _Any, outputs: _Any) -> _Any:
    """A signature for TensorFlow Serving's Predict: any inputs and outputs."""

def regression_signature_def(examples: _Any, predictions: _Any) -> _Any:
    """A signature for TensorFlow Serving's Regress: from serialized examples to numbers."""

def simple_save(session: _Any, export_dir: _Any, inputs: _Any, outputs: _Any, legacy_init_op: _Any = None) -> _Any:
    """Writes a SavedModel with one graph, for TensorFlow Serving's Predict; its files are those in the collection
    ASSET_FILEPATHS."""
