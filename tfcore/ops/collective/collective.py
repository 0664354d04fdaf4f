"""Collectives: every rank of a group runs the same operation, and each gets a result made of all ranks' values.

Operations are matched by name (or `key`): the n-th run on one rank belongs to the n-th run on the others, so the graphs
must use the same names. If ranks disagree in types, shapes or operations, all get an InvalidArgumentError that names
both. If the process of a rank ends, the others get an UnavailableError; if a step fails or is cancelled, an
AbortedError.

A rank is a position in the group; `group` is a list of ranks of the cluster, the name of a job, or None: the workers.
`survivors(group)` are those of a group that live.
"""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.graph.graph import convert_to_tensor, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal

_NUMBERS = (
    "{bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}"
)
_GROUP = ["group: list(int) = []", "job: string = ''", "instance_key: string = ''", "survivors: bool = false"]
_OPS = {"sum": ("Add", "Id"), "mean": ("Add", "Div"), "min": ("Min", "Id"), "max": ("Max", "Id"), "prod": ("Mul", "Id")}


def _rows_unknown(op):
    dims = op.inputs[0].dims
    return None if dims is None else (None, *dims[1:])


GroupAllreduce = define_op(
    "GroupAllreduce",
    inputs=["input: N * T"],
    outputs=["output: N * T"],
    attrs=[
        "N: int >= 1",
        f"T: {_NUMBERS}",
        "merge_op: {'Add', 'Mul', 'Min', 'Max'}",
        "final_op: {'Id', 'Div'} = 'Id'",
        *_GROUP,
        "labels: list(string) = []",
    ],
    shape=lambda op: [t.dims for t in op.inputs],
    stateful=True,
    doc="Combines each input with those of the other ranks, element by element, in the order of the ranks.",
)
GroupAllgather = define_op(
    "GroupAllgather",
    inputs=["input: T"],
    outputs=["output: T", "sizes: int64"],
    attrs=["T: type", *_GROUP],
    shape=lambda op: [_rows_unknown(op) if op.inputs[0].dims != () else (None,), (None,)],
    stateful=True,
    doc="The rows of all ranks in the order of the ranks, and how many rows each had. A scalar counts as one row.",
)
GroupBroadcast = define_op(
    "GroupBroadcast",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: type", "root: int = 0", *_GROUP],
    shape=lambda op: [op.inputs[0].dims],
    stateful=True,
    doc="The value of the rank `root`; the others provide one of the same type and shape.",
)
GroupReduceScatter = define_op(
    "GroupReduceScatter",
    inputs=["input: T", "sizes: int64"],
    outputs=["output: T"],
    attrs=[
        f"T: {_NUMBERS}",
        "merge_op: {'Add', 'Mul', 'Min', 'Max'}",
        "final_op: {'Id', 'Div'} = 'Id'",
        *_GROUP,
    ],
    shape=lambda op: [_rows_unknown(op)],
    stateful=True,
    doc="Combines the inputs as GroupAllreduce does; each rank gets its rows. Empty `sizes` mean equal shares.",
)
GroupBarrier = define_op(
    "GroupBarrier",
    inputs=[],
    outputs=[],
    attrs=_GROUP,
    stateful=True,
    doc="Ends when all ranks of the group have reached it.",
)
GroupCheckEqual = define_op(
    "GroupCheckEqual",
    inputs=["input: T"],
    outputs=[],
    attrs=["T: list(type)", *_GROUP, "labels: list(string) = []"],
    stateful=True,
    doc="""Fails where the ranks have different values, and names the first input that differs.

    Values are compared bit by bit; of large ones each run compares a part, and 64 runs all of them.""",
)
not_differentiable("GroupBarrier", "GroupCheckEqual")


class Survivors:
    """What `survivors` returns: those of a group that live when a step is compiled."""

    def __init__(self, group):
        self.group = group


def survivors(group=None):
    """The ranks of a group that live: collectives among them continue when one of the others is lost.

    A collective is among those that live when its step is compiled. If one of these is lost, it fails; a new session
    compiles it for those that are left. When a place is taken again, its new process takes part. Ranks that have not
    heard of a loss yet fail when they do, so that all that continue agree.

    Args:
      group: A list of ranks, or the name of a job; by default the job "worker", or all processes if there is none.

    Returns:
      A group for the functions of `tf.distributed`.

    Raises:
      ValueError: An empty list.

    Example:

    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.distributed.allreduce(2.0, group=tf.distributed.survivors())))
    2.0
    """
    if isinstance(group, Survivors):
        return group
    _group_attrs(group)
    return Survivors(group)


def _group_attrs(group, key=None):
    if isinstance(group, Survivors):
        return {**_group_attrs(group.group, key), "survivors": True}
    attrs = {"instance_key": key} if key else {}
    if isinstance(group, str):
        return {"job": group, **attrs}
    if group is None:
        return attrs
    group = [int(r) for r in group]
    if not group:
        raise ValueError("A group needs at least one rank.")
    return {"group": sorted(group), **attrs}


def attrs_of_group(op):
    """The group of an operation, for its gradient; keys are not shared."""
    return {"group": list(op.attrs["group"]), "job": op.attrs["job"], "survivors": op.attrs["survivors"]}


def group_of(attrs):
    """The group that the attributes of an operation describe."""
    group = list(attrs["group"]) or attrs["job"].decode() or None
    return Survivors(group) if attrs["survivors"] else group


def merge_attrs(op, allowed=tuple(_OPS)):
    if op not in allowed:
        raise ValueError(f"op must be one of {', '.join(map(repr, allowed))}, not {op!r}.")
    merge, final = _OPS[op]
    return {"merge_op": merge, "final_op": final}


def _check_number(tensor, what, op):
    """Raises TypeError if the values of a tensor can't be combined."""
    dtype = tensor.dtype.base_dtype
    if dtype == dtypes.bool:
        raise TypeError(
            f"{what} does not combine bool values: cast '{tensor.name}' to an integer type; op='max' is then a "
            "logical or, "
            "op='min' a logical and."
        )
    if dtype not in GroupAllreduce.attrs["T"].allowed:
        raise TypeError(f"{what} needs numbers, but '{tensor.name}' is {dtype.name}.")
    if dtype.is_complex and op in ("min", "max"):
        raise TypeError(f"{what} with op={op!r} needs numbers with an order, but '{tensor.name}' is {dtype.name}.")


def _check_moved(tensor, what):
    dtype = tensor.dtype.base_dtype
    if dtype not in GroupAllreduce.attrs["T"].allowed and dtype != dtypes.bool:
        raise TypeError(f"{what} needs numbers or bool values, but '{tensor.name}' is {dtype.name}.")


# ---- allreduce


@gradient("GroupAllreduce")
def _reduce_grad(op, *grads):
    """The gradient of a sum is the sum of all ranks' gradients, that of a mean their mean. The gradient of a minimum or
    maximum is shared equally by the ranks that had it."""
    merge, final = op.attrs["merge_op"].decode(), op.attrs["final_op"].decode()
    attrs = attrs_of_group(op)
    if merge == "Add":
        return GroupAllreduce(list(grads), merge_op=merge, final_op=final, **attrs)
    if merge == "Mul":
        raise LookupError("The gradient of allreduce(op='prod') is not defined.")
    had = [cast(equal(x, y), x.dtype) for x, y in zip(op.inputs, op.outputs)]
    sums = GroupAllreduce([*grads, *had], merge_op="Add", **attrs)
    shares = zip(had, sums[: len(had)], sums[len(had) :])
    return [mine * total / maximum(count, constants.ones_like(count)) for mine, total, count in shares]


def _reduce_slices(slices, op, group, key, name):
    if op not in ("sum", "mean"):
        raise ValueError(f"allreduce of IndexedSlices can be a sum or a mean, not {op!r}.")
    _check_number(slices.values, "allreduce", op)
    with name_scope(name, "Allreduce", [slices.values]):
        attrs = _group_attrs(group)
        keys = {"instance_key": key} if key else {}
        values, sizes = GroupAllgather(slices.values, **attrs, **keys)
        indices, _ = GroupAllgather(slices.indices, **attrs, **({"instance_key": f"{key}/indices"} if key else {}))
        if op == "mean":
            values = values / array_ops.reshape(cast(array_ops.size(sizes), values.dtype), [], name="ranks")
        return IndexedSlices(values, indices, slices.dense_shape)


def allreduce(value, op="sum", group=None, name=None, key=None):
    """Combines the values of all ranks; every rank gets the same bits.

    Values are combined in the order of the ranks on each host, and then host by host, in the order of their lowest
    ranks (of more than 8 hosts in pairs). So a group on other hosts may get other bits of a sum of floats.

    Args:
      value: A `Tensor` of a numeric type, of the same shape on all ranks; `IndexedSlices`, whose rows are concatenated;
        or a list of both. Tensors of one type in a list are sent together.
      op: "sum", "mean" (integers are divided towards zero), "min", "max" (NaN if any value is) or "prod".
      group: Name of a job or a list of ranks; by default the job "worker", or all ranks if there is none.
      name: Name of the operation (optional).
      key: The name that matches the runs of the ranks; the name of the operation by default.

    Returns:
      A `Tensor` (or `IndexedSlices`, or a list) of the type and shape of `value`.

    Raises:
      TypeError: `value` is not numeric, or is complex for "min" or "max".
      ValueError: `op` is not valid, or not "sum" or "mean" for `IndexedSlices`.
      tf.errors.InvalidArgumentError: When run: the ranks disagree.
      tf.errors.UnavailableError: When run: a rank does not take part.
      tf.errors.AbortedError: When run: a rank failed.
    """
    merge = merge_attrs(op)
    if isinstance(value, IndexedSlices):
        return _reduce_slices(value, op, group, key, name)
    if not isinstance(value, (list, tuple)):
        tensor = convert_to_tensor(value)
        _check_number(tensor, "allreduce", op)
        attrs = _group_attrs(group, key)
        return GroupAllreduce([tensor], name=name or "Allreduce", labels=[tensor.name], **merge, **attrs)[0]
    with name_scope(name, "Allreduce"):
        return _reduce_list(value, op, group, key)


def _reduce_list(values, op, group, key):
    results = [None] * len(values)
    by_dtype = {}
    for i, value in enumerate(values):
        if isinstance(value, IndexedSlices):
            results[i] = _reduce_slices(value, op, group, f"{key}/{i}" if key else None, None)
            continue
        tensor = convert_to_tensor(value)
        _check_number(tensor, "allreduce", op)
        by_dtype.setdefault(tensor.dtype.base_dtype, []).append((i, tensor))
    for dtype, pairs in by_dtype.items():
        reduced = GroupAllreduce(
            [t for _, t in pairs],
            name="Allreduce",
            labels=[t.name for _, t in pairs],
            **merge_attrs(op),
            **_group_attrs(group, f"{key}/{dtype.name}" if key else None),
        )
        for (i, _), result in zip(pairs, reduced):
            results[i] = result
    return results


# ---- The others


@gradient("GroupAllgather")
def _gather_grad(op, grad, unused):
    """Each rank gets the sum of all ranks' gradients of its rows."""
    mine = GroupReduceScatter(grad, op.outputs[1], merge_op="Add", **attrs_of_group(op))
    return array_ops.reshape(mine, array_ops.shape(op.inputs[0]))


@gradient("GroupReduceScatter")
def _reduce_scatter_grad(op, grad):
    """Gathers the rows of all ranks."""
    if op.attrs["merge_op"] != b"Add":
        raise LookupError("The gradient of reduce_scatter is defined for sums and means only.")
    whole, sizes = GroupAllgather(grad, **attrs_of_group(op))
    if op.attrs["final_op"] == b"Div":
        whole = whole / cast(array_ops.size(sizes), whole.dtype)
    return array_ops.reshape(whole, array_ops.shape(op.inputs[0])), None


def allgather(value, group=None, name=None, key=None):
    """Concatenates the rows of all ranks in the order of the ranks.

    Args:
      value: A `Tensor` of a numeric type or bool; the ranks may have different numbers of rows. A scalar counts as one
        row.
      group: Name of a job or a list of ranks; by default the job "worker", or all ranks if there is none.
      name: Name of the operation (optional).
      key: The name that matches the runs of the ranks; the name of the operation by default.

    Returns:
      A `Tensor` of the type of `value`, of rank 1 or more.

    Raises:
      TypeError: `value` has another type.
      tf.errors.InvalidArgumentError: When run: the ranks disagree.
      tf.errors.UnavailableError: When run: a rank does not take part.
      tf.errors.AbortedError: When run: a rank failed.
    """
    tensor = convert_to_tensor(value)
    _check_moved(tensor, "allgather")
    return GroupAllgather(tensor, name=name or "Allgather", **_group_attrs(group, key))[0]


def reduce_scatter(value, op="sum", sizes=None, group=None, name=None, key=None):
    """Combines the values of all ranks and gives each rank some rows of the result.

    Args:
      value: A `Tensor` of a numeric type with rows, of the same shape on all ranks.
      op: "sum", "mean" (integers are divided towards zero), "min", "max" (NaN if any value is) or "prod".
      sizes: An int64 vector, the same on all ranks: how many rows each rank gets. By default equal shares; the first
        ranks get one more row if there is a remainder.
      group: Name of a job or a list of ranks; by default the job "worker", or all ranks if there is none.
      name: Name of the operation (optional).
      key: The name that matches the runs of the ranks; the name of the operation by default.

    Returns:
      A `Tensor` of the type of `value`: the rows of this rank.

    Raises:
      TypeError: `value` is not numeric, or is complex for "min" or "max".
      ValueError: `value` is a scalar, or `op` is not valid.
      tf.errors.InvalidArgumentError: When run: the ranks disagree, or `sizes` do not add up to the number of rows.
      tf.errors.UnavailableError: When run: a rank does not take part.
      tf.errors.AbortedError: When run: a rank failed.
    """
    tensor = convert_to_tensor(value)
    _check_number(tensor, "reduce_scatter", op)
    if tensor.dims == ():
        raise ValueError(f"reduce_scatter needs a tensor with rows, but '{tensor.name}' is a scalar.")
    sizes = convert_to_tensor([] if sizes is None else sizes, dtype=dtypes.int64)
    return GroupReduceScatter(
        tensor, sizes, name=name or "ReduceScatter", **merge_attrs(op), **_group_attrs(group, key)
    )


def broadcast(value, root=0, group=None, name=None, key=None):
    """Sends the value of one rank to all ranks of the group.

    Args:
      value: A `Tensor` of a numeric type or bool. On the other ranks only its type and shape are used.
      root: An int: the position of the sender in the group.
      group: Name of a job or a list of ranks; by default the job "worker", or all ranks if there is none.
      name: Name of the operation (optional).
      key: The name that matches the runs of the ranks; the name of the operation by default.

    Returns:
      A `Tensor` of the type and shape of `value`.

    Raises:
      TypeError: `value` has another type.
      ValueError: `root` is negative.
      tf.errors.InvalidArgumentError: When run: the ranks disagree.
      tf.errors.UnavailableError: When run: a rank does not take part.
      tf.errors.AbortedError: When run: a rank failed.
    """
    if root < 0:
        raise ValueError(f"root must be a position in the group, not {root}.")
    tensor = convert_to_tensor(value)
    _check_moved(tensor, "broadcast")
    return GroupBroadcast(tensor, root=int(root), name=name or "Broadcast", **_group_attrs(group, key))


def barrier(group=None, name=None, key=None):
    """Waits for all ranks of the group.

    Args:
      group: Name of a job or a list of ranks; by default the job "worker", or all ranks if there is none.
      name: Name of the operation (optional).
      key: The name that matches the runs of the ranks; the name of the operation by default.

    Returns:
      The `Operation`, which ends when all ranks of the group have run it.

    Raises:
      tf.errors.InvalidArgumentError: When run: the ranks disagree.
      tf.errors.UnavailableError: When run: a rank does not take part.
      tf.errors.AbortedError: When run: a rank failed.
    """
    return GroupBarrier(name=name or "Barrier", **_group_attrs(group, key))


def check_equal(variables, group=None, name=None):
    """An Operation that fails where variables have different values on the ranks of the group."""
    labels = [v.op.name for v in variables]
    values = [v._ref() if v.dtype._is_ref_dtype else v.read_value() for v in variables]
    return GroupCheckEqual(values, name=name or "CheckEqual", labels=labels, **_group_attrs(group))
