"""tf.debugging: switches for all sessions of the process. `ProcessOptions` keeps them."""

from tfcore.client import process_options


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Makes all steps of new sessions fail where a NaN or an infinity appears, as `RunOptions(check_numerics=True)`.

    The error names the first operation that makes one, and its line. Steps run without rewrites, so they are slower.

    Args:
      stack_height_limit: Accepted for compatibility; has no effect: errors name the program's line.
      path_length_limit: Accepted for compatibility; has no effect.

    Raises:
      Nothing.
    """
    process_options.state.checks_numerics = True


def disable_check_numerics():
    """Ends what `enable_check_numerics` began, for new sessions."""
    process_options.state.checks_numerics = False


def enable_traceback_filtering():
    """Notes that tracebacks should leave out the package's own frames. Errors name the program's line in any case."""
    process_options.state.filters_tracebacks = True


def disable_traceback_filtering():
    """Notes that tracebacks should have all frames, which they have in any case."""
    process_options.state.filters_tracebacks = False


def is_traceback_filtering_enabled():
    """What was noted last by the functions that enable and disable it.

    Returns:
      A bool, True at first.
    """
    return process_options.state.filters_tracebacks


def enable_dump_debug_info(
    dump_root, tensor_debug_mode="NO_TENSOR", circular_buffer_size=1000, op_regex=None, tensor_dtypes=None
):
    """Raises an error: there is no debugger for such files.

    Args:
      dump_root: A folder.
      tensor_debug_mode: What would be written of tensors.
      circular_buffer_size: How many events would be kept.
      op_regex: For which operations.
      tensor_dtypes: For which types.

    Raises:
      UnimplementedError: In any case.
    """
    process_options.refuse(
        "tf.debugging.experimental.enable_dump_debug_info",
        "RunOptions(trace_level=RunOptions.FULL_TRACE) and RunMetadata show what a step did; "
        "tf.debugging.enable_check_numerics finds NaN.",
    )


def disable_dump_debug_info():
    """Does nothing: nothing is written."""
