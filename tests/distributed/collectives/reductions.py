"""What a reduction over several hosts has to give, bit for bit: the order of collectives/tree.c in NumPy."""

import numpy as np

FEW_HOSTS = 8
OPS = {"sum": np.add, "mean": np.add, "min": np.minimum, "max": np.maximum, "prod": np.multiply}


def hosts_of(host_by_rank):
    """The ranks of each host; hosts in the order of their lowest ranks."""
    hosts = {}
    for rank, host in enumerate(host_by_rank):
        hosts.setdefault(host, []).append(rank)
    return list(hosts.values())


def in_order(values, combine):
    """Combines a list of values of hosts."""
    n = len(values)
    if n <= FEW_HOSTS:
        total = values[0]
        for value in values[1:]:
            total = combine(total, value)
        return total
    power = 1 << (n.bit_length() - 1)
    values = [combine(values[i], values[i + power]) if i + power < n else values[i] for i in range(power)]
    while len(values) > 1:
        values = [combine(a, b) for a, b in zip(values[::2], values[1::2])]
    return values[0]


def reduced(op, arrays, host_by_rank):
    """The result of allreduce of these arrays (by rank) for a group whose ranks are on these hosts.

    16-bit floats are combined as float32 and rounded once. Complex arrays: sums only.
    """
    dtype = arrays[0].dtype
    narrow = dtype.name in ("bfloat16", "float16")
    wide = [a.astype(np.float32) if narrow else a for a in arrays]
    partials = []
    for ranks in hosts_of(host_by_rank):
        total = wide[ranks[0]]
        for rank in ranks[1:]:
            total = OPS[op](total, wide[rank])
        partials.append(total)
    total = in_order(partials, OPS[op])
    if op == "mean" and dtype.kind in "iu":
        total = np.trunc(total / len(arrays))
    elif op == "mean":
        total = total / total.dtype.type(len(arrays))
    return total.astype(dtype)
