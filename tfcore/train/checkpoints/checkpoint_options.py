"""tf.train.CheckpointOptions: accepted where checkpoints are written as they are without."""

from tfcore.framework import errors


class CheckpointOptions:
    """Options of object-based checkpoints in TensorFlow 2. The ones that would change what is written are refused.

    Args:
      experimental_io_device: The device that reads and writes files: the CPU, or None.
      experimental_enable_async_checkpoint: The older name of `enable_async`.
      experimental_write_callbacks: Functions to call after a checkpoint was written: must be None.
      enable_async: Whether training goes on while a checkpoint is written: must be False.
      experimental_skip_slot_variables: Whether slots of optimizers are not restored: must be False.
      experimental_sharding_callback: How a checkpoint is cut into files: must be None.

    Raises:
      UnimplementedError: An option is set that would change something.
    """

    def __init__(
        self,
        experimental_io_device=None,
        experimental_enable_async_checkpoint=False,
        experimental_write_callbacks=None,
        enable_async=False,
        experimental_skip_slot_variables=False,
        experimental_sharding_callback=None,
    ):
        given = {
            "experimental_write_callbacks": experimental_write_callbacks,
            "enable_async": enable_async or experimental_enable_async_checkpoint,
            "experimental_skip_slot_variables": experimental_skip_slot_variables,
            "experimental_sharding_callback": experimental_sharding_callback,
        }
        for name, value in given.items():
            if value:
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"CheckpointOptions({name}={value!r}) is not implemented. CheckpointSaverHook(in_background=True) "
                    "writes while training goes on, and Saver(var_list) saves a part.",
                )
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = self.enable_async = False
        self.experimental_write_callbacks = None
        self.experimental_skip_slot_variables = False
        self.experimental_sharding_callback = None
