"""Which tensors a step dumps, and where: the watches in RunOptions."""

import re


class WatchOptions:
    """Which tensors are watched; what a `watch_fn` returns.

    Args:
      debug_ops: Names of debug ops; "DebugIdentity" is the only one that tfcore has.
      node_name_regex_whitelist: Watches operations whose names match (optional).
      op_type_regex_whitelist: Watches operations whose types match (optional).
      tensor_dtype_regex_whitelist: Watches tensors whose element types match (optional).
      tolerate_debug_op_creation_failures: Accepted for compatibility; has no effect.
      **allowlists: The same regular expressions by their later names, such as `node_name_regex_allowlist`.
    """

    def __init__(
        self,
        debug_ops=None,
        node_name_regex_whitelist=None,
        op_type_regex_whitelist=None,
        tensor_dtype_regex_whitelist=None,
        tolerate_debug_op_creation_failures=False,
        **allowlists,
    ):
        given = _renamed(allowlists, "allowlist", "whitelist")
        self.debug_ops = debug_ops or ["DebugIdentity"]
        self.node_name_regex_whitelist = given.pop("node_name_regex_whitelist", node_name_regex_whitelist)
        self.op_type_regex_whitelist = given.pop("op_type_regex_whitelist", op_type_regex_whitelist)
        self.tensor_dtype_regex_whitelist = given.pop("tensor_dtype_regex_whitelist", tensor_dtype_regex_whitelist)
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures
        _refuse(given)

    def __repr__(self):
        return f"WatchOptions({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def watch(self, run_options, graph, debug_urls):
        """Adds the watches to RunOptions."""
        patterns = self.node_name_regex_whitelist, self.op_type_regex_whitelist, self.tensor_dtype_regex_whitelist
        watch_graph(run_options, graph, self.debug_ops, debug_urls, *patterns)


def _renamed(values, suffix, wanted):
    return {re.sub(f"{suffix}$", wanted, name): value for name, value in values.items()}


def _refuse(unknown):
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {next(iter(unknown))!r}")


def _list(value):
    return [value] if isinstance(value, str) else list(value or ())


def add_debug_tensor_watch(
    run_options,
    node_name,
    output_slot=0,
    debug_ops="DebugIdentity",
    debug_urls=None,
    tolerate_debug_op_creation_failures=False,
    global_step=-1,
):
    """Adds one tensor to those that a step dumps.

    Args:
      run_options: The `tf.RunOptions`.
      node_name: The name of the operation; "*" for all.
      output_slot: The index of its output.
      debug_ops: Names of debug ops, see `WatchOptions`.
      debug_urls: URLs of folders, such as "file:///tmp/dump".
      tolerate_debug_op_creation_failures: Accepted for compatibility; has no effect.
      global_step: A number that is kept with the options.
    """
    run_options.debug_options.global_step = global_step
    run_options.debug_options.debug_tensor_watch_opts.add(
        node_name=node_name,
        output_slot=output_slot,
        debug_ops=_list(debug_ops),
        debug_urls=_list(debug_urls),
        tolerate_debug_op_creation_failures=tolerate_debug_op_creation_failures,
    )


def watch_graph(
    run_options,
    graph,
    debug_ops="DebugIdentity",
    debug_urls=None,
    node_name_regex_whitelist=None,
    op_type_regex_whitelist=None,
    tensor_dtype_regex_whitelist=None,
    tolerate_debug_op_creation_failures=False,
    global_step=-1,
    reset_disk_byte_usage=False,
    **allowlists,
):
    """Makes a step dump the tensors of a graph: all, or those that match each of the regular expressions.

    Args:
      run_options: The `tf.RunOptions`.
      graph: The `tf.Graph`.
      debug_ops: Names of debug ops, see `WatchOptions`.
      debug_urls: URLs of folders, such as "file:///tmp/dump".
      node_name_regex_whitelist: For names of operations (optional).
      op_type_regex_whitelist: For op types (optional).
      tensor_dtype_regex_whitelist: For element types (optional).
      tolerate_debug_op_creation_failures: Accepted for compatibility; has no effect.
      global_step: A number that is kept with the options.
      reset_disk_byte_usage: Accepted for compatibility; has no effect.
      **allowlists: The same regular expressions by their later names.

    Raises:
      ValueError: There are no debug ops or URLs.
    """
    if not debug_ops:
        raise ValueError("debug_ops must not be empty or None.")
    if not debug_urls:
        raise ValueError("debug_urls must not be empty or None.")
    given = _renamed(allowlists, "allowlist", "whitelist")
    node = given.pop("node_name_regex_whitelist", node_name_regex_whitelist)
    type_ = given.pop("op_type_regex_whitelist", op_type_regex_whitelist)
    dtype = given.pop("tensor_dtype_regex_whitelist", tensor_dtype_regex_whitelist)
    _refuse(given)
    rest = debug_ops, debug_urls, tolerate_debug_op_creation_failures, global_step
    if not (node or type_ or dtype):
        add_debug_tensor_watch(run_options, "*", -1, *rest)
    else:
        for tensor in _tensors(graph):
            patterns = (node, tensor.op.name), (type_, tensor.op.type), (dtype, tensor.dtype.name)
            if all(re.match(pattern, text) for pattern, text in patterns if pattern):
                add_debug_tensor_watch(run_options, tensor.op.name, tensor.value_index, *rest)
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


def watch_graph_with_blacklists(
    run_options,
    graph,
    debug_ops="DebugIdentity",
    debug_urls=None,
    node_name_regex_blacklist=None,
    op_type_regex_blacklist=None,
    tensor_dtype_regex_blacklist=None,
    tolerate_debug_op_creation_failures=False,
    global_step=-1,
    reset_disk_byte_usage=False,
    **denylists,
):
    """Makes a step dump the tensors of a graph that match none of the regular expressions.

    Args:
      run_options: The `tf.RunOptions`.
      graph: The `tf.Graph`.
      debug_ops: Names of debug ops, see `WatchOptions`.
      debug_urls: URLs of folders, such as "file:///tmp/dump".
      node_name_regex_blacklist: For names of operations (optional).
      op_type_regex_blacklist: For op types (optional).
      tensor_dtype_regex_blacklist: For element types (optional).
      tolerate_debug_op_creation_failures: Accepted for compatibility; has no effect.
      global_step: A number that is kept with the options.
      reset_disk_byte_usage: Accepted for compatibility; has no effect.
      **denylists: The same regular expressions by their later names, such as `node_name_regex_denylist`.
    """
    given = _renamed(denylists, "denylist", "blacklist")
    node = given.pop("node_name_regex_blacklist", node_name_regex_blacklist)
    type_ = given.pop("op_type_regex_blacklist", op_type_regex_blacklist)
    dtype = given.pop("tensor_dtype_regex_blacklist", tensor_dtype_regex_blacklist)
    _refuse(given)
    rest = debug_ops, debug_urls, tolerate_debug_op_creation_failures, global_step
    for tensor in _tensors(graph):
        patterns = (node, tensor.op.name), (type_, tensor.op.type), (dtype, tensor.dtype.name)
        if not any(re.match(pattern, text) for pattern, text in patterns if pattern):
            add_debug_tensor_watch(run_options, tensor.op.name, tensor.value_index, *rest)
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


watch_graph_with_denylists = watch_graph_with_blacklists


def _tensors(graph):
    return [tensor for op in graph.get_operations() for tensor in op.outputs]
