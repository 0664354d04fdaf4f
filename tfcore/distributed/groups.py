"""What collectives need to know of this process's place in a group, and variables that all ranks of a group share."""

from tfcore.framework.graph import control_dependencies, name_scope
from tfcore.framework.op_def import gradient
from tfcore.ops.collective import GroupAllreduce, attrs_of_group, broadcast
from tfcore.ops.constants import zeros_like
from tfcore.ops.control import group as group_of
from tfcore.variables.variable_collections import global_variables


def rank(group=None):
    """This process's position in the group, from 0; -1 if it is not a member.

    Raises: ValueError: a rank or job that the cluster does not have.
    """
    from tfcore.distributed import collective  # with its kernels, when they are first needed

    ranks, me = collective.members(group), collective.cluster_rank()
    return ranks.index(me) if me in ranks else -1


def size(group=None):
    """How many ranks the group has.

    Raises: ValueError: a rank or job that the cluster does not have.
    """
    from tfcore.distributed import collective

    return len(collective.members(group))


@gradient("GroupBroadcast")
def _broadcast_grad(op, grad):
    """The sum of all ranks' gradients, at the root; zeros elsewhere, but all ranks take part in the sum."""
    total = GroupAllreduce([grad], merge_op="Add", **attrs_of_group(op))[0]
    if rank(list(op._attrs["group"]) or op._attrs["job"].decode() or None) == op._attrs["root"]:
        return total
    with control_dependencies([total]):
        return zeros_like(total)


def broadcast_variables(variables=None, root=0, group=None, name="BroadcastVariables"):
    """An Operation that gives variables the values that they have at the rank `root`.

    To be run by all ranks when their variables are initialized: before synchronous training, or after a restored checkpoint.

    Args:
      variables: default: all global variables.
    """
    variables = global_variables() if variables is None else list(variables)
    with name_scope(name) as scope:
        updates = [v.assign(broadcast(v.read_value(), root, group, name=f"{v.op.name}/value")).op for v in variables]
        return group_of(*updates, name=scope)
