"""Options of `tf.saved_model.save`, and files that a model needs: objects that programs make and pass on."""

import enum

from tfcore.framework.graph.graph import GraphKeys, add_to_collection
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.variables.trackable import AutoTrackable


class VariablePolicy(enum.Enum):
    """What a saved model knows of the devices and copies of variables."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"


class Asset(AutoTrackable):
    """A file that a model needs, such as a vocabulary.

    Its path is a constant in the collection ASSET_FILEPATHS, whose files `Builder` copies when it gets
    `assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)`.

    Args:
      path: The path, a string or a scalar `Tensor`.
    """

    def __init__(self, path):
        self._path = convert_to_tensor(path, dtypes.string, name="asset_path")
        add_to_collection(GraphKeys.ASSET_FILEPATHS, self._path)

    @property
    def asset_path(self):
        """The path, a scalar `Tensor`."""
        return self._path


class SaveOptions:
    """Options of TensorFlow 2's `tf.saved_model.save`. `tf.saved_model.Builder` needs none.

    Args:
      namespace_whitelist: Names of op namespaces that a model may use.
      save_debug_info: Whether the lines of the program are saved.
      function_aliases: A dict from names to functions.
      experimental_debug_stripper: Whether assertions are left out.
      experimental_io_device: The device that reads and writes files.
      experimental_variable_policy: A `VariablePolicy`, or its value.
      experimental_custom_gradients: Whether gradients of the program are saved.
      experimental_image_format: Whether the model is one file of another format.
      experimental_skip_saver: Whether operations that save are left out.
      experimental_sharding_callback: How a checkpoint is cut into files.
      extra_tags: Further tags.

    Raises:
      ValueError: The policy is not valid.
    """

    def __init__(
        self,
        namespace_whitelist=None,
        save_debug_info=False,
        function_aliases=None,
        experimental_debug_stripper=False,
        experimental_io_device=None,
        experimental_variable_policy=None,
        experimental_custom_gradients=True,
        experimental_image_format=False,
        experimental_skip_saver=False,
        experimental_sharding_callback=None,
        extra_tags=None,
    ):
        policy = experimental_variable_policy
        if isinstance(policy, str):
            policy = policy.lower()
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy(policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags
