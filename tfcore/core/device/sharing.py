"""What `tf.gpu` has for programs that use PyCUDA, which is imported with the first call."""

from tfcore.core.device.device_tensor import DeviceTensor


def as_gpuarray(tensor):
    """A PyCUDA array over a value that a session left on a GPU.

    The array uses the value's memory and keeps it, whatever the session does; so do its views. It is read-only, because
    the graph may still read the same memory: `set`, `fill`, item assignment and in-place operators raise ValueError,
    and kernels must not write to it. Change a copy: `array.copy()`. Results of arithmetic are arrays of their own.

    Work in the default stream, and in streams made by PyCUDA, comes after the work that computes the value. Nothing
    waits for that on the host. The primary context of the value's device must be current in this thread
    (`import pycuda.autoprimaryctx`).

    Args:
      tensor: A `DeviceTensor`: what a callable returns for its `fetch_devices`, not a value on the host.

    Returns:
      A `pycuda.gpuarray.GPUArray` of the value's shape and type.

    Raises:
      ImportError: PyCUDA is not installed.
      TypeError: It is not a `DeviceTensor`, or it has the type bfloat16, which PyCUDA does not have.
      tf.errors.InvalidArgumentError: The primary context of its device is not current.
      tf.errors.UnavailableError: The device is lost.

    Example:

    ```python
    import pycuda.autoprimaryctx
    from pycuda import gpuarray

    step = sess.make_callable(y, [x], fetch_devices="/gpu:0")
    total = gpuarray.sum(tf.gpu.as_gpuarray(step(value)))
    ```
    """
    if not isinstance(tensor, DeviceTensor):
        raise TypeError(
            f"as_gpuarray takes a value in the memory of a GPU, as a callable with `fetch_devices` returns it, not "
            f"{type(tensor).__name__}."
        )
    from tfcore.core.device import gpuarrays

    return gpuarrays.from_tensor(tensor)


def allocator(nbytes):
    """Memory of a session's GPU for a PyCUDA array: an allocator as `pycuda.gpuarray` takes it.

    It gives memory of the device whose primary context is current, as sessions get theirs: within the session's limit,
    and counted with its tensors. What a function of `tf.gpu.cuda_func` returns in such memory is handed over without a
    copy. The memory may be released on any thread; it is reused once the work that is then in the default stream and in
    streams made by PyCUDA is done.

    Args:
      nbytes: The number of bytes, an integer.

    Returns:
      A `pycuda.driver.PointerHolderBase`, whose memory stays as long as it lives.

    Raises:
      ImportError: PyCUDA is not installed.
      pycuda.driver.MemoryError: There is no memory.
      tf.errors.InvalidArgumentError: No primary context of a session's GPU is current.

    Example:

    ```python
    array = pycuda.gpuarray.empty((2, 3), np.float32, allocator=tf.gpu.allocator)
    ```
    """
    from tfcore.core.device import gpuarrays

    return gpuarrays.allocate(nbytes)
