"""This process's place in a group; broadcast of variables to all ranks of a group."""

from tfcore.framework.definitions.op_def import gradient
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.collective.collective import GroupAllreduce, attrs_of_group, broadcast, group_of
from tfcore.ops.control_flow.control import group as all_of
from tfcore.variables.variable_collections import global_variables


def rank(group=None):
    """This process's position in a group.

    Args:
      group: A list of ranks, or the name of a job; by default the job "worker", or all processes if there is none.

    Returns:
      An int, counted from 0; -1 if the process is not a member.

    Raises:
      ValueError: The cluster has no such rank or job.
    """
    from tfcore.distributed.collectives import collective  # with its kernels, when they are first needed

    ranks, me = collective.members(group), collective.cluster_rank()
    return ranks.index(me) if me in ranks else -1


def size(group=None):
    """The number of processes in a group.

    Args:
      group: A list of ranks, or the name of a job; by default the job "worker", or all processes if there is none.

    Returns:
      An int.

    Raises:
      ValueError: The cluster has no such rank or job.
    """
    from tfcore.distributed.collectives import collective

    return len(collective.members(group))


@gradient("GroupBroadcast")
def _broadcast_grad(op, grad):
    """The sum of all ranks' gradients, at the root; zeros elsewhere, but all ranks take part in the sum."""
    total = GroupAllreduce([grad], merge_op="Add", **attrs_of_group(op))[0]
    if rank(group_of(op.attrs)) == op.attrs["root"]:
        return total
    with control_dependencies([total]):
        return zeros_like(total)


def broadcast_variables(variables=None, root=0, group=None, name="BroadcastVariables"):
    """Copies the values of variables from one process to all others of a group.

    All members must run the operation after their variables are initialized: before synchronous training, or after
    restoring a checkpoint.

    Args:
      variables: A list of `Variable`s; all global variables by default.
      root: Rank of the process whose values are copied.
      group: A list of ranks, or the name of a job; by default the job "worker", or all processes if there is none.
      name: Name of the operation.

    Returns:
      The `Operation` that assigns the values.

    Raises:
      ValueError: The cluster has no such rank or job.
    """
    variables = global_variables() if variables is None else list(variables)
    with name_scope(name) as scope:
        updates = [v.assign(broadcast(v.read_value(), root, group, name=f"{v.op.name}/value")).op for v in variables]
        return all_of(*updates, name=scope)
