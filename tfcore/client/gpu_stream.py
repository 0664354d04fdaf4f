"""`tf.gpu.stream`: the stream in which PyCUDA works beside a session."""

from tfcore.core.device import gpu
from tfcore.framework import errors
from tfcore.framework.device import parse


def stream(session, device="/gpu:0"):
    """A stream for a program's own work on a session's GPU, in order with what the session does there.

    Work that is put into the stream after this call comes after all work that the session's GPU had at the call. When
    an array is fed, or a function of `tf.gpu.cuda_func` returns, what is in the stream comes before the session's next
    work. The same holds for the default stream and for other streams that PyCUDA makes. Streams wait for each other;
    the host waits for nothing.

    Args:
      session: A `Session`.
      device: Name of one of its GPUs.

    Returns:
      A `pycuda.driver.Stream` in the primary context of the device; the same one in each call.

    Raises:
      ImportError: PyCUDA is not installed.
      tf.errors.InvalidArgumentError: The session has no such GPU in this process.
      tf.errors.UnavailableError: The device is lost.

    Example:

    ```python
    mine = tf.gpu.stream(sess, "/gpu:0")
    array.set_async(value, stream=mine)
    sess.run(y, {x: array})
    ```
    """
    wanted = parse(device)
    names = [d.name for d in session.list_devices()]
    found = [n for n in names if all(w in (None, p) for w, p in zip(wanted, parse(n))) and parse(n)[3] == "GPU"]
    if not found:
        raise errors.InvalidArgumentError(
            None, None, f"{device} is not a GPU of the session, which has {', '.join(names)}."
        )
    here = [n for n in found if gpu.is_here(n)]
    if not here:
        raise errors.InvalidArgumentError(None, None, f"{found[0]} is in another task: PyCUDA can't work there.")
    from tfcore.core.device import gpuarrays  # here: it imports PyCUDA

    return gpuarrays.ordered_stream(parse(here[0])[4])
