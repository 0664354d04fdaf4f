"""What a program tells a `Saver` to save besides variables."""


class SaveSpec:
    """A tensor to save.

    Args:
      tensor: The `Tensor`, or a function that makes it.
      slice_spec: Which slice of the tensor in the checkpoint it is, such as "4 5 0,2:-"
        (`ops/checkpoint/checkpoint.py`); "": all.
      name: The name in the checkpoint.
      dtype: Its type; required for a function.
      device: Its device; required for a function.
    """

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype = tensor.dtype if dtype is None else dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self):
        """The tensor; a function is called for it."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Derive from it to save other things than variables, and add the object to the collection SAVEABLE_OBJECTS.

    Args:
      op: What is saved; two objects with the same one are an error.
      specs: A list of `SaveSpec`s.
      name: The name in the checkpoint.
    """

    def __init__(self, op, specs, name):
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self):
        """The device of the first tensor."""
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """Adds the operation that restores the object; derived classes define it.

        Args:
          restored_tensors: A `Tensor` for each spec.
          restored_shapes: None, or the shape to give to each.

        Returns:
          An `Operation` or `Tensor`.
        """
        raise ValueError("Calling an abstract method.")
