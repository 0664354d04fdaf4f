"""Reads checkpoints without a graph: `tf.train.NewCheckpointReader`."""

import os

from tfcore.core.registry.checkpoint import CheckpointFile
from tfcore.framework import errors
from tfcore.framework.of_this_process import OfThisProcess
from tfcore.framework.types import dtypes


def _text(name):
    return name if isinstance(name, str) else os.fsdecode(name)


class CheckpointReader(OfThisProcess):
    """The tensors of a checkpoint of either format. Made by `tf.train.NewCheckpointReader`; threads may share it."""

    _instead = ", where its file is open. Make one with tf.train.load_checkpoint in the other process"

    def __init__(self, filepattern):
        self._pattern = os.fsencode(filepattern)
        self._file = CheckpointFile(self._pattern)

    def has_tensor(self, tensor_str):
        """Whether there is a tensor of a name.

        Args:
          tensor_str: The name, a string or bytes.

        Returns:
          A bool.
        """
        return _text(tensor_str) in self._file

    def get_tensor(self, tensor_str):
        """Reads a tensor and compares its checksum.

        Args:
          tensor_str: The name, a string or bytes.

        Returns:
          A NumPy array, or bytes for a scalar of type string.

        Raises:
          tf.errors.NotFoundError: There is no such tensor, or a file is missing.
          tf.errors.DataLossError: A file is damaged.
          tf.errors.UnimplementedError: The type has no values outside of TensorFlow.
        """
        name = _text(tensor_str)
        try:
            return self._file.read(name)
        except KeyError:
            raise errors.NotFoundError(
                None, None, f"Key {name} not found in checkpoint {os.fsdecode(self._pattern)}"
            ) from None

    def get_variable_to_shape_map(self):
        """The shapes of all tensors.

        Returns:
          A dict from names to lists of ints.
        """
        return {name: list(shape) for name, _, shape, _ in self._file.tensors()}

    def get_variable_to_dtype_map(self):
        """The types of all tensors.

        Returns:
          A dict from names to `DType`s.
        """
        return {name: dtypes.as_dtype(number) for name, number, _, _ in self._file.tensors()}

    def debug_string(self):
        """All tensors, a line each.

        Returns:
          Bytes: lines of name, type and shape.
        """
        lines = [
            f"{name} ({_type_name(number)}) [{','.join(map(str, shape))}]"
            for name, number, shape, _ in self._file.tensors()
        ]
        return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def _type_name(number):
    dtype = dtypes.as_dtype(number)
    return f"DT_{dtypes.SHORT_NAMES.get(dtype, dtype.name).upper()}"


def NewCheckpointReader(filepattern):
    """Opens a checkpoint.

    Args:
      filepattern: Prefix of the checkpoint, as `tf.train.Saver.save` returns it. Files of the first format may be named
        by a pattern.

    Returns:
      A `CheckpointReader`.

    Raises:
      tf.errors.NotFoundError: There is no such checkpoint.
      tf.errors.DataLossError: It is damaged.
    """
    return CheckpointReader(filepattern)
